/*
 * What the references of shipped tasks export beside 'reference': init_* makes what it says for
 * every case, from its seed alone; check accepts every right answer and no wrong one.
 */
#include "compile/compile.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "record/yaml.h"
#include "tap.h"

struct shipped {
    struct kg_task *task;
    struct kg_compile_result built;
    void *so;
};

static struct shipped open_task(const char *name)
{
    struct shipped s = {0};
    struct kg_arena a = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    const char *top = getenv("KG_TOP");
    char *dir = kg_fs_join(top ? top : ".", "share/kg/tasks"), *path = kg_fs_join(dir, name);
    const struct kg_value *doc = kg_yaml_file(path, &a, &err);
    s.task = doc ? kg_task_new(doc, dir, path, &err) : NULL;
    OK(s.task != NULL);
    if (s.task) {
        struct kg_compile_opts o = {.target = "host", .timeout_s = 60, .no_cache = true};
        kg_compile(s.task, KG_SOURCE_REFERENCE, s.task->reference, strlen(s.task->reference), &o,
                   &s.built);
        EQ_INT(s.built.verdict, KG_PASSED);
        s.so = s.built.path ? dlopen(s.built.path, RTLD_NOW | RTLD_LOCAL) : NULL;
    }
    kg_arena_release(&a);
    free(path);
    free(dir);
    return s;
}

static void close_task(struct shipped *s)
{
    if (s->so)
        dlclose(s->so);
    kg_compile_result_release(&s->built);
    kg_task_free(s->task);
}

/* ---- csr_spmv ----------------------------------------------------------------------------- */

struct matrix {
    int32_t *row_ptr, *col;
};

/* As the judge's worker calls it: cleared arrays, by the address of each argument's value. */
static struct matrix make(const struct shipped *s, const struct kg_case *c, uint64_t seed)
{
    const struct kg_task *t = s->task;
    const struct kg_init *init = c->inits[0] ? c->inits[0] : &t->args[0].init;
    char *name = kg_mem_printf("kg_init_%s", init->name);
    void (*call)(void **) = NULL;
    struct matrix m = {calloc((size_t)c->axes[0] + 1, 4), calloc((size_t)c->axes[2], 4)};
    const int64_t *axes = c->axes;
    void *args[KG_TASK_MAX_ARGS] = {&m.row_ptr, &m.col};
    args[t->ref_axes] = &axes;
    args[t->ref_seed] = &seed;
    *(void **)&call = dlsym(s->so, name);
    OK(call != NULL);
    if (call)
        call(args);
    free(name);
    return m;
}

static bool same(const struct matrix *a, const struct matrix *b, const struct kg_case *c)
{
    return !memcmp(a->row_ptr, b->row_ptr, ((size_t)c->axes[0] + 1) * 4) &&
           !memcmp(a->col, b->col, (size_t)c->axes[2] * 4);
}

static void look_at(const struct shipped *s, const struct kg_case *c)
{
    int64_t rows = c->axes[0], cols = c->axes[1], nnz = c->axes[2], empty = 0, longest = 0;
    int64_t most = 16 * ((nnz + rows - 1) / rows);
    struct matrix m = make(s, c, 7), again = make(s, c, 7), other = make(s, c, 8);
    bool ascends = m.row_ptr[0] == 0, fits = true;
    printf("# %s\n", c->label);
    for (int64_t r = 0; r < rows; r++) {
        int64_t n = m.row_ptr[r + 1] - m.row_ptr[r];
        ascends = ascends && n >= 0 && m.row_ptr[r + 1] <= nnz;
        empty += n == 0;
        longest = n > longest ? n : longest;
        for (int64_t i = m.row_ptr[r]; ascends && i < m.row_ptr[r + 1]; i++)
            fits = fits && m.col[i] >= 0 && m.col[i] < cols &&
                   (i == m.row_ptr[r] || m.col[i] > m.col[i - 1]);
    }
    OK(ascends);
    OK(fits);
    EQ_INT(m.row_ptr[rows], nnz);
    OK(longest <= most && longest <= cols);
    if (nnz < rows * cols / 2 && rows > 50)
        OK(empty > rows / 20);
    OK(same(&m, &again, c));
    if (nnz < rows * cols)
        OK(!same(&m, &other, c));
    struct matrix *all[] = {&m, &again, &other};
    for (int i = 0; i < 3; i++) {
        free(all[i]->row_ptr);
        free(all[i]->col);
    }
}

static void csr(void)
{
    struct shipped s = open_task("csr_spmv.yaml");
    if (s.so) {
        EQ_INT(s.task->n_makers, 2);
        for (size_t i = 0; i < s.task->n_cases; i++)
            look_at(&s, &s.task->cases[i]);
        look_at(&s, &s.task->timed_host);
    }
    OK(s.so != NULL);
    close_task(&s);
}

/* ---- row_top_k ---------------------------------------------------------------------------- */

#define ROWS 2
#define COLS 6
#define K    3

static int ask(const struct shipped *s, const double *x, const int32_t got[ROWS * K])
{
    int32_t want[ROWS * K];
    const int32_t *pg = got;
    int32_t *pw = want;
    int rows = ROWS, cols = COLS, k = K;
    void *args[] = {&x, &pw, &rows, &cols, &k, &pg};
    void (*reference)(void **) = NULL;
    int (*check)(void **) = NULL;
    *(void **)&reference = dlsym(s->so, "kg_call");
    *(void **)&check = dlsym(s->so, "kg_check");
    OK(reference && check);
    if (!reference || !check)
        return -1;
    reference(args);
    return check(args);
}

static void top_k(void)
{
    struct shipped s = open_task("row_top_k.yaml");
    static const double x[ROWS * COLS] = {5,  1,  9,  5,  7,  5, /* 9 7, and any one of three 5 */
                                          -1, -2, -3, -4, -5, -6};
    static const struct {
        int32_t got[ROWS * K];
        int wrong_row; /* 0: right */
    } answers[] = {
        {{2, 4, 0, 0, 1, 2}, 0},       {{0, 2, 4, 2, 1, 0}, 0},  {{4, 3, 2, 0, 2, 1}, 0},
        {{5, 4, 2, 1, 0, 2}, 0},       {{2, 2, 4, 0, 1, 2}, 1},  {{2, 2, 2, 0, 1, 2}, 1},
        {{0, 3, 5, 0, 1, 2}, 1},       {{2, 0, 3, 0, 1, 2}, 1},  {{2, 4, 1, 0, 1, 2}, 1},
        {{2, 4, 6, 0, 1, 2}, 1},       {{2, 4, -1, 0, 1, 2}, 1}, {{2, 4, INT_MAX, 0, 1, 2}, 1},
        {{INT_MIN, 4, 2, 0, 1, 2}, 1}, {{2, 4, 0, 0, 1, 3}, 2},  {{2, 4, 0, 0, 0, 1}, 2},
        {{2, 4, 0, 1, 2, INT_MIN}, 2},
    };
    if (s.so) {
        OK(s.task->checked);
        EQ_INT(s.task->ref_got, 5);
        for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
            EQ_INT(ask(&s, x, answers[i].got), answers[i].wrong_row);
    }
    OK(s.so != NULL);
    close_task(&s);
}

int main(void)
{
    csr();
    top_k();
    return tap_done();
}
