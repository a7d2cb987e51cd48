#include "rl/result.h"

#include <math.h>
#include <string.h>

/* A number, NaN for null or nothing; anything else is a fault of the record. */
static double number(struct kg_record *r, const struct kg_value *v, const char *name)
{
    if (!v || v->type == KG_VALUE_NULL)
        return NAN;
    if (v->type != KG_VALUE_NUMBER) {
        kg_record_fault(r, "'%s' is %s, not a number", name, kg_value_type_name(v));
        return NAN;
    }
    return v->number;
}

static bool boolean(struct kg_record *r, const char *name)
{
    const struct kg_value *v = kg_record_get(r, name);
    if (!v || v->type == KG_VALUE_NULL)
        return false;
    if (v->type != KG_VALUE_BOOL)
        kg_record_fault(r, "'%s' is %s, not true or false", name, kg_value_type_name(v));
    return kg_value_bool(v, false);
}

static double inside(const struct kg_value *object, const char *key)
{
    return kg_value_num(kg_value_get(object, key), NAN);
}

/* One of KernelGYM's numbers: each spelling in metadata, then in the record. The first that is
 * there counts, null included. */
static double profiled(struct kg_record *r, const struct kg_value *metadata, const char *name,
                       const char *other)
{
    const char *spellings[] = {name, other};
    for (int i = 0; i < 2 && spellings[i]; i++) {
        const struct kg_value *v = kg_value_get(metadata, spellings[i]);
        if (!v)
            v = kg_record_get(r, spellings[i]);
        if (v)
            return number(r, v, spellings[i]);
    }
    return NAN;
}

static double quotient(double part, double whole)
{
    return isnan(part) || isnan(whole) ? NAN : kg_coverage_ratio(part, whole);
}

/* Numbers that cannot be are none: believed, 1e400 times as fast or 5 times covered would be paid.
 * A speedup is finite and above 0, a coverage lies in [0, 1]. */
static double speedup_or_none(double s)
{
    return isfinite(s) && s > 0 ? s : NAN;
}

static double coverage_or_none(double c)
{
    return c >= 0 && c <= 1 ? c : NAN;
}

void kg_result_check_ranges(struct kg_result *out)
{
    struct kg_coverage *c = &out->in.coverage;
    out->in.speedup = speedup_or_none(out->in.speedup);
    out->in.speedup_lo = speedup_or_none(out->in.speedup_lo);
    out->speedup_hi = speedup_or_none(out->speedup_hi);
    c->time = coverage_or_none(c->time);
    c->count = coverage_or_none(c->count);
    c->replaced = coverage_or_none(c->replaced);
}

static void read_coverage(struct kg_record *r, struct kg_result *out)
{
    struct kg_coverage *c = &out->in.coverage;
    const struct kg_value *own = kg_value_get(out->profile, "coverage");
    if (kg_value_is(own, KG_VALUE_OBJECT)) {
        c->time = inside(own, "time");
        c->count = inside(own, "count");
        c->replaced = inside(own, "replaced");
        return;
    }
    const struct kg_value *m = kg_record_get(r, "metadata");
    c->time = quotient(profiled(r, m, "custom_kernel_cuda_time_in_profiling_us", NULL),
                       profiled(r, m, "total_kernel_run_time_in_profiling_us", NULL));
    c->count = quotient(profiled(r, m, "num_custom_kernels", "num_custom_kernel"),
                        profiled(r, m, "num_total_kernels", "num_total_kernel"));
    c->replaced = NAN;
}

static void by_verdict(struct kg_result *out)
{
    struct kg_verdict_fields f = kg_verdict_fields(out->verdict);
    out->decoy = f.decoy == 1;
    out->correct = f.correctness == 1;
    out->in.compiled = f.compiled == 1;
    switch (kg_verdict_class(out->verdict)) {
    case KG_CLASS_PASS:
        out->in.outcome = KG_OUTCOME_CORRECT;
        break;
    case KG_CLASS_WRONG:
    case KG_CLASS_CRASH:
        out->in.outcome = out->verdict == KG_NO_CODE ? KG_OUTCOME_FAILED : KG_OUTCOME_WRONG;
        break;
    case KG_CLASS_HACK:
    case KG_CLASS_SUSPECT:
        out->in.outcome = KG_OUTCOME_FAILED;
        break;
    default:
        out->in.outcome = KG_OUTCOME_EXCLUDED;
        break;
    }
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(word, *words))
            return true;
    return false;
}

