/*
 * The 'kg' object of a record: version, task_sha, policy_sha, host. Every program puts its part in
 * and leaves the other members as they are.
 */
#ifndef KG_RL_KG_OBJECT_H
#define KG_RL_KG_OBJECT_H

#include "base/buf.h"
#include "record/record.h"
#include "score/policy.h"

/*
 * The new object as JSON, appended to out: members of old (NULL: none) with version and policy_sha
 * replaced; host is kept where it is, since it names the machine that judged.
 */
void kg_object_json(const struct kg_value *old, const struct kg_policy *p, struct kg_buf *out);

/* Sets it in the record. */
void kg_object_stamp(struct kg_record *r, const struct kg_policy *p);

#endif
