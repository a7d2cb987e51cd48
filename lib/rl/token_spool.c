#include "rl/token_spool.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const uint64_t MASKED = 0x7FF8000000006B67u;

void kg_token_spool_release(struct kg_token_spool *s)
{
    if (s->file)
        fclose(s->file);
    free(s->buf);
    *s = (struct kg_token_spool){0};
}

void kg_token_spool_reset(struct kg_token_spool *s)
{
    s->n = 0;
}

static void room(struct kg_token_spool *s, size_t n)
{
    if (n <= s->cap)
        return;
    s->cap = n + n / 2;
    s->buf = kg_mem_realloc(s->buf, s->cap * sizeof *s->buf);
}

static int go_to(struct kg_token_spool *s, uint64_t at, struct kg_error *err)
{
    if (!s->file && !(s->file = tmpfile()))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot make a temporary file");
    if (fseeko(s->file, (off_t)(at * sizeof(double)), SEEK_SET))
        return kg_error_errno(err, KG_E_SYSTEM, "cannot seek in a temporary file");
    return 0;
}

int kg_token_spool_add(struct kg_token_spool *s, const double *train, const double *rollout,
                       const double *mask, size_t n, uint64_t *at, struct kg_error *err)
{
    *at = s->n;
    if (s->n == 0 && go_to(s, 0, err))
        return -1;
    room(s, n);
    for (size_t i = 0; i < n; i++) {
        if (mask && mask[i] == 0)
            memcpy(&s->buf[i], &MASKED, sizeof MASKED);
        else
            s->buf[i] = train[i] - rollout[i];
    }
    if (fwrite(s->buf, sizeof *s->buf, n, s->file) != n)
        return kg_error_errno(err, KG_E_OUTPUT, "cannot write a temporary file");
    s->n += n;
    return 0;
}

int kg_token_spool_get(struct kg_token_spool *s, uint64_t at, size_t n, const double **d,
                       struct kg_error *err)
{
    room(s, n);
    *d = s->buf;
    if (!n)
        return 0;
    if (go_to(s, at, err))
        return -1;
    if (fread(s->buf, sizeof *s->buf, n, s->file) != n)
        return kg_error_errno(err, KG_E_SYSTEM, "cannot read a temporary file");
    return 0;
}

bool kg_token_spool_masked(double d)
{
    return !memcmp(&d, &MASKED, sizeof d);
}
