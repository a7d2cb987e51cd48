/*
 * Policies by name or file, and the options that all scoring programs share.
 */
#ifndef KG_RL_POLICY_LOAD_H
#define KG_RL_POLICY_LOAD_H

#include "base/error.h"
#include "base/opt.h"
#include "score/policy.h"

struct kg_policy_opts {
    const char *policy;         /* -p: a name of share/kg/policies, or a file; NULL: drkernel */
    struct kg_opt_list defines; /* -D name=value, in order */
};

#define KG_POLICY_OPTIONS(o)                                                                       \
    {                                                                                              \
        'p',                                                                                       \
        "policy",                                                                                  \
        KG_OPT_STR,                                                                                \
        "NAME|FILE",                                                                               \
        "policy: drkernel by default, see kg-policy(5)",                                           \
        &(o).policy},                                                                              \
    {                                                                                              \
        'D', "define", KG_OPT_LIST, "NAME=VALUE", "a setting of the policy, such as prs.ramp=0.2", \
            &(o).defines                                                                           \
    }

/*
 * The policy with its defines applied. An argument that holds a slash or ends in .yaml is a file,
 * any other a name. Not yet finished: the caller may set more, then calls kg_policy_finish().
 */
int kg_policy_load(struct kg_policy *p, const struct kg_policy_opts *o, struct kg_error *err);

#endif
