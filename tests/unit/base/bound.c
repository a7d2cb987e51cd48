#include "base/bound.h"
#include "base/mem.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static char dropped[64];

static void drop(const char *name)
{
    size_t n = strlen(dropped);
    snprintf(dropped + n, sizeof dropped - n, "%s ", name);
}

static void add(struct kg_bound *b, const char *name, int64_t blocks, int64_t used_s)
{
    struct stat st = {.st_blocks = blocks, .st_mtim = {.tv_sec = used_s}};
    kg_bound_add(b, kg_mem_printf("%s", name), &st);
}

static void fill(struct kg_bound *b)
{
    *b = (struct kg_bound)KG_BOUND_INIT;
    add(b, "new", 16, 30);
    add(b, "old", 16, 10);
    add(b, "mid", 8, 20);
    add(b, "two", 8, 5); /* of two files, the second one used lately, neighbours or not */
    add(b, "mid", 8, 1);
    add(b, "two", 8, 40);
}

int main(void)
{
    struct kg_bound b;
    fill(&b);
    EQ_INT(b.bytes, 64 * 512);
    kg_bound_shrink(&b, 64 * 512, drop);
    EQ_STR(dropped, "");
    EQ_INT(b.n, 0);
    fill(&b);
    kg_bound_shrink(&b, 63 * 512, drop); /* one is enough for a sixteenth less as well */
    EQ_STR(dropped, "old ");
    dropped[0] = 0;
    fill(&b);
    kg_bound_shrink(&b, 48 * 512, drop); /* 48 are allowed, 45 are to be left */
    EQ_STR(dropped, "old mid ");
    dropped[0] = 0;
    fill(&b);
    kg_bound_shrink(&b, 1, drop);
    EQ_STR(dropped, "old mid new two ");
    b = (struct kg_bound)KG_BOUND_INIT;
    kg_bound_shrink(&b, 0, drop);
    EQ_INT(b.n, 0);
    return tap_done();
}
