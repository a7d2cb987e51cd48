/*
 * Is a file that is to be written one that is read, or written by something else? Names say little
 * (links, folders): the files themselves are compared.
 */
#include "base/msg.h"
#include "record/run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The operand that is this file; NULL: none is. */
static const char *operand(const struct kg_loop_opts *o, const struct stat *file)
{
    struct stat st;
    for (int i = 0; i < o->n_files; i++)
        if (!kg_jsonl_stat(o->files[i], &st) && same(file, &st))
            return o->files[i];
    return NULL;
}

static const char *descriptor(const struct stat *file)
{
    static const char *const names[] = {"standard input", "standard output", "standard error"};
    struct stat st;
    for (int fd = 0; fd < 3; fd++)
        if (!fstat(fd, &st) && same(file, &st))
            return names[fd];
    return NULL;
}

bool kg_loop_refuse_output(const struct kg_loop_opts *o, const char *option, const char *path)
{
    struct stat file, rejects;
    const char *what;
    if (stat(path, &file))
        return false; /* there is none yet */
    bool also =
        o->rejects && path != o->rejects && !stat(o->rejects, &rejects) && same(&file, &rejects);
    if ((what = operand(o, &file)))
        kg_msg_error("%s '%s' would overwrite the input '%s'", option, path, what);
    else if ((what = descriptor(&file)))
        kg_msg_error("%s '%s' is the file of %s too", option, path, what);
    else if (also)
        kg_msg_error("%s '%s' is the file of --rejects too", option, path);
    else
        return false;
    return true;
}

bool kg_loop_refuse_append(const struct kg_loop_opts *o)
{
    struct stat out, in;
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || !(flags & O_APPEND) || fstat(STDOUT_FILENO, &out))
        return false;
    const char *what = operand(o, &out);
    if (!what && !o->n_files && !fstat(STDIN_FILENO, &in) && same(&out, &in))
        what = "<stdin>";
    if (what)
        kg_msg_error("standard output appends to the input '%s'", what);
    return what != NULL;
}
