#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/mem.h"
#include "judge/inside.h"

static void device_text(const struct kg_session *s, struct kg_jsonout *j)
{
    kg_jsonout_kv_str(j, "device", s->thread->device);
}

static void compat_text(const struct kg_session *s, struct kg_jsonout *j)
{
    if (s->judge->opts.compat)
        kg_jsonout_kv_str(j, "compat", kg_judge_compat_words[s->judge->opts.compat]);
}

static void write_worst(const struct kg_session *s, struct kg_jsonout *j)
{
    kg_jsonout_key(j, "worst");
    if (!s->worst.known) {
        kg_jsonout_null(j);
        return;
    }
    kg_jsonout_object(j);
    kg_jsonout_kv_str(j, "output", s->task->args[s->worst.arg].name);
    kg_jsonout_kv_int(j, "index", (int64_t)s->worst.index);
    kg_jsonout_kv_num(j, "got", s->worst.got);
    kg_jsonout_kv_num(j, "want", s->worst.want);
    kg_jsonout_end(j);
}

/* |got - want| <= rtol |want| + atol, where atol = atol_factor * scale + step, or as given. */
static void write_tolerance(const struct kg_session *s, struct kg_jsonout *j)
{
    const struct kg_tolerance *t = &s->tol;
    kg_jsonout_key(j, "tolerance");
    if (!s->label[0] || s->task->checked) { /* what check allows is its own affair */
        kg_jsonout_null(j);
        return;
    }
    kg_jsonout_object(j);
    kg_jsonout_kv_str(j, "output", s->task->args[s->tol_arg].name);
    kg_jsonout_kv_bool(j, "exact", t->exact);
    kg_jsonout_kv_num(j, "rtol", t->rtol);
    if (t->fixed) {
        kg_jsonout_kv_num(j, "atol", t->atol_factor);
    } else {
        kg_jsonout_kv_num(j, "atol_factor", t->atol_factor);
        kg_jsonout_kv_num(j, "step", t->step);
    }
    kg_jsonout_end(j);
}

