#include "record/keys.h"
#include "base/mem.h"
#include "base/mix.h"
#include "base/msg.h"
#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing; a slot holds an index plus one, 0 is free. At most two thirds are full. */
struct table {
    uint32_t *slot;
    size_t cap, n;
};

struct name { /* an interned uid or traj */
    uint64_t hash;
    size_t len;
    const char *text;
    const char *only_traj; /* of a uid: its trajectory while it has one alone */
    bool many;
};

struct seen {           /* one record: 24 bytes, since there are many */
    uint32_t uid, traj; /* indices of names */
    uint32_t source, line;
    int64_t turn;
};

struct counter { /* trajectories without a name: the next one of (uid, turn) */
    const char *uid;
    int64_t turn, next;
};

struct kg_keys {
    const char *uid_key, *traj_key, *turn_key;
    struct kg_arena arena;
    struct name *names;
    struct seen *seen;
    struct counter *counters;
    size_t n_names, cap_names, n_seen, cap_seen, n_counters, cap_counters;
    struct table by_name, by_row, by_counter;
    const char **sources; /* names of files, in the order of their first record */
    size_t n_sources, cap_sources;
    uint64_t *closed; /* hashes of uids that must not return; open addressing, 0 is free */
    size_t n_closed, cap_closed;
    size_t groups, many; /* of earlier batches */
};

/* ---- hashing ------------------------------------------------------------------------------ */

static uint64_t hash_bytes(const char *s, size_t n)
{
    uint64_t h = n;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t w = 0;
        memcpy(&w, s + i, n - i < 8 ? n - i : 8);
        h = kg_mix64(h ^ w);
    }
    return h | 1; /* never 0 */
}

static uint64_t hash_three(uintptr_t a, uintptr_t b, int64_t c)
{
    return kg_mix64(a ^ kg_mix64(b ^ kg_mix64((uint64_t)c)));
}

static uint64_t name_hash(const struct kg_keys *k, size_t i)
{
    return k->names[i].hash;
}

static uint64_t seen_hash(const struct kg_keys *k, size_t i)
{
    return hash_three(k->seen[i].uid, k->seen[i].traj, k->seen[i].turn);
}

static uint64_t counter_hash(const struct kg_keys *k, size_t i)
{
    return hash_three((uintptr_t)k->counters[i].uid, 0, k->counters[i].turn);
}

static void table_grow(const struct kg_keys *k, struct table *t,
                       uint64_t (*hash)(const struct kg_keys *, size_t))
{
    if (3 * (t->n + 1) <= 2 * t->cap)
        return;
    free(t->slot);
    t->cap = t->cap ? 2 * t->cap : 64;
    t->slot = kg_mem_array(t->cap, sizeof *t->slot);
    for (size_t i = 0; i < t->n; i++) {
        size_t at = hash(k, i) & (t->cap - 1);
        while (t->slot[at])
            at = (at + 1) & (t->cap - 1);
        t->slot[at] = (uint32_t)i + 1;
    }
}

static void table_reset(struct table *t)
{
    if (t->n)
        memset(t->slot, 0, t->cap * sizeof *t->slot);
    t->n = 0;
}

/* ---- names -------------------------------------------------------------------------------- */

static struct name *intern(struct kg_keys *k, const char *text, size_t len)
{
    uint64_t h = hash_bytes(text, len);
    struct table *t = &k->by_name;
    table_grow(k, t, name_hash);
    size_t at = h & (t->cap - 1);
    for (; t->slot[at]; at = (at + 1) & (t->cap - 1)) {
        struct name *n = &k->names[t->slot[at] - 1];
        if (n->hash == h && n->len == len && !memcmp(n->text, text, len))
            return n;
    }
    k->names = kg_mem_grow(k->names, k->n_names, &k->cap_names, sizeof *k->names);
    struct name *n = &k->names[k->n_names++];
    *n = (struct name){.hash = h, .len = len, .text = kg_arena_strndup(&k->arena, text, len)};
    t->slot[at] = (uint32_t)k->n_names;
    t->n++;
    return n;
}

/* The decimal digits of an integer of any size; false when the number is none. */
static bool integer_text(const struct kg_value *v, struct kg_buf *b)
{
    int64_t i;
    if (kg_value_int(v, &i)) {
        kg_buf_addf(b, "%lld", (long long)i);
        return true;
    }
    if (strpbrk(v->text, ".eE"))
        return false;
    kg_buf_add(b, v->text, v->len);
    return true;
}

