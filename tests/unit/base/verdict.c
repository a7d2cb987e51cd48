#include "base/verdict.h"
#include "tap.h"

static void fields(enum kg_verdict v, int compiled, int correctness, int decoy, const char *code)
{
    struct kg_verdict_fields f = kg_verdict_fields(v);
    EQ_INT(f.compiled, compiled);
    EQ_INT(f.correctness, correctness);
    EQ_INT(f.decoy, decoy);
    EQ_STR(f.error_code, code);
}

int main(void)
{
    enum kg_verdict v;
    for (int i = 0; i < KG_VERDICT_COUNT; i++) {
        enum kg_verdict want = (enum kg_verdict)i;
        OK(kg_verdict_parse(kg_verdict_name(want), &v) && v == want);
        OK(kg_verdict_worsens(KG_PASSED, want) == (want != KG_PASSED));
        OK(!kg_verdict_worsens(want, KG_PASSED));
    }
    OK(!kg_verdict_parse("passed", &v));
    OK(!kg_verdict_parse("", &v));
    fields(KG_PASSED, 1, 1, 0, NULL);
    fields(KG_NO_CODE, 0, 0, 0, "VALIDATION_ERROR");
    fields(KG_COMPILE_ERROR, 0, 0, 0, "COMPILATION_ERROR");
    fields(KG_LOAD_ERROR, 0, 0, 0, "RUNTIME_ERROR");
    fields(KG_INCORRECT_NUMERICAL, 1, 0, 0, "CORRECTNESS_ERROR");
    fields(KG_OOM, 1, 0, 0, "RESOURCE_ERROR");
    fields(KG_TIMEOUT, 1, 0, 0, "TIMEOUT_ERROR");
    fields(KG_STALE_OUTPUT, 1, 0, 0, "CORRECTNESS_ERROR");
    fields(KG_NO_CUSTOM_KERNEL, 1, 0, 1, "CORRECTNESS_ERROR");
    fields(KG_INERT_KERNEL, 1, 0, 1, "CORRECTNESS_ERROR");
    fields(KG_LIBRARY_ONLY, 1, 0, 1, "CORRECTNESS_ERROR");
    fields(KG_NO_PROFILE, 1, 0, 0, "CORRECTNESS_ERROR");
    fields(KG_REFERENCE_ERROR, -1, -1, -1, "SYSTEM_ERROR");
    fields(KG_JUDGE_FAULT, -1, -1, -1, "SYSTEM_ERROR");
    fields(KG_BAD_RECORD, -1, -1, -1, "VALIDATION_ERROR");
    EQ_STR(kg_verdict_class_name(kg_verdict_class(KG_IMPOSSIBLE_TIME)), "suspect");
    EQ_STR(kg_verdict_class_name(kg_verdict_class(KG_UNSUPPORTED)), "ours");
    return tap_done();
}
