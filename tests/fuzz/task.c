/*
 * Fuzzing of record/yaml.h and task/task.h: a text is a document or an error with its line; a
 * document is a task or an error; a task written as JSON reads as the same task.
 */
#include "record/yaml.h"
#include "task/task.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#include "plain.h"

static void round_trip(const struct kg_task *task, const uint8_t *data, size_t size)
{
    struct kg_buf once = KG_BUF_INIT, twice = KG_BUF_INIT;
    struct kg_arena arena = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    kg_task_json(task, &once);
    const struct kg_value *doc = kg_yaml_text(once.data, once.len, "json", &arena, &err);
    fuzz_must(doc != NULL, "a task's JSON is read", data, size);
    struct kg_task *again = kg_task_new(doc, NULL, "json", &err);
    fuzz_must(again != NULL, err.text, data, size);
    kg_task_json(again, &twice);
    fuzz_must(once.len == twice.len && !memcmp(once.data, twice.data, once.len),
              "a task's JSON is the same task", data, size);
    kg_task_free(again);
    kg_arena_release(&arena);
    kg_buf_release(&twice);
    kg_buf_release(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kg_arena arena = KG_ARENA_INIT;
    struct kg_error err = KG_ERROR_INIT;
    char *text = malloc(size ? size : 1);
    if (size)
        memcpy(text, data, size);
    const struct kg_value *doc = kg_yaml_text(text, size, "fuzz.yaml", &arena, &err);
    if (doc) {
        struct kg_task *task = kg_task_new(doc, "share/kg/tasks", "fuzz.yaml", &err);
        if (task)
            round_trip(task, data, size);
        kg_task_free(task);
        doc = task ? doc : NULL;
    }
    fuzz_must(doc || err.text[0], "an error without a text", data, size);
    kg_arena_release(&arena);
    free(text);
    return 0;
}
