/* kg-worker: runs references, baselines and candidates for a judge (worker/wire.h). */
#include "base/msg.h"
#include "worker/serve.h"
#include "worker/wire.h"

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/* Looking for leaks needs ptrace, which the sandbox refuses; faults are ours to tell. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0";
}
#endif

int main(int argc, char **argv)
{
    int type = 0;
    socklen_t len = sizeof type;
    kg_msg_init(argv[0]);
    if (getsockopt(KG_WIRE_FD, SOL_SOCKET, SO_TYPE, &type, &len) || type != SOCK_SEQPACKET) {
        kg_msg_error("kg-worker is started by kg-verify and kg-profile");
        return 2;
    }
    /* not exit(): a candidate's exit handlers have no say in how its worker ends */
    _exit(kg_worker_serve(KG_WIRE_FD));
}
