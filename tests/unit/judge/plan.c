/* Plans of calls: all truths, all patterns, patches right behind what they patch; and the secrets.
 */
#include "judge/plan.h"

#include "tap.h"

static struct kg_task task;
static struct kg_arg args[3];
static struct kg_init normal = {.kind = KG_INIT_RANDN}, ones = {.kind = KG_INIT_ONES};
static struct kg_instance in;

static void setup(void)
{
    task.args = args;
    task.n_args = 3;
    args[0] = (struct kg_arg){.name = "x", .role = KG_ROLE_IN};
    args[1] = (struct kg_arg){.name = "w", .role = KG_ROLE_IN};
    args[2] = (struct kg_arg){.name = "y", .role = KG_ROLE_OUT};
    in.task = &task;
    for (int i = 0; i < 3; i++) {
        in.args[i].count = 12;
        in.args[i].row = 4;
    }
    in.args[0].init = &normal;
    in.args[1].init = &ones;
}

static int same_base(const struct kg_plan_call *a, const struct kg_plan_call *b)
{
    return a->content.seed == b->content.seed && a->content.call == b->content.call;
}

/* One plan: returns which patterns it has, as bits; -1 when it breaks a rule. */
static int check(const struct kg_plan *p, size_t n_truth, size_t least)
{
    int truths = 0, patterns = 0;
    if (p->n < least)
        return -1;
    for (size_t i = 0; i < p->n; i++) {
        const struct kg_plan_call *c = &p->call[i], *prev = i ? &p->call[i - 1] : NULL;
        patterns |= 1 << c->pattern;
        if (c->truth >= 0)
            truths |= 1 << c->truth;
        if ((c->pattern == KG_PATTERN_FIRST) != (i == 0))
            return -1;
        if (c->pattern == KG_PATTERN_NEW && c->set == prev->set)
            return -1;
        if (c->pattern == KG_PATTERN_SAME && (c->set != prev->set || same_base(c, prev)))
            return -1;
        if (c->pattern == KG_PATTERN_PATCHED &&
            (c->set != prev->set || !same_base(c, prev) || c->patch_arg != 0))
            return -1;
        if (c->content.patch != (c->pattern == KG_PATTERN_PATCHED))
            return -1;
    }
    return truths == (1 << n_truth) - 1 ? patterns : -1;
}

static void cases(size_t n_truth, size_t least)
{
    struct kg_secret s;
    struct kg_plan_call truth[KG_PLAN_TRUTH];
    struct kg_plan p;
    int all = 0, bad = 0, sets = 0, different = 0;
    size_t first_n = 0;
    kg_secret_init(&s, NULL, "plan");
    for (int i = 0; i < 500; i++) {
        kg_plan_truth(&in, kg_secret_u64(&s), n_truth, truth);
        kg_plan_case(&in, truth, n_truth, least, &s, &p);
        int got = check(&p, n_truth, least);
        bad += got < 0;
        all += got == 15;
        sets |= 1 << p.call[0].set;
        first_n = first_n ? first_n : p.n;
        different += p.n != first_n;
    }
    EQ_INT(bad, 0);
    EQ_INT(all, 500); /* first, same, new and patched in every plan */
    EQ_INT(sets, 3);
    OK(different > 0); /* the number of calls is not known beforehand */
}

static void truth_calls(void)
{
    struct kg_plan_call a[KG_PLAN_TRUTH], b[KG_PLAN_TRUTH];
    kg_plan_truth(&in, 1234, 3, a);
    kg_plan_truth(&in, 1234, 3, b);
    OK(!memcmp(a, b, sizeof a)); /* the seed alone gives them again */
    OK(!same_base(&a[0], &a[1]));
    OK(same_base(&a[1], &a[2]) && a[2].content.patch && a[2].patch_arg == 0);
    OK(kg_plan_content(&a[2], 0).patch && !kg_plan_content(&a[2], 1).patch);
    in.args[0].init = &ones; /* nothing to patch: content 1 again */
    kg_plan_truth(&in, 1234, 3, a);
    OK(same_base(&a[1], &a[2]) && !a[2].content.patch);
    EQ_INT(kg_plan_patchable(&in, 5), -1);
    struct kg_secret s;
    struct kg_plan p;
    kg_secret_init(&s, NULL, "plan");
    kg_plan_case(&in, a, 3, 3, &s, &p);
    OK(p.n >= 4);
    in.args[0].init = &normal;
}

static void timed(void)
{
    struct kg_secret s;
    struct kg_plan_call prev, c;
    int n[4] = {0}, bad = 0;
    kg_secret_init(&s, NULL, "timed");
    kg_plan_fresh(&in, NULL, &s, &prev);
    EQ_INT(prev.pattern, KG_PATTERN_FIRST);
    for (int i = 0; i < 600; i++, prev = c) {
        kg_plan_fresh(&in, &prev, &s, &c);
        n[c.pattern]++;
        bad += c.truth != -1;
        bad += c.pattern == KG_PATTERN_PATCHED
                   ? !same_base(&c, &prev) || c.set != prev.set
                   : same_base(&c, &prev) || (c.set != prev.set) != (c.pattern == KG_PATTERN_NEW);
    }
    EQ_INT(bad, 0);
    OK(n[KG_PATTERN_SAME] > 100 && n[KG_PATTERN_NEW] > 100 && n[KG_PATTERN_PATCHED] > 100);
}

static void secrets(void)
{
    struct kg_secret a, b, c;
    kg_secret_init(&a, "seed", "x");
    kg_secret_init(&b, "seed", "x");
    kg_secret_init(&c, "seed", "y");
    uint64_t x = kg_secret_u64(&a);
    OK(x == kg_secret_u64(&b));
    OK(x != kg_secret_u64(&c));
    OK(x != kg_secret_u64(&a));
    kg_secret_init(&a, NULL, "x");
    kg_secret_init(&b, NULL, "x");
    OK(kg_secret_u64(&a) != kg_secret_u64(&b));
    int hits[3] = {0};
    for (int i = 0; i < 3000; i++)
        hits[kg_secret_below(&a, 3)]++;
    OK(hits[0] > 850 && hits[1] > 850 && hits[2] > 850);
    size_t order[5] = {0, 1, 2, 3, 4}, sum = 0;
    kg_secret_shuffle(&a, order, 5);
    for (int i = 0; i < 5; i++)
        sum |= (size_t)1 << order[i];
    EQ_INT(sum, 31);
}

int main(void)
{
    setup();
    truth_calls();
    cases(KG_PLAN_TRUTH, 3);
    cases(KG_PLAN_TRUTH_TIMED, 3);
    cases(KG_PLAN_TRUTH, 60);
    timed();
    secrets();
    return tap_done();
}
