#include "score/policy.h"

#include "base/near.h"
#include "base/num.h"
#include "base/sha256.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const kg_policy_estimators[] = {"trloo", "grpo",       "rloo",      "reinforce",
                                            "erloo", "erloo-norm", "turn-grpo", NULL};
const char *const kg_policy_singletons[] = {"return", "zero", "others", NULL};
const char *const kg_policy_baselines[] = {"all", "kept", NULL};
const char *const kg_policy_unscorables[] = {"skip", "error", NULL};
const char *const kg_policy_rs_levels[] = {"none",     "token",     "turn", "turn-geo",
                                           "sequence", "geometric", NULL};
const char *const kg_policy_is_levels[] = {"none",     "token",     "turn", "turn-geo",
                                           "sequence", "geometric", NULL};
const char *const kg_policy_units[] = {"turn", "rollout", NULL};
const char *const kg_policy_prs_modes[] = {"none", "turn", "geometric", NULL};
const char *const kg_policy_coverage_keys[] = {"time", "count", "replaced", "min", NULL};
const char *const kg_policy_flat_ons[] = {"last", "all", NULL};
const char *const kg_policy_thins[] = {"uniform", "efficiency", NULL};
static const char *const functions[] = {"speedup", "weighted", "like-kernel", NULL};
static const char *const bounds[] = {"median", "lower", NULL};
const char *const kg_policy_missings[] = {"unscorable", "zero", NULL};
const char *const kg_policy_hacks[] = {"generic", "named", NULL};

enum setting_type { NUM, NUM_OR_NULL, INT, BOOL, WORD };

struct setting {
    const char *name; /* "section.key" */
    enum setting_type type;
    size_t offset;
    double preset, min, max; /* WORD: preset is an index */
    const char *const *words;
};

#define AT(field) offsetof(struct kg_policy, field)
#define BIG       1e300

