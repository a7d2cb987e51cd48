/* Policies: presets, what a file may say, the words of the errors, the hash. */
#include "base/arena.h"
#include "base/buf.h"
#include "score/policy.h"
#include "tap.h"

#include <stdlib.h>

static struct kg_arena arena;

/* {section: {key: value}} as YAML would give it, value at line 7, column 3 */
static const struct kg_value *tree(const char *section, const char *key, struct kg_value *value)
{
    struct kg_value *top = kg_value_new(&arena, KG_VALUE_OBJECT);
    struct kg_value *inner = kg_value_new(&arena, KG_VALUE_OBJECT);
    value->line = inner->line = 7;
    value->col = inner->col = 3;
    kg_value_put(&arena, inner, key, value);
    kg_value_put(&arena, top, section, inner);
    return top;
}

static void test_presets(void)
{
    struct kg_policy p;
    kg_policy_init(&p);
    EQ_INT(p.reward.function, KG_REWARD_SPEEDUP);
    NEAR(p.reward.correct + p.reward.speedup + p.reward.coverage, 3, 0);
    OK(p.reward.gate && !p.reward.allow_emulated);
    EQ_INT(p.mismatch.rs, KG_LEVEL_GEOMETRIC);
    NEAR(p.mismatch.veto, 1e-4, 0);
    OK(isnan(p.prs.speedup));
    EQ_INT(p.prs.round, -1);
    EQ_INT(p.feedback.max_chars, 4000);
}

static void test_apply(void)
{
    struct kg_policy p;
    struct kg_error err = KG_ERROR_INIT;
    kg_policy_init(&p);
    EQ_INT(
        kg_policy_apply(&p, tree("reward", "correct", kg_value_new_num(&arena, 0.25)), "x", &err),
        0);
    NEAR(p.reward.correct, 0.25, 0);
    EQ_INT(kg_policy_apply(&p, tree("advantage", "estimator", kg_value_new_str(&arena, "grpo", 4)),
                           "x", &err),
           0);
    EQ_INT(p.advantage.estimator, KG_EST_GRPO);
    EQ_INT(kg_policy_apply(&p, tree("mismatch", "lower", kg_value_new(&arena, KG_VALUE_NULL)), "x",
                           &err),
           0);
    OK(isnan(p.mismatch.lower));
    EQ_INT(kg_policy_apply(&p, tree("reward", "gate", kg_value_new_bool(&arena, false)), "x", &err),
           0);
    OK(!p.reward.gate);
}

static void refuses(const char *section, const char *key, struct kg_value *v, const char *says)
{
    struct kg_policy p;
    struct kg_error err = KG_ERROR_INIT;
    kg_policy_init(&p);
    EQ_INT(kg_policy_apply(&p, tree(section, key, v), "a.yaml", &err), -1);
    OK(strstr(err.text, says) != NULL);
    if (!strstr(err.text, says))
        printf("# got '%s', want '%s'\n", err.text, says);
    EQ_STR(err.source, "a.yaml");
    EQ_INT(err.line, 7);
    EQ_INT(err.col, 3);
}

static void test_refused(void)
{
    refuses("reward", "corect", kg_value_new_num(&arena, 1),
            "unknown key 'corect' in 'reward'; did you mean 'reward.correct'?");
    refuses("rewrad", "correct", kg_value_new_num(&arena, 1),
            "unknown section 'rewrad'; did you mean 'reward'?");
    refuses("reward", "gate", kg_value_new_num(&arena, 1), "'1' is neither true nor false");
    refuses("reward", "correct", kg_value_new_str(&arena, "1", 1), "a string does not fit here");
    refuses("reward", "function", kg_value_new_str(&arena, "fast", 4),
            "'fast' is none of: speedup, weighted, like-kernel");
    refuses("reward", "correct", kg_value_new(&arena, KG_VALUE_NULL), "reward.correct");
    refuses("prs", "ramp", kg_value_new_num(&arena, -1), "prs.ramp");
    refuses("group", "min_group", kg_value_new_num(&arena, 1.5), "group.min_group");
}

