/* kg-compile: compiles each record's candidate. See kg-compile(1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/msg.h"
#include "base/opt.h"
#include "compile/stage.h"

static const char *const extracts[] = {"fenced", "kernelgym", NULL};
static const char *const sandboxes[] = {"auto", "require", "off", NULL};

static int print_env(void)
{
    struct kg_buf text = KG_BUF_INIT;
    kg_compile_env(&text);
    return kg_opt_print(&text);
}

static int fail(const struct kg_error *err)
{
    kg_msg_from(err);
    return kg_error_exit(err->code);
}

/* --target, else what --device (or KG_DEVICE) means; "auto" is host where there is no GPU. */
static int find_target(const char *target, const char *device, char out[16], struct kg_error *err)
{
    const char *env = getenv("KG_DEVICE");
    if (!device)
        device = env && *env ? env : "auto";
    if (!target || !strcmp(target, "auto"))
        return kg_compile_target(device, out, err);
    if (kg_compile_target_check(target, err))
        return -1;
    snprintf(out, 16, "%s", target);
    return 0;
}

int main(int argc, char **argv)
{
    struct kg_loop_opts loop = {0};
    struct kg_compile_stage stage = {0};
    struct kg_opt_list tasks = {0};
    struct kg_error err = KG_ERROR_INIT;
    const char *device = NULL, *target = NULL, *cuda_home = NULL;
    int extract = KG_EXTRACT_FENCED, sandbox = KG_SANDBOX_AUTO;
    bool env = false;
    char target_text[16];
    const struct kg_opt table[] = {
        {'t', "tasks", KG_OPT_LIST, "PATH", "tasks: a file, a folder or a name (again for more)",
         &tasks},
        {'d', "device", KG_OPT_STR, "DEVICE", "auto, host, cuda or cuda:N (auto)", &device},
        {0, "target", KG_OPT_STR, "TARGET", "host, sm_NN or auto: the device's (auto)", &target},
        {0, "timeout", KG_OPT_NUM, "SECONDS", "time limit of one compile (60)",
         &stage.opts.timeout_s, 0.001, 86400},
        {0, "extract", KG_OPT_WORD, "RULES", "how code is found in a response (fenced)", &extract,
         .words = extracts},
        {0, "embed-task", KG_OPT_FLAG, NULL, "put the whole task into each record",
         &stage.embed_task},
        {0, "redo", KG_OPT_FLAG, NULL, "compile records again that have a compile object",
         &stage.redo},
        {0, "no-cache", KG_OPT_FLAG, NULL, "neither use nor fill the cache", &stage.opts.no_cache},
        {0, "cache-size", KG_OPT_BYTES, "BYTES", "bound of the cache (4G)", &stage.opts.cache_bytes,
         1 << 20, 1e15},
        {0, "cuda-home", KG_OPT_STR, "DIR", "where the CUDA toolkit is", &cuda_home},
        {0, "sandbox", KG_OPT_WORD, "MODE", "for compilers (auto)", &sandbox, .words = sandboxes},
        {0, "env", KG_OPT_FLAG, NULL, "print what was found and from where, and end", &env},
        KG_LOOP_POOL_OPTIONS(loop),
        KG_OPT_END};
    const struct kg_opt_usage usage = {
        "[options] [file ...]",
        "compiles the candidate of each record; source files (.cu) become records",
        "Source files need the one task that they are for: kg-compile -t softmax.yaml mine.cu",
    };
    static const char *const own[] = {"compile", "kg", NULL};
    static const struct kg_pool_ops ops = {.work = kg_compile_stage_work};
    int status = kg_loop_args(&loop, table, &usage, argc, argv);
    if (status >= 0)
        return status;
    if (env)
        return print_env();
    if (find_target(target, device, target_text, &err))
        return fail(&err);
    stage.opts.target = target_text;
    stage.opts.sandbox = (enum kg_sandbox_mode)sandbox;
    stage.opts.cuda_home = cuda_home;
    stage.extract = (enum kg_extract)extract;
    stage.tasks = kg_tasks_new(&tasks, &err);
    if (!stage.tasks || kg_compile_stage_operands(stage.tasks, loop.files, loop.n_files, &err)) {
        kg_tasks_free(stage.tasks);
        return fail(&err);
    }
    loop.own = own;
    status = kg_loop_pool(&loop, &ops, &stage);
    kg_tasks_free(stage.tasks);
    return status;
}