/* Every setting, in the order of the manual. The presets are the policy 'drkernel'. */
static const struct setting settings[] = {
    {"reward.function", WORD, AT(reward.function), KG_REWARD_SPEEDUP, .words = functions},
    {"reward.correct", NUM, AT(reward.correct), 1, -BIG, BIG},
    {"reward.speedup", NUM, AT(reward.speedup), 1, -BIG, BIG},
    {"reward.coverage", NUM, AT(reward.coverage), 1, -BIG, BIG},
    {"reward.failure", NUM, AT(reward.failure), 0, -BIG, BIG},
    {"reward.speedup_upper", NUM, AT(reward.speedup_upper), 3, 0, BIG},
    {"reward.speedup_lower", NUM, AT(reward.speedup_lower), 0, 0, BIG},
    {"reward.speedup_offset", NUM, AT(reward.speedup_offset), 0, 0, BIG},
    {"reward.speedup_eps", NUM, AT(reward.speedup_eps), 0.01, -1, BIG},
    {"reward.speedup_bound", WORD, AT(reward.speedup_bound), KG_BOUND_MEDIAN, .words = bounds},
    {"reward.gate", BOOL, AT(reward.gate), 1},
    {"reward.missing", WORD, AT(reward.missing), KG_MISSING_UNSCORABLE,
     .words = kg_policy_missings},
    {"reward.allow_emulated", BOOL, AT(reward.allow_emulated), 0},
    {"reward.failed", NUM, AT(reward.failed), -1, -BIG, BIG},
    {"reward.compile_fail", NUM, AT(reward.compile_fail), -0.5, -BIG, BIG},
    {"reward.incorrect", NUM, AT(reward.incorrect), -0.3, -BIG, BIG},
    {"reward.degraded", NUM, AT(reward.degraded), -0.1, -BIG, BIG},

    {"coverage.key", WORD, AT(coverage.key), KG_COVERAGE_TIME, .words = kg_policy_coverage_keys},
    {"coverage.round", INT, AT(coverage.round), -1, -1, 15},

    {"advantage.estimator", WORD, AT(advantage.estimator), KG_EST_TRLOO,
     .words = kg_policy_estimators},
    {"advantage.gamma", NUM, AT(advantage.gamma), 1, 0, 1e6},
    {"advantage.std", BOOL, AT(advantage.std), 0},
    {"advantage.std_eps", NUM, AT(advantage.std_eps), 1e-6, 0, BIG},
    {"advantage.std_floor", NUM, AT(advantage.std_floor), 1e-6, 0, BIG},
    {"advantage.singleton", WORD, AT(advantage.singleton), KG_SINGLETON_RETURN,
     .words = kg_policy_singletons},
    {"advantage.baseline", WORD, AT(advantage.baseline), KG_BASELINE_ALL,
     .words = kg_policy_baselines},
    {"advantage.unscorable", WORD, AT(advantage.unscorable), KG_UNSCORABLE_SKIP,
     .words = kg_policy_unscorables},
    {"advantage.void_mask", BOOL, AT(advantage.void_mask), 0},
    {"advantage.batch_std", BOOL, AT(advantage.batch_std), 0},

    {"mismatch.is", WORD, AT(mismatch.is), KG_LEVEL_NONE, .words = kg_policy_is_levels},
    {"mismatch.is_upper", NUM, AT(mismatch.is_upper), 2, 0, BIG},
    {"mismatch.rs", WORD, AT(mismatch.rs), KG_LEVEL_GEOMETRIC, .words = kg_policy_rs_levels},
    {"mismatch.lower", NUM_OR_NULL, AT(mismatch.lower), 0.999, 0, BIG},
    {"mismatch.upper", NUM, AT(mismatch.upper), 1.001, 0, BIG},
    {"mismatch.veto", NUM, AT(mismatch.veto), 1e-4, 0, BIG},
    {"mismatch.veto_unit", WORD, AT(mismatch.veto_unit), KG_UNIT_TURN, .words = kg_policy_units},
    {"mismatch.count_empty", BOOL, AT(mismatch.count_empty), 0},

    {"prs.mode", WORD, AT(prs.mode), KG_PRS_TURN, .words = kg_policy_prs_modes},
    {"prs.key", WORD, AT(prs.key), KG_COVERAGE_TIME, .words = kg_policy_coverage_keys},
    {"prs.threshold", NUM, AT(prs.threshold), 0.3, -BIG, BIG},
    {"prs.ramp", NUM, AT(prs.ramp), 0.1, 0, BIG},
    {"prs.speedup", NUM_OR_NULL, AT(prs.speedup), NAN, -BIG, BIG},
    {"prs.round", INT, AT(prs.round), -1, -1, 15},
    {"prs.count_failed", BOOL, AT(prs.count_failed), 0},

    {"group.drop_flat", NUM, AT(group.drop_flat), 0, 0, BIG},
    {"group.flat_on", WORD, AT(group.flat_on), KG_FLAT_LAST, .words = kg_policy_flat_ons},
    {"group.min_group", INT, AT(group.min_group), 0, 0, 1e9},
    {"group.groups", INT, AT(group.groups), 0, 0, 1e9},
    {"group.per_group", INT, AT(group.per_group), 0, 0, 1e9},
    {"group.by", WORD, AT(group.by), KG_THIN_UNIFORM, .words = kg_policy_thins},

    {"gates.on", BOOL, AT(gates.on), 0},
    {"gates.drift", NUM, AT(gates.drift), 0.01, 0, BIG},
    {"gates.extreme", NUM, AT(gates.extreme), -15, -BIG, BIG},

    {"feedback.hack", WORD, AT(feedback.hack), KG_HACK_GENERIC, .words = kg_policy_hacks},
    {"feedback.kernels", INT, AT(feedback.kernels), 8, 0, 8},
    {"feedback.errors", INT, AT(feedback.errors), 5, 0, 50},
    {"feedback.max_chars", INT, AT(feedback.max_chars), 4000, 200, 4000},
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

static void store_num(struct kg_policy *p, const struct setting *s, double x)
{
    void *at = (char *)p + s->offset;
    switch (s->type) {
    case NUM:
    case NUM_OR_NULL:
        *(double *)at = x;
        break;
    case INT:
        *(int64_t *)at = (int64_t)x;
        break;
    case BOOL:
        *(bool *)at = x != 0;
        break;
    case WORD:
        *(int *)at = (int)x;
        break;
    }
}

void kg_policy_init(struct kg_policy *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "drkernel");
    for (size_t i = 0; i < N_SETTINGS; i++)
        store_num(p, &settings[i], settings[i].preset);
}

static const struct setting *find(const char *name)
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        if (!strcmp(settings[i].name, name))
            return &settings[i];
    return NULL;
}

/* The nearest full name; a bare key ("gamma") is compared with the last parts as well. */
static const char *nearest(const char *name)
{
    const char *names[N_SETTINGS], *best = NULL;
    size_t least = (size_t)-1;
    for (size_t i = 0; i < N_SETTINGS; i++) {
        const char *key = strchr(name, '.') ? settings[i].name : strchr(settings[i].name, '.') + 1;
        size_t d = kg_near_distance(name, key);
        names[i] = settings[i].name;
        if (d < least) {
            least = d;
            best = settings[i].name;
        }
    }
    return best ? best : kg_near_name(name, names, N_SETTINGS);
}