/* "s..." or "i..."; NULL: missing or null, or a fault of the record */
static struct name *read_name(struct kg_keys *k, struct kg_record *r, const char *key)
{
    const struct kg_value *v = kg_record_get(r, key);
    struct kg_buf b = KG_BUF_INIT;
    struct name *n = NULL;
    if (!v || v->type == KG_VALUE_NULL)
        return NULL;
    kg_buf_addc(&b, v->type == KG_VALUE_STRING ? 's' : 'i');
    if (v->type == KG_VALUE_STRING)
        kg_buf_add(&b, v->text, v->len);
    if (v->type == KG_VALUE_STRING || (v->type == KG_VALUE_NUMBER && integer_text(v, &b)))
        n = intern(k, b.data, b.len);
    else
        kg_record_fault(r, "field '%s' must be a string or an integer, not %s", key,
                        v->type == KG_VALUE_NUMBER ? v->text : kg_value_type_name(v));
    kg_buf_release(&b);
    return n;
}

/* ---- keys --------------------------------------------------------------------------------- */

struct kg_keys *kg_keys_new(const struct kg_loop_opts *o)
{
    struct kg_keys *k = kg_mem_zalloc(sizeof *k);
    k->uid_key = o->uid_key ? o->uid_key : "uid";
    k->traj_key = o->traj_key ? o->traj_key : "traj";
    k->turn_key = o->turn_key ? o->turn_key : "turn";
    return k;
}

void kg_keys_free(struct kg_keys *k)
{
    kg_arena_release(&k->arena);
    free(k->names);
    free(k->seen);
    free(k->sources);
    free(k->counters);
    free(k->by_name.slot);
    free(k->by_row.slot);
    free(k->by_counter.slot);
    free(k->closed);
    free(k);
}

bool kg_keys_read(struct kg_keys *k, struct kg_record *r, struct kg_row_key *key)
{
    memset(key, 0, sizeof *key);
    struct name *uid = read_name(k, r, k->uid_key);
    if (!uid && !r->error.code)
        uid = read_name(k, r, "task_id");
    if (!uid && !r->error.code)
        kg_record_fault(r, "missing field '%s' (and no 'task_id')", k->uid_key);
    if (!uid)
        return false;
    key->uid = uid->text;
    key->uid_len = uid->len;
    struct name *traj = read_name(k, r, k->traj_key);
    if (traj) {
        key->traj = traj->text;
        key->traj_len = traj->len;
        key->traj_given = true;
    }
    const struct kg_value *turn = kg_record_get(r, k->turn_key);
    key->turn = 1;
    if (turn && turn->type != KG_VALUE_NULL && (!kg_value_int(turn, &key->turn) || key->turn < 1))
        kg_record_fault(r, "field '%s' must be an integer from 1, not %s", k->turn_key,
                        turn->type == KG_VALUE_NUMBER ? turn->text : kg_value_type_name(turn));
    return !r->error.code;
}

static int64_t next_of(struct kg_keys *k, const char *uid, int64_t turn)
{
    struct table *t = &k->by_counter;
    table_grow(k, t, counter_hash);
    size_t at = hash_three((uintptr_t)uid, 0, turn) & (t->cap - 1);
    for (; t->slot[at]; at = (at + 1) & (t->cap - 1)) {
        struct counter *c = &k->counters[t->slot[at] - 1];
        if (c->uid == uid && c->turn == turn)
            return c->next++;
    }
    k->counters = kg_mem_grow(k->counters, k->n_counters, &k->cap_counters, sizeof *k->counters);
    k->counters[k->n_counters++] = (struct counter){.uid = uid, .turn = turn, .next = 1};
    t->slot[at] = (uint32_t)k->n_counters;
    t->n++;
    return 0;
}

static void count_trajectory(struct name *uid, const char *traj)
{
    if (!uid->only_traj)
        uid->only_traj = traj;
    else if (uid->only_traj != traj)
        uid->many = true;
}

/* the trajectory of a record that names none */
static void number_trajectory(struct kg_keys *k, const struct kg_record *r, struct kg_row_key *key)
{
    kg_msg_warn_once("traj",
                     "%s:%zu: field '%s' is missing: the n-th record of a '%s' and "
                     "turn is taken for its n-th trajectory",
                     r->source, r->line_no, k->traj_key, k->uid_key);
    char text[KG_NUM_TEXT];
    int n = snprintf(text, sizeof text, "i%lld", (long long)next_of(k, key->uid, key->turn));
    struct name *traj = intern(k, text, (size_t)n);
    key->traj = traj->text;
    key->traj_len = traj->len;
}

