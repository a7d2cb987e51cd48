#include "record/pending.h"
#include "base/mem.h"
#include "base/mix.h"
#include "record/json.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *s, size_t n)
{
    uint64_t h = n;
    for (size_t i = 0; i < n; i++)
        h = kg_mix64(h ^ (unsigned char)s[i]);
    return h;
}

static struct kg_pending **bucket_of(const struct kg_pendings *all, uint64_t hash)
{
    return &all->bucket[hash & (all->n_buckets - 1)];
}

static void grow(struct kg_pendings *all)
{
    free(all->bucket);
    all->n_buckets = all->n_buckets ? 2 * all->n_buckets : 64;
    all->bucket = kg_mem_array(all->n_buckets, sizeof *all->bucket);
    for (struct kg_pending *p = all->oldest; p; p = p->newer) {
        struct kg_pending **b = bucket_of(all, p->hash);
        p->same = *b;
        *b = p;
    }
}

struct kg_pending *kg_pending_of(struct kg_pendings *all, const struct kg_row_key *key)
{
    uint64_t hash = hash_of(key->uid, key->uid_len);
    if (all->n >= all->n_buckets)
        grow(all);
    struct kg_pending **b = bucket_of(all, hash);
    for (struct kg_pending *p = *b; p; p = p->same)
        if (p->hash == hash && p->uid_len == key->uid_len &&
            !memcmp(p->uid, key->uid, key->uid_len))
            return p;
    struct kg_pending *p = kg_mem_zalloc(sizeof *p);
    p->hash = hash;
    p->uid = kg_mem_strndup(key->uid, key->uid_len);
    p->uid_len = key->uid_len;
    p->same = *b;
    *b = p;
    p->older = all->newest;
    *(all->newest ? &all->newest->newer : &all->oldest) = p;
    all->newest = p;
    all->n++;
    return p;
}

void kg_pending_free(struct kg_pendings *all, struct kg_pending *p)
{
    struct kg_pending **at = bucket_of(all, p->hash);
    while (*at != p)
        at = &(*at)->same;
    *at = p->same;
    *(p->older ? &p->older->newer : &all->oldest) = p->newer;
    *(p->newer ? &p->newer->older : &all->newest) = p->older;
    all->n--;
    for (size_t i = 0; i < p->n_done; i++)
        free(p->done[i]);
    kg_buf_release(&p->bytes);
    free(p->done);
    free(p->line);
    free(p->uid);
    free(p);
}

void kg_pendings_release(struct kg_pendings *all)
{
    while (all->oldest)
        kg_pending_free(all, all->oldest);
    free(all->bucket);
    memset(all, 0, sizeof *all);
}

void kg_pending_add(struct kg_pending *p, const struct kg_record *r)
{
    p->line = kg_mem_grow(p->line, p->n, &p->cap, sizeof *p->line);
    p->line[p->n++] = (struct kg_pending_line){
        .begin = p->bytes.len, .len = r->len, .no = r->line_no, .source = r->source};
    kg_buf_add(&p->bytes, r->line, r->len);
}

void kg_pending_done(struct kg_pending *p, const struct kg_row_key *key)
{
    for (size_t i = 0; key->traj_given && i < p->n_done; i++)
        if (!strcmp(p->done[i], key->traj))
            return;
    p->done = kg_mem_grow(p->done, p->n_done, &p->cap_done, sizeof *p->done);
    p->done[p->n_done++] = kg_mem_strdup(key->traj_given ? key->traj : "");
}

struct kg_jsonl_line kg_pending_line(struct kg_pending *p, size_t i)
{
    memset(kg_buf_reserve(&p->bytes, KG_JSON_PADDING), 0, KG_JSON_PADDING);
    return (struct kg_jsonl_line){
        .text = p->bytes.data + p->line[i].begin, .len = p->line[i].len, .no = p->line[i].no};
}