static int set_word(struct kg_policy *p, const struct setting *s, const char *text,
                    struct kg_error *err)
{
    char all[160] = "";
    for (int i = 0; s->words[i]; i++) {
        if (!strcmp(s->words[i], text)) {
            store_num(p, s, i);
            return 0;
        }
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", s->words[i]);
    }
    return kg_error_set(err, KG_E_INPUT, "%s: '%s' is none of: %s", s->name, text, all);
}

static int set_text(struct kg_policy *p, const struct setting *s, const char *text,
                    struct kg_error *err)
{
    struct kg_error why = KG_ERROR_INIT;
    int64_t v = 0;
    double x = 0;
    if (s->type == WORD)
        return set_word(p, s, text, err);
    if (s->type == BOOL) {
        if (strcmp(text, "true") && strcmp(text, "false"))
            return kg_error_set(err, KG_E_INPUT, "%s: '%s' is neither true nor false", s->name,
                                text);
        store_num(p, s, !strcmp(text, "true"));
        return 0;
    }
    if (s->type == NUM_OR_NULL && !strcmp(text, "null")) {
        store_num(p, s, NAN);
        return 0;
    }
    if (s->type == INT ? kg_num_int(text, (int64_t)s->min, (int64_t)s->max, &v, &why)
                       : kg_num_double(text, s->min, s->max, &x, &why))
        return kg_error_set(err, KG_E_INPUT, "%s: %s", s->name, why.text);
    store_num(p, s, s->type == INT ? (double)v : x);
    return 0;
}

int kg_policy_set(struct kg_policy *p, const char *name, const char *value, struct kg_error *err)
{
    const struct setting *s = find(name);
    if (!s)
        return kg_error_set(err, KG_E_INPUT, "no setting '%s'; did you mean '%s'?", name,
                            nearest(name));
    return set_text(p, s, value, err);
}

int kg_policy_define(struct kg_policy *p, const char *definition, struct kg_error *err)
{
    const char *eq = strchr(definition, '=');
    char name[64];
    if (!eq || eq == definition || (size_t)(eq - definition) >= sizeof name)
        return kg_error_set(err, KG_E_USAGE, "'%s' is not of the form name=value", definition);
    memcpy(name, definition, (size_t)(eq - definition));
    name[eq - definition] = '\0';
    return kg_policy_set(p, name, eq + 1, err);
}

/* A scalar of the tree, spelled as kg_policy_set() takes it; NULL for arrays and objects. */
static const char *spelling(const struct kg_value *v)
{
    switch (v->type) {
    case KG_VALUE_NULL:
        return "null";
    case KG_VALUE_BOOL:
        return v->boolean ? "true" : "false";
    case KG_VALUE_NUMBER:
    case KG_VALUE_STRING:
        return v->text;
    default:
        return NULL;
    }
}

static const char *const sections[] = {"reward", "coverage", "advantage", "mismatch",
                                       "prs",    "group",    "gates",     "feedback"};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static bool is_section(const char *key)
{
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (!strcmp(sections[i], key))
            return true;
    return false;
}

static int apply_section(struct kg_policy *p, const char *section, const struct kg_value *v,
                         const char *source, struct kg_error *err)
{
    if (v->type != KG_VALUE_OBJECT)
        return kg_error_at(err, KG_E_INPUT, source, v->line, v->col,
                           "'%s' is %s, not a section of settings", section, kg_value_type_name(v));
    for (size_t i = 0; i < v->len; i++) {
        const struct kg_value *item = v->items[i];
        struct kg_error why = KG_ERROR_INIT;
        char name[128];
        snprintf(name, sizeof name, "%s.%s", section, v->keys[i]);
        const char *text = spelling(item);
        const struct setting *s = find(name);
        if (!s)
            return kg_error_at(err, KG_E_INPUT, source, item->line, item->col,
                               "unknown key '%s' in '%s'; did you mean '%s'?", v->keys[i], section,
                               nearest(name));
        if (!text || (item->type == KG_VALUE_STRING && s->type != WORD))
            return kg_error_at(err, KG_E_INPUT, source, item->line, item->col,
                               "%s: %s does not fit here", name, kg_value_type_name(item));
        if (set_text(p, s, text, &why))
            return kg_error_at(err, KG_E_INPUT, source, item->line, item->col, "%s", why.text);
    }
    return 0;
}

