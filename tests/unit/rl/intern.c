/* Interning: equal texts get one number, also when the table grows, also with NULs inside. */
#include "rl/intern.h"
#include "tap.h"

int main(void)
{
    struct kg_intern t = KG_INTERN_INIT;
    bool is_new;
    char text[32];
    int wrong = 0;
    EQ_INT(kg_intern(&t, "a", 1, &is_new), 0);
    OK(is_new);
    EQ_INT(kg_intern(&t, "", 0, &is_new), 1);
    EQ_INT(kg_intern(&t, "a\0b", 3, &is_new), 2);
    OK(is_new);
    EQ_INT(kg_intern(&t, "a\0c", 3, NULL), 3);
    EQ_INT(kg_intern(&t, "a\0b", 3, &is_new), 2);
    OK(!is_new);
    for (int i = 0; i < 5000; i++)
        wrong += kg_intern(&t, text, (size_t)snprintf(text, sizeof text, "n%d", i), NULL) !=
                 (uint32_t)i + 4;
    for (int i = 0; i < 5000; i++)
        wrong += kg_intern(&t, text, (size_t)snprintf(text, sizeof text, "n%d", i), NULL) !=
                 (uint32_t)i + 4;
    EQ_INT(wrong, 0);
    EQ_STR(kg_intern_text(&t, 4 + 17), "n17");
    kg_intern_release(&t);
    return tap_done();
}
