#include "record/run.h"

static const struct kg_outcome rejected = {.bad = true, .reject = true, .verdict = -1};

int kg_loop_map(const struct kg_loop_opts *o, kg_map_fn *f, void *ctx)
{
    struct kg_run run;
    int status = kg_run_begin(&run, o, o->own);
    if (status)
        return status;
    struct kg_record r;
    struct kg_jsonl_line line;
    kg_record_init(&r);
    while (!kg_run_over(&run) && kg_jsonl_next(&run.in, &line)) {
        if (!kg_run_parse(&r, run.in.source, &line, NULL)) {
            kg_run_count(&run, &rejected, line.text, line.len);
            continue;
        }
        struct kg_outcome what;
        int answer = r.error.code ? KG_LOOP_KEEP : f(ctx, &r);
        kg_run_render(&run, &r, answer, &run.out.buf, &what, NULL);
        kg_jsonl_added(&run.out);
        kg_run_count(&run, &what, NULL, 0);
    }
    kg_record_release(&r);
    return kg_run_end(&run);
}
