#include "rl/stamps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/mix.h"
#include "rl/kg_object.h"

#define FORGET_AT 4096

static void forget(struct kg_stamps *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->stamp[i].old);
        free(s->stamp[i].json);
    }
    s->n = 0;
    if (s->slot)
        memset(s->slot, 0, s->n_slots * sizeof *s->slot);
}

void kg_stamps_release(struct kg_stamps *s)
{
    forget(s);
    free(s->stamp);
    free(s->slot);
    *s = (struct kg_stamps){0};
}

void kg_stamps_start(struct kg_stamps *s)
{
    if (s->n > FORGET_AT)
        forget(s);
}

static uint64_t hash(const char *text, size_t len)
{
    uint64_t h = len;
    for (; len >= 8; text += 8, len -= 8) {
        uint64_t w;
        memcpy(&w, text, 8);
        h = kg_mix64(h ^ w);
    }
    for (; len; text++, len--)
        h = kg_mix64(h ^ (unsigned char)*text);
    return h;
}

static void grow(struct kg_stamps *s)
{
    if (s->n_slots && s->n * 2 < s->n_slots)
        return;
    s->n_slots = s->n_slots ? s->n_slots * 2 : 64;
    free(s->slot);
    s->slot = kg_mem_array(s->n_slots, sizeof *s->slot);
    for (size_t i = 0; i < s->n; i++) {
        size_t at = hash(s->stamp[i].old, s->stamp[i].old_len) & (s->n_slots - 1);
        while (s->slot[at])
            at = (at + 1) & (s->n_slots - 1);
        s->slot[at] = (uint32_t)i + 1;
    }
}

uint32_t kg_stamps_take(struct kg_stamps *s, struct kg_record *r, const struct kg_policy *p)
{
    const struct kg_json_member *m = kg_record_member(r, "kg");
    const char *old = m ? r->line + m->begin : "";
    size_t len = m ? m->end - m->begin : 0;
    grow(s);
    size_t at = hash(old, len) & (s->n_slots - 1);
    for (; s->slot[at]; at = (at + 1) & (s->n_slots - 1)) {
        const struct kg_stamp *x = &s->stamp[s->slot[at] - 1];
        if (x->old_len == len && !memcmp(x->old, old, len))
            return s->slot[at] - 1;
    }
    struct kg_buf text = KG_BUF_INIT;
    kg_object_json(m ? kg_record_get(r, "kg") : NULL, p, &text);
    s->stamp = kg_mem_grow(s->stamp, s->n, &s->cap, sizeof *s->stamp);
    struct kg_stamp *x = &s->stamp[s->n++];
    x->old = kg_mem_strndup(old, len);
    x->old_len = len;
    x->len = text.len;
    x->json = kg_buf_take(&text);
    s->slot[at] = (uint32_t)s->n;
    return (uint32_t)s->n - 1;
}

void kg_stamps_emit(const struct kg_stamps *s, uint32_t number, struct kg_edits *e)
{
    kg_edits_json(e, "kg", s->stamp[number].json, s->stamp[number].len);
}