static uint32_t source_index(struct kg_keys *k, const char *source)
{
    if (!k->n_sources || k->sources[k->n_sources - 1] != source) {
        k->sources = kg_mem_grow(k->sources, k->n_sources, &k->cap_sources, sizeof *k->sources);
        k->sources[k->n_sources++] = source;
    }
    return (uint32_t)k->n_sources - 1;
}

bool kg_keys_add(struct kg_keys *k, struct kg_record *r, struct kg_row_key *key)
{
    if (!key->traj_given)
        number_trajectory(k, r, key);
    uint32_t traj = (uint32_t)(intern(k, key->traj, key->traj_len) - k->names);
    uint32_t uid = (uint32_t)(intern(k, key->uid, key->uid_len) - k->names);
    struct table *t = &k->by_row;
    table_grow(k, t, seen_hash);
    size_t at = hash_three(uid, traj, key->turn) & (t->cap - 1);
    for (; t->slot[at]; at = (at + 1) & (t->cap - 1)) {
        const struct seen *s = &k->seen[t->slot[at] - 1];
        if (s->uid != uid || s->traj != traj || s->turn != key->turn)
            continue;
        kg_record_fault(r, "the same '%s', '%s' and '%s' as %s:%u", k->uid_key, k->traj_key,
                        k->turn_key, k->sources[s->source], s->line);
        return false;
    }
    k->seen = kg_mem_grow(k->seen, k->n_seen, &k->cap_seen, sizeof *k->seen);
    k->seen[k->n_seen++] = (struct seen){.uid = uid,
                                         .traj = traj,
                                         .source = source_index(k, r->source),
                                         .line = (uint32_t)r->line_no,
                                         .turn = key->turn};
    t->slot[at] = (uint32_t)k->n_seen;
    t->n++;
    count_trajectory(&k->names[uid], key->traj);
    return true;
}

/* ---- batches ------------------------------------------------------------------------------ */

static size_t closed_at(const struct kg_keys *k, uint64_t hash)
{
    size_t at = hash & (k->cap_closed - 1);
    while (k->closed[at] && k->closed[at] != hash)
        at = (at + 1) & (k->cap_closed - 1);
    return at;
}

static void close_hash(struct kg_keys *k, uint64_t hash)
{
    if (3 * (k->n_closed + 1) > 2 * k->cap_closed) {
        uint64_t *old = k->closed;
        size_t n = k->cap_closed;
        k->cap_closed = n ? 2 * n : 64;
        k->closed = kg_mem_array(k->cap_closed, sizeof *k->closed);
        for (size_t i = 0; i < n; i++)
            if (old[i])
                k->closed[closed_at(k, old[i])] = old[i];
        free(old);
    }
    size_t at = closed_at(k, hash);
    k->n_closed += !k->closed[at];
    k->closed[at] = hash;
}

bool kg_keys_is_open(struct kg_keys *k, struct kg_record *r, const struct kg_row_key *key)
{
    uint64_t hash = hash_bytes(key->uid, key->uid_len);
    if (!k->n_closed || !k->closed[closed_at(k, hash)])
        return true;
    kg_record_fault(r, "'%s' %s comes back after its group was answered", k->uid_key, key->uid + 1);
    return false;
}

static void count_groups(const struct kg_keys *k, size_t *groups, size_t *many)
{
    *groups = k->groups;
    *many = k->many;
    for (size_t i = 0; i < k->n_names; i++) {
        *groups += k->names[i].only_traj != NULL;
        *many += k->names[i].many;
    }
}

void kg_keys_reset(struct kg_keys *k, bool closed)
{
    count_groups(k, &k->groups, &k->many);
    for (size_t i = 0; closed && i < k->n_names; i++)
        if (k->names[i].only_traj)
            close_hash(k, k->names[i].hash);
    k->n_names = k->n_seen = k->n_counters = k->n_sources = 0;
    table_reset(&k->by_name);
    table_reset(&k->by_row);
    table_reset(&k->by_counter);
    kg_arena_reset(&k->arena);
}

bool kg_keys_all_single(const struct kg_keys *k, size_t *groups)
{
    size_t many;
    count_groups(k, groups, &many);
    return *groups > 1 && !many;
}