static void write_findings(const struct kg_session *s, struct kg_jsonout *j)
{
    kg_jsonout_key(j, "findings");
    kg_jsonout_array(j);
    for (size_t i = 0; i < s->findings.n; i++) {
        kg_jsonout_object(j);
        kg_jsonout_kv_str(j, "status", kg_verdict_name(s->findings.item[i].verdict));
        kg_jsonout_kv_str(j, "message", s->findings.item[i].text);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
    kg_jsonout_key(j, "notes");
    kg_jsonout_array(j);
    for (const char *line = kg_buf_str(&s->notes), *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            break;
        kg_jsonout_strn(j, line, (size_t)(end - line));
    }
    kg_jsonout_end(j);
}

/* null: nobody would have told. */
static void write_refused(const struct kg_session *s, struct kg_jsonout *j)
{
    kg_jsonout_key(j, "refused");
    if (!s->tells_refused) {
        kg_jsonout_null(j);
        return;
    }
    kg_jsonout_array(j);
    for (unsigned i = 0; i < s->n_refused; i++) {
        struct kg_buf name = KG_BUF_INIT;
        kg_proc_call_text(s->refused[i], &name);
        kg_jsonout_str(j, kg_buf_str(&name));
        kg_buf_release(&name);
    }
    kg_jsonout_end(j);
}

static void write_checks(const struct kg_session *s, struct kg_jsonout *j)
{
    static const char *const names[] = {"first", "same_address", "new_address", "one_row_changed"};
    kg_jsonout_key(j, "checks");
    kg_jsonout_object(j);
    kg_jsonout_key(j, "patterns");
    kg_jsonout_object(j);
    for (int i = 0; i < 4; i++)
        kg_jsonout_kv_int(j, names[i], (int64_t)s->patterns[i]);
    kg_jsonout_end(j);
    write_findings(s, j);
    kg_jsonout_kv_int(j, "rubbish", (int64_t)(s->rubbish + s->worker.wire.rubbish));
    write_refused(s, j);
    kg_jsonout_end(j);
}

static void write_sandbox(const struct kg_session *s, struct kg_jsonout *j)
{
    struct kg_buf layers = KG_BUF_INIT;
    if (s->judge->opts.sandbox == KG_SANDBOX_OFF)
        kg_buf_adds(&layers, "off");
    else
        kg_proc_layers_text(s->layers, &layers);
    kg_jsonout_kv_str(j, "sandbox", kg_buf_str(&layers));
    kg_buf_release(&layers);
}

static double known(const struct kg_session *s, double x)
{
    return s->num_elements ? x : NAN;
}

void kg_write_verify(struct kg_record *r, const struct kg_session *s, double ms)
{
    struct kg_buf out = KG_BUF_INIT;
    struct kg_jsonout j;
    kg_jsonout_init(&j, &out);
    kg_jsonout_object(&j);
    kg_jsonout_kv_bool(&j, "ok", s->verdict == KG_PASSED);
    compat_text(s, &j);
    kg_jsonout_kv_int(&j, "calls", (int64_t)s->calls);
    kg_jsonout_kv_int(&j, "passed", (int64_t)s->passed);
    kg_jsonout_kv_num(&j, "max_abs_err", known(s, s->max_abs));
    kg_jsonout_kv_num(&j, "max_rel_err", known(s, s->max_rel));
    kg_jsonout_kv_num(&j, "rel_l2_err", known(s, s->rel_l2));
    kg_jsonout_kv_int(&j, "num_elements", (int64_t)s->num_elements);
    kg_jsonout_kv_int(&j, "num_bad", (int64_t)s->num_bad);
    write_worst(s, &j);
    kg_jsonout_kv_str(&j, "case", s->label[0] ? s->label : NULL);
    write_tolerance(s, &j);
    kg_jsonout_kv_str(&j, "precision", kg_precision_name(s->task->precision));
    write_checks(s, &j);
    device_text(s, &j);
    write_sandbox(s, &j);
    kg_jsonout_kv_num(&j, "mem_free_mb", s->mem_free_mb > 0 ? s->mem_free_mb : NAN);
    kg_jsonout_kv_num(&j, "verify_ms", ms);
    kg_jsonout_end(&j);
    kg_record_set_json(r, "verify", out.data, out.len);
    kg_buf_release(&out);
}

/* ---- profile
 * ------------------------------------------------------------------------------------- */

enum column { KERNEL, BUSY, REFERENCE, WINDOW };

static double value(const struct kg_pair *p, enum column c)
{
    switch (c) {
    case KERNEL:
        return p->kernel_us;
    case BUSY:
        return p->busy_us;
    case REFERENCE:
        return p->reference_us;
    default:
        return p->window_us;
    }
}

static struct kg_stats column(const struct kg_session *s, enum column c)
{
    double *x = kg_mem_array(s->n_pair ? s->n_pair : 1, sizeof *x);
    for (size_t i = 0; i < s->n_pair; i++)
        x[i] = value(&s->pair[i], c);
    struct kg_stats st = kg_stats_of(x, s->n_pair);
    free(x);
    return st;
}

static struct kg_stats write_times(const struct kg_session *s, struct kg_jsonout *j,
                                   const char *key, enum column c)
{
    struct kg_stats st = column(s, c);
    kg_jsonout_key(j, key);
    kg_jsonout_object(j);
    kg_jsonout_kv_num(j, "median", st.median);
    kg_jsonout_kv_num(j, "mean", st.mean);
    kg_jsonout_kv_num(j, "min", st.min);
    kg_jsonout_kv_num(j, "p10", st.p10);
    kg_jsonout_kv_num(j, "p90", st.p90);
    kg_jsonout_kv_int(j, "n", (int64_t)st.n);
    if (s->judge->opts.raw) {
        kg_jsonout_key(j, "raw");
        kg_jsonout_array(j);
        for (size_t i = 0; i < s->n_pair; i++)
            kg_jsonout_num(j, value(&s->pair[i], c));
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
    return st;
}

static void three(struct kg_jsonout *j, const char *key, const uint32_t v[3])
{
    kg_jsonout_key(j, key);
    kg_jsonout_array(j);
    for (int i = 0; i < 3; i++)
        kg_jsonout_int(j, v[i]);
    kg_jsonout_end(j);
}

static void write_kernels(const struct kg_session *s, struct kg_jsonout *j)
{
    double calls = (double)s->n_pair;
    kg_jsonout_key(j, "kernels");
    kg_jsonout_array(j);
    for (size_t i = 0; i < s->n_kernel; i++) {
        const struct kg_kernel_sum *k = &s->kernel[i];
        kg_jsonout_object(j);
        kg_jsonout_kv_str(j, "name", k->first.name);
        kg_jsonout_kv_str(j, "class",
                          kg_kernel_class_name(k->first.class_hint % KG_KERNEL_CLASSES));
        kg_jsonout_kv_num(j, "device_us", k->device_us / calls);
        kg_jsonout_kv_num(j, "share", s->kernels_us > 0 ? k->device_us / s->kernels_us : NAN);
        kg_jsonout_kv_num(j, "launches", (double)k->launches / calls);
        three(j, "grid", k->first.grid);
        three(j, "block", k->first.block);
        if (s->judge->host)
            kg_jsonout_kv_null(j, "registers");
        else
            kg_jsonout_kv_int(j, "registers", k->first.registers);
        kg_jsonout_kv_int(j, "shared", (int64_t)k->first.shared_bytes);
        kg_jsonout_end(j);
    }
    kg_jsonout_end(j);
}

/* replaced: what of the reference's time is no longer spent in libraries. */
static void write_coverage(const struct kg_session *s, double reference_us, struct kg_jsonout *j)
{
    double own = s->class_us[KG_KERNEL_CUSTOM], n = (double)s->launches;
    double library = s->class_us[KG_KERNEL_LIBRARY] + s->class_us[KG_KERNEL_LIBRARY_JIT];
    double replaced = 1 - library / (double)s->n_pair / reference_us;
    bool measured = s->launches > 0;
    kg_jsonout_key(j, "coverage");
    kg_jsonout_object(j);
    kg_jsonout_kv_num(j, "time", measured ? own / s->kernels_us : NAN);
    kg_jsonout_kv_num(j, "count", measured ? (double)s->class_launches[KG_KERNEL_CUSTOM] / n : NAN);
    kg_jsonout_kv_num(j, "replaced", measured ? fmin(1, fmax(0, replaced)) : NAN);
    kg_jsonout_end(j);
}

static void write_device(const struct kg_session *s, struct kg_jsonout *j)
{
    struct kg_device_info info;
    struct kg_error ignored = KG_ERROR_INIT; /* then there is nothing to tell of it */
    kg_jsonout_key(j, "device");
    /* a thread that has lost its device has no space */
    if (!s->thread->space || s->thread->space->ops->info(s->thread->space, &info, &ignored)) {
        kg_jsonout_null(j);
        return;
    }
    kg_jsonout_object(j);
    kg_jsonout_kv_str(j, "name", info.name);
    kg_jsonout_kv_str(j, "uuid", info.uuid);
    kg_jsonout_kv_num(j, "sm_clock_mhz", info.sm_clock_mhz > 0 ? info.sm_clock_mhz : NAN);
    kg_jsonout_kv_bool(j, "throttled", s->throttled);
    kg_jsonout_end(j);
}

/* The other system publishes means. */
static double typical(const struct kg_session *s, const struct kg_stats *st)
{
    return s->judge->opts.compat ? st->mean : st->median;
}

void kg_write_profile(struct kg_record *r, const struct kg_session *s, double ms)
{
    struct kg_buf out = KG_BUF_INIT;
    struct kg_jsonout j;
    bool ok = s->verdict == KG_PASSED;
    kg_jsonout_init(&j, &out);
    kg_jsonout_object(&j);
    kg_jsonout_kv_bool(&j, "ok", ok);
    compat_text(s, &j);
    struct kg_stats kernel = write_times(s, &j, "kernel_us", KERNEL);
    struct kg_stats reference = write_times(s, &j, "reference_us", REFERENCE);
    double speedup = !ok                     ? NAN
                     : s->judge->opts.compat ? reference.mean / kernel.mean
                                             : s->ratio.ratio;
    double busy = column(s, BUSY).median, window = column(s, WINDOW).median;
    kg_jsonout_kv_num(&j, "busy_us", busy);
    kg_jsonout_kv_num(&j, "gap_share", kernel.median > 0 ? 1 - busy / kernel.median : NAN);
    kg_jsonout_kv_num(&j, "window_us", window);
    kg_jsonout_kv_num(&j, "speedup", speedup);
    kg_jsonout_kv_num(&j, "speedup_lo", ok ? s->ratio.lo : NAN);
    kg_jsonout_kv_num(&j, "speedup_hi", ok ? s->ratio.hi : NAN);
    write_coverage(s, reference.mean, &j);
    write_kernels(s, &j);
    kg_jsonout_kv_num(&j, "floor_us", s->floor_us > 0 ? s->floor_us : NAN);
    kg_jsonout_kv_str(&j, "timer", s->thread->timer);
    kg_jsonout_kv_str(&j, "l2", s->thread->emulated || s->judge->opts.compat ? "warm" : "cold");
    kg_jsonout_kv_str(&j, "stop", s->stop);
    write_device(s, &j);
    kg_jsonout_kv_bool(&j, "emulated", s->thread->emulated);
    kg_jsonout_kv_num(&j, "profile_ms", ms);
    kg_jsonout_end(&j);
    kg_record_set_json(r, "profile", out.data, out.len);
    kg_buf_release(&out);
    kg_record_set_num(r, "speedup", speedup);
    kg_record_set_num(r, "reference_runtime_ms", ok ? typical(s, &reference) / 1e3 : NAN);
    kg_record_set_num(r, "kernel_runtime_ms", ok ? typical(s, &kernel) / 1e3 : NAN);
}
