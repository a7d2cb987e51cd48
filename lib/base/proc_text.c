#include "base/proc.h"

void kg_proc_layers_text(unsigned layers, struct kg_buf *out)
{
    static const struct {
        unsigned layer;
        const char *name;
    } names[] = {
        {KG_LAYER_USER, "user"},         {KG_LAYER_PID, "pid"},       {KG_LAYER_NET, "net"},
        {KG_LAYER_IPC, "ipc"},           {KG_LAYER_MOUNT, "mount"},   {KG_LAYER_SECCOMP, "seccomp"},
        {KG_LAYER_LANDLOCK, "landlock"}, {KG_LAYER_RLIMIT, "rlimit"}, {KG_LAYER_CGROUP, "cgroup"}};
    const char *sep = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(layers & names[i].layer))
            continue;
        kg_buf_addf(out, "%s%s", sep, names[i].name);
        sep = ",";
    }
}