static int define(const char *text, struct kg_error *err)
{
    struct kg_policy p;
    kg_policy_init(&p);
    kg_error_clear(err);
    return kg_policy_define(&p, text, err);
}

static void test_defines(void)
{
    struct kg_error err = KG_ERROR_INIT;
    EQ_INT(define("advantage.gamma=0.5", &err), 0);
    EQ_INT(define("prs.speedup=null", &err), 0);
    EQ_INT(define("gamma=0.5", &err), -1);
    HAS(err.text, "did you mean 'advantage.gamma'?");
    EQ_INT(define("advantage.gamma", &err), -1);
    HAS(err.text, "not of the form name=value");
    EQ_INT(define("=1", &err), -1);
    EQ_INT(define("advantage.gamma=nan", &err), -1);
    EQ_INT(define("advantage.gamma=", &err), -1);
    EQ_INT(define("advantage.gamma=1x", &err), -1);
    EQ_INT(define("advantage.gamma=-1", &err), -1);
}

static const char *sha(const char *definition)
{
    static char hex[2][65];
    static int at;
    struct kg_policy p;
    struct kg_error err = KG_ERROR_INIT;
    kg_policy_init(&p);
    if (definition)
        kg_policy_define(&p, definition, &err);
    EQ_INT(kg_policy_finish(&p, &err), 0);
    memcpy(hex[at ^= 1], p.sha, sizeof p.sha);
    return hex[at];
}

static void test_sha(void)
{
    EQ_INT(strlen(sha(NULL)), 64);
    EQ_STR(sha(NULL), sha("reward.correct=1.0"));
    OK(strcmp(sha(NULL), sha("reward.correct=1.0000000000000002")) != 0);
    OK(strcmp(sha(NULL), sha("mismatch.lower=null")) != 0);
}

static int finish(const char *a, const char *b, struct kg_error *err)
{
    struct kg_policy p;
    kg_policy_init(&p);
    kg_error_clear(err);
    EQ_INT(kg_policy_define(&p, a, err), 0);
    if (b)
        EQ_INT(kg_policy_define(&p, b, err), 0);
    return kg_policy_finish(&p, err);
}

static void test_cross_checks(void)
{
    struct kg_error err = KG_ERROR_INIT;
    EQ_INT(finish("mismatch.lower=2", NULL, &err), -1);
    HAS(err.text, "mismatch.lower is above mismatch.upper");
    EQ_INT(finish("mismatch.upper=0", "mismatch.lower=null", &err), -1);
    EQ_INT(finish("mismatch.is=geometric", NULL, &err), -1);
    HAS(err.text, "for rejection only");
    EQ_INT(finish("mismatch.rs=none", "mismatch.lower=2", &err), 0);
}

/* what print writes, define reads: every setting survives the way */
static void test_print_and_back(void)
{
    struct kg_policy p, q;
    struct kg_error err = KG_ERROR_INIT;
    struct kg_buf text = KG_BUF_INIT;
    kg_policy_init(&p);
    p.reward.correct = 0.1 + 0.2;
    p.advantage.estimator = KG_EST_TURN_GRPO;
    p.mismatch.lower = NAN;
    p.group.groups = 12;
    p.gates.on = true;
    kg_policy_print(&p, &text);
    kg_policy_init(&q);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
        char *colon = strstr(line, ": ");
        *colon = '\0';
        EQ_INT(kg_policy_set(&q, line, colon + 2, &err), 0);
    }
    kg_buf_release(&text);
    kg_policy_finish(&p, &err);
    kg_policy_finish(&q, &err);
    EQ_STR(q.sha, p.sha);
    NEAR(q.reward.correct, 0.1 + 0.2, 0);
    OK(q.gates.on);
}

int main(void)
{
    test_presets();
    test_apply();
    test_refused();
    test_defines();
    test_sha();
    test_cross_checks();
    test_print_and_back();
    kg_arena_release(&arena);
    return tap_done();
}
