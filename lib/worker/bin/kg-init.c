/* kg-init: builds a sandbox, starts a program in it and watches over it (base/sandbox.h). */
#include "base/msg.h"
#include "base/sandbox.h"

int main(int argc, char **argv, char **envp)
{
    struct kg_init_opts o;
    struct kg_error err = KG_ERROR_INIT;
    kg_msg_init(argv[0]);
    if (kg_init_parse(argc, argv, &o, &err)) {
        kg_msg_from(&err);
        return kg_error_exit(err.code);
    }
    return kg_init_run(&o, envp);
}