int kg_policy_apply(struct kg_policy *p, const struct kg_value *tree, const char *source,
                    struct kg_error *err)
{
    if (!kg_value_is(tree, KG_VALUE_OBJECT))
        return kg_error_at(err, KG_E_INPUT, source, tree ? tree->line : 0, tree ? tree->col : 0,
                           "a policy is a mapping of sections, this is %s",
                           kg_value_type_name(tree));
    for (size_t i = 0; i < tree->len; i++) {
        const struct kg_value *item = tree->items[i];
        const char *key = tree->keys[i];
        if (is_section(key)) {
            if (apply_section(p, key, item, source, err))
                return -1;
        } else if (!strcmp(key, "name") || !strcmp(key, "about")) {
            if (item->type != KG_VALUE_STRING)
                return kg_error_at(err, KG_E_INPUT, source, item->line, item->col,
                                   "'%s' is %s, not a string", key, kg_value_type_name(item));
            if (!strcmp(key, "name"))
                snprintf(p->name, sizeof p->name, "%s", item->text);
        } else {
            return kg_error_at(err, KG_E_INPUT, source, item->line, item->col,
                               "unknown section '%s'; did you mean '%s'?", key,
                               kg_near_name(key, sections, N_SECTIONS));
        }
    }
    return 0;
}

/* Bounds that contradict each other would turn every speedup into 0 in silence. */
static int check_speedups(const struct kg_policy *p, struct kg_error *err)
{
    if (p->reward.function != KG_REWARD_SPEEDUP)
        return 0;
    if (p->reward.speedup_lower > p->reward.speedup_upper)
        return kg_error_set(err, KG_E_INPUT, "reward.speedup_lower is above reward.speedup_upper");
    if (p->reward.speedup_offset > p->reward.speedup_upper)
        return kg_error_set(err, KG_E_INPUT, "reward.speedup_offset is above reward.speedup_upper");
    return 0;
}

static int check(const struct kg_policy *p, struct kg_error *err)
{
    bool mismatch = p->mismatch.rs != KG_LEVEL_NONE;
    if (mismatch && p->mismatch.upper <= 0)
        return kg_error_set(err, KG_E_INPUT, "mismatch.upper: must be above 0");
    if (mismatch && p->mismatch.lower <= 0)
        return kg_error_set(err, KG_E_INPUT, "mismatch.lower: must be above 0 (null: 1/upper)");
    if (mismatch && p->mismatch.lower > p->mismatch.upper)
        return kg_error_set(err, KG_E_INPUT, "mismatch.lower is above mismatch.upper");
    if (mismatch && isnan(p->mismatch.lower) && p->mismatch.upper < 1)
        return kg_error_set(err, KG_E_INPUT,
                            "mismatch.upper is below 1, so mismatch.lower (null: 1/upper) is above "
                            "it");
    if (p->mismatch.is == KG_LEVEL_TURN_GEO || p->mismatch.is == KG_LEVEL_GEOMETRIC)
        return kg_error_set(err, KG_E_INPUT,
                            "mismatch.is: '%s' is for rejection only; weights know none, token, "
                            "turn, sequence",
                            kg_policy_is_levels[p->mismatch.is]);
    if (p->mismatch.is != KG_LEVEL_NONE && p->mismatch.is_upper <= 0)
        return kg_error_set(err, KG_E_INPUT, "mismatch.is_upper: must be above 0");
    return check_speedups(p, err);
}

void kg_policy_print(const struct kg_policy *p, struct kg_buf *out)
{
    for (size_t i = 0; i < N_SETTINGS; i++) {
        const struct setting *s = &settings[i];
        const void *at = (const char *)p + s->offset;
        kg_buf_addf(out, "%s: ", s->name);
        switch (s->type) {
        case NUM:
        case NUM_OR_NULL:
            kg_num_add(out, *(const double *)at);
            break;
        case INT:
            kg_buf_addf(out, "%" PRId64, *(const int64_t *)at);
            break;
        case BOOL:
            kg_buf_adds(out, *(const bool *)at ? "true" : "false");
            break;
        case WORD:
            kg_buf_adds(out, s->words[*(const int *)at]);
            break;
        }
        kg_buf_addc(out, '\n');
    }
}

int kg_policy_finish(struct kg_policy *p, struct kg_error *err)
{
    struct kg_buf text = KG_BUF_INIT;
    unsigned char digest[KG_SHA256_BYTES];
    struct kg_sha256 sha;
    if (check(p, err))
        return -1;
    kg_policy_print(p, &text);
    kg_sha256_init(&sha);
    kg_sha256_add(&sha, kg_buf_str(&text), text.len);
    kg_sha256_end(&sha, digest);
    kg_sha256_hex(digest, p->sha);
    kg_buf_release(&text);
    return 0;
}
