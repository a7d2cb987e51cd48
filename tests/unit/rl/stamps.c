#include "rl/stamps.h"

#include "tap.h"

static struct kg_record r;
static struct kg_stamps s;
static struct kg_policy p;

static uint32_t take(const char *json)
{
    static char line[512];
    struct kg_error err = KG_ERROR_INIT;
    size_t n = strlen(json);
    memset(line, 0, sizeof line);
    memcpy(line, json, n);
    if (kg_record_parse(&r, "test", 1, line, n, &err))
        return UINT32_MAX;
    return kg_stamps_take(&s, &r, &p);
}

int main(void)
{
    kg_record_init(&r);
    kg_policy_init(&p);
    kg_policy_finish(&p, NULL);
    uint32_t none = take("{}"), one = take("{\"kg\":{\"task_sha\":\"x\"}}");
    OK(none != one);
    EQ_INT(take("{\"a\":1}"), none);
    EQ_INT(take("{\"a\":1,\"kg\":{\"task_sha\":\"x\"}}"), one);
    HAS(s.stamp[one].json, "\"task_sha\":\"x\"");
    OK(strstr(s.stamp[one].json, p.sha) != NULL);
    HAS(s.stamp[none].json, "\"version\":");
    /* many, so that the table grows; each is found again */
    uint32_t number[300];
    char text[64];
    int wrong = 0;
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "{\"kg\":{\"task_sha\":\"%d\"}}", i);
        number[i] = take(text);
    }
    for (int i = 0; i < 300; i++) {
        snprintf(text, sizeof text, "{\"kg\":{\"task_sha\":\"%d\"}}", i);
        wrong += take(text) != number[i];
    }
    EQ_INT(wrong, 0);
    EQ_INT(s.n, 302);
    kg_stamps_release(&s);
    kg_record_release(&r);
    return tap_done();
}
