#include "base/buf.h"
#include "tap.h"

#include <stdlib.h>

int main(void)
{
    struct kg_buf b = KG_BUF_INIT;
    EQ_STR(kg_buf_str(&b), "");
    kg_buf_add(&b, NULL, 0);
    EQ_STR(kg_buf_str(&b), "");
    kg_buf_adds(&b, "ab");
    kg_buf_addc(&b, 0);
    kg_buf_addf(&b, "%d%s", 7, "x");
    EQ_INT(b.len, 5);
    OK(!memcmp(b.data, "ab\0007x", 6));
    char long_text[2000];
    memset(long_text, 'y', sizeof long_text - 1);
    long_text[1999] = 0;
    kg_buf_addf(&b, "%s", long_text); /* longer than the first try */
    EQ_INT(b.len, 2004);
    EQ_INT(b.data[2003], 'y');
    EQ_INT(b.data[2004], 0);
    char *p = kg_buf_take(&b);
    OK(!memcmp(p, "ab", 2));
    EQ_INT(b.len, 0);
    free(p);
    p = kg_buf_take(&b);
    EQ_STR(p, "");
    free(p);

    kg_buf_init(&b, 10);
    kg_buf_adds(&b, "0123456");
    OK(!b.truncated);
    kg_buf_adds(&b, "789ABC");
    OK(b.truncated);
    EQ_STR(b.data, "0123456789");
    OK(!kg_buf_reserve(&b, 1));
    kg_buf_addc(&b, '!');
    EQ_INT(b.len, 10);
    kg_buf_reset(&b);
    OK(!b.truncated);
    EQ_STR(b.data, "");
    OK(kg_buf_reserve(&b, 10) != NULL);
    kg_buf_release(&b);
    EQ_INT(b.max, 10);
    return tap_done();
}
