#include "rl/named_keys.h"

#include "base/msg.h"

struct kg_named_keys kg_named_keys(const struct kg_loop_opts *o)
{
    return (struct kg_named_keys){.key = {o->uid_key, o->traj_key, o->turn_key}};
}

void kg_named_keys_note(struct kg_named_keys *k, struct kg_record *r)
{
    k->n++;
    for (int i = 0; i < 3; i++)
        if (k->key[i] && !k->seen[i])
            k->seen[i] = kg_record_has(r, k->key[i]);
}

void kg_named_keys_tell(const struct kg_named_keys *k)
{
    static const char *const options[] = {"--uid-key", "--traj-key", "--turn-key"};
    static const char *const instead[] = {"'task_id' was the group",
                                          "trajectories were counted in the order of records",
                                          "every record was turn 1"};
    for (int i = 0; i < 3; i++)
        if (k->n && k->key[i] && !k->seen[i])
            kg_msg_warn("%s: no record has the field '%s'; %s", options[i], k->key[i], instead[i]);
}
