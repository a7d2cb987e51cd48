#include "rl/output_text.h"

#include "base/exit.h"
#include "base/fs.h"
#include "base/msg.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

int kg_output_text(const char *text, size_t n, const char *what)
{
    struct kg_error err = KG_ERROR_INIT;
    if (!kg_fs_write_all(STDOUT_FILENO, text, n))
        return KG_EXIT_OK;
    if (errno == EPIPE)
        return 128 + SIGPIPE;
    kg_error_errno(&err, KG_E_OUTPUT, "cannot write %s", what);
    kg_msg_from(&err);
    return KG_EXIT_OUTPUT;
}
