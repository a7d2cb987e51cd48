#include "rl/gnuplot.h"

#include "base/fs.h"
#include "score/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SVG_MAX = 256 << 20 };

char *kg_gnuplot_find(struct kg_error *err)
{
    char *path = kg_fs_which("gnuplot");
    if (!path)
        kg_error_set(err, KG_E_MISSING, "--plot needs gnuplot, which is not on PATH");
    return path;
}

/* stdout is the report's, so gnuplot's goes to stderr */
static int run(const char *program, const char *script, struct kg_error *err)
{
    int status;
    pid_t pid = fork();
    if (pid < 0)
        return kg_error_errno(err, KG_E_SYSTEM, "cannot start '%s'", program);
    if (pid == 0) {
        dup2(2, 1);
        execl(program, "gnuplot", script, (char *)NULL);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return kg_error_errno(err, KG_E_SYSTEM, "cannot wait for '%s'", program);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return kg_error_set(err, KG_E_MISSING, "'%s' failed (%s %d)", program,
                            WIFEXITED(status) ? "exit status" : "signal",
                            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return 0;
}

static int plot_in(const char *dir, const char *program, const struct kg_report_row *rows, size_t n,
                   const struct kg_report_opts *o, const char *svg, struct kg_error *err)
{
    struct kg_buf script = KG_BUF_INIT, picture;
    char *script_path = kg_fs_join(dir, "report.gp"), *made = kg_fs_join(dir, "report.svg");
    kg_buf_init(&picture, SVG_MAX);
    kg_report_plot(rows, n, o, made, &script);
    int rc = kg_fs_write(script_path, script.data, script.len, 0600, err);
    if (!rc)
        rc = run(program, script_path, err);
    if (!rc)
        rc = kg_fs_read(made, &picture, err);
    if (!rc && kg_fs_write(svg, kg_buf_str(&picture), picture.len, 0644, err)) {
        err->code = KG_E_OUTPUT;
        rc = -1;
    }
    kg_buf_release(&script);
    kg_buf_release(&picture);
    free(script_path);
    free(made);
    return rc;
}

int kg_gnuplot_report(const char *program, const struct kg_report_row *rows, size_t n,
                      const struct kg_report_opts *o, const char *svg, struct kg_error *err)
{
    char *dir = kg_fs_tempdir("kg-report", err);
    if (!dir)
        return -1;
    int rc = plot_in(dir, program, rows, n, o, svg, err);
    kg_fs_remove_tree(dir);
    free(dir);
    return rc;
}
