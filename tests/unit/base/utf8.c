#include "base/utf8.h"
#include "tap.h"

static size_t one(const char *s)
{
    return kg_utf8_len(s, strlen(s));
}

int main(void)
{
    EQ_INT(one("a"), 1);
    EQ_INT(one("\xc2\x80"), 2);
    EQ_INT(one("\xe0\xa0\x80"), 3);
    EQ_INT(one("\xef\xbf\xbf"), 3);
    EQ_INT(one("\xf0\x90\x80\x80"), 4);
    EQ_INT(one("\xf4\x8f\xbf\xbf"), 4);
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xc3",
                                      "\xe2\x82",
                                      "\xf0\x9f\x98",
                                      "\xc3(",
                                      "\xe2(\xa1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        EQ_INT(one(bad[i]), 0);
        OK(!kg_utf8_valid(bad[i], strlen(bad[i])));
    }
    EQ_INT(kg_utf8_len("", 0), 0);
    OK(kg_utf8_valid("", 0));
    OK(kg_utf8_valid("a\xe2\x82\xac", 4));
    char text[] = "a\x1b[31m\xc2\x9b"
                  "b\tc\xff\n\xc3\xa9\x7f";
    kg_utf8_clean_line(text, sizeof text - 1);
    EQ_STR(text, "a?[31m??b\tc??\xc3\xa9?");
    EQ_INT(kg_utf8_cut("abc", 3), 3);
    EQ_INT(kg_utf8_cut("ab\xc3\xa9", 3), 2);
    EQ_INT(kg_utf8_cut("ab\xc3\xa9", 4), 4);
    EQ_INT(kg_utf8_cut("\xf0\x9f\x98\x80", 3), 0);
    EQ_INT(kg_utf8_cut("", 0), 0);
    return tap_done();
}