static int by_kernelgym(struct kg_record *r, const char *status, struct kg_result *out)
{
    static const char *const bad[] = {"failed", "timeout", "error", "cancelled", NULL};
    static const char *const open[] = {"pending", "processing", NULL};
    const char *code = kg_record_str(r, "error_code", NULL);
    if (is_one_of(status, open)) {
        out->in.outcome = KG_OUTCOME_NOT_JUDGED;
        return 0;
    }
    if (is_one_of(status, bad)) {
        bool ours = code && !strcmp(code, "SYSTEM_ERROR");
        out->in.outcome = ours ? KG_OUTCOME_EXCLUDED : KG_OUTCOME_FAILED;
        return 0;
    }
    if (strcmp(status, "completed")) {
        kg_record_fault(r, "'status' is '%.40s', neither a verdict nor a word of KernelGYM's",
                        status);
        return -1;
    }
    out->decoy = boolean(r, "decoy_kernel");
    out->in.compiled = boolean(r, "compiled");
    bool correct = boolean(r, "correctness");
    out->correct = correct && !out->decoy;
    if (out->decoy)
        out->in.outcome = KG_OUTCOME_FAILED;
    else
        out->in.outcome = correct ? KG_OUTCOME_CORRECT : KG_OUTCOME_INCORRECT;
    return 0;
}

static int read_status(struct kg_record *r, struct kg_result *out)
{
    const struct kg_value *v = kg_record_get(r, "status");
    bool ours = kg_record_has(r, "compile") || kg_record_has(r, "verify") || out->profile;
    if (!v || v->type == KG_VALUE_NULL) {
        out->in.outcome = KG_OUTCOME_NOT_JUDGED;
        out->no_status = !ours;
        return 0;
    }
    if (v->type != KG_VALUE_STRING) {
        kg_record_fault(r, "'status' is %s, not a string", kg_value_type_name(v));
        return -1;
    }
    if (kg_verdict_parse(v->text, &out->verdict)) {
        out->has_verdict = true;
        by_verdict(out);
        return 0;
    }
    if (by_kernelgym(r, v->text, out))
        return -1;
    // an answer of KernelGYM's that was in the record before kg began with it is not kg's answer
    if (ours)
        out->in.outcome = KG_OUTCOME_NOT_JUDGED;
    return 0;
}

int kg_result_read(struct kg_record *r, struct kg_result *out)
{
    *out = (struct kg_result){.in = {.speedup = NAN, .speedup_lo = NAN}, .speedup_hi = NAN};
    out->in.coverage = KG_COVERAGE_UNKNOWN;
    out->profile = kg_record_get(r, "profile");
    if (read_status(r, out))
        return -1;
    out->in.speedup = number(r, kg_record_get(r, "speedup"), "speedup");
    if (out->profile) {
        if (isnan(out->in.speedup))
            out->in.speedup = inside(out->profile, "speedup");
        out->in.speedup_lo = inside(out->profile, "speedup_lo");
        out->speedup_hi = inside(out->profile, "speedup_hi");
        out->in.emulated = kg_value_bool(kg_value_get(out->profile, "emulated"), false);
    }
    read_coverage(r, out);
    // KernelGYM's are taken as they are, as its own trainer does
    if (out->has_verdict)
        kg_result_check_ranges(out);
    return r->error.code ? -1 : 0;
}

enum kg_verdict kg_result_verdict(struct kg_record *r, const struct kg_result *res)
{
    const char *code = kg_record_str(r, "error_code", NULL);
    const char *status = kg_record_str(r, "status", NULL);
    if (res->has_verdict)
        return res->verdict;
    switch (res->in.outcome) {
    case KG_OUTCOME_CORRECT:
        return KG_PASSED;
    case KG_OUTCOME_INCORRECT:
        return res->in.compiled ? KG_INCORRECT_NUMERICAL : KG_COMPILE_ERROR;
    case KG_OUTCOME_EXCLUDED:
    case KG_OUTCOME_NOT_JUDGED:
        return KG_JUDGE_FAULT;
    default:
        break;
    }
    if (res->decoy)
        return KG_NO_CUSTOM_KERNEL;
    if (code && !strcmp(code, "COMPILATION_ERROR"))
        return KG_COMPILE_ERROR;
    if (code && !strcmp(code, "VALIDATION_ERROR"))
        return KG_NO_CODE;
    if ((code && !strcmp(code, "TIMEOUT_ERROR")) || (status && !strcmp(status, "timeout")))
        return KG_TIMEOUT;
    return KG_RUNTIME_ERROR;
}
