#include "base/error.h"
#include "base/exit.h"
#include "tap.h"

#include <errno.h>

int main(void)
{
    struct kg_error e = KG_ERROR_INIT;
    EQ_INT(kg_error_set(&e, KG_E_INPUT, "bad '%s'", "x"), -1);
    EQ_INT(kg_error_set(&e, KG_E_LOST, "later"), -1);
    EQ_STR(e.text, "bad 'x'"); /* the first one stands */
    EQ_INT(e.code, KG_E_INPUT);
    EQ_INT(kg_error_where(&e, "f.yaml", 3, 4), -1);
    kg_error_where(&e, "g.yaml", 5, 6);
    EQ_STR(e.source, "f.yaml");
    EQ_INT(e.line, 3);
    EQ_INT(e.col, 4);
    EQ_INT(kg_error_set(NULL, KG_E_INPUT, "nobody"), -1);
    EQ_INT(kg_error_where(NULL, "f", 1, 1), -1);
    kg_error_clear(&e);
    EQ_INT(e.code, KG_OK);
    errno = ENOENT;
    kg_error_errno(&e, KG_E_SYSTEM, "cannot open '%s'", "f");
    EQ_STR(e.text, "cannot open 'f': No such file or directory");
    kg_error_clear(&e);
    char big[3000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    kg_error_at(&e, KG_E_INPUT, big, 1, 2, "%s", big);
    EQ_INT(strlen(e.text), KG_ERROR_TEXT - 1);
    EQ_INT(strlen(e.source), KG_ERROR_SOURCE - 1);
    EQ_INT(kg_error_exit(KG_OK), KG_EXIT_OK);
    EQ_INT(kg_error_exit(KG_E_INPUT), KG_EXIT_INPUT);
    EQ_INT(kg_error_exit(KG_E_USAGE), KG_EXIT_INPUT);
    EQ_INT(kg_error_exit(KG_E_MISSING), KG_EXIT_MISSING);
    EQ_INT(kg_error_exit(KG_E_LOST), KG_EXIT_LOST);
    EQ_INT(kg_error_exit(KG_E_OUTPUT), KG_EXIT_OUTPUT);
    EQ_INT(kg_error_exit(KG_E_INTERNAL), KG_EXIT_OUTPUT);
    return tap_done();
}
