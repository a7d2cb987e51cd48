#include "rl/token_spool.h"

#include "tap.h"

int main(void)
{
    struct kg_token_spool s = {0};
    struct kg_error err = KG_ERROR_INIT;
    double a[] = {-1, -2, NAN}, b[] = {-1.5, -1, -1}, mask[] = {1, 0, 1};
    uint64_t first, second, none;
    const double *d;
    EQ_INT(kg_token_spool_add(&s, a, b, mask, 3, &first, &err), 0);
    EQ_INT(kg_token_spool_add(&s, a, b, NULL, 0, &none, &err), 0);
    EQ_INT(kg_token_spool_add(&s, b, a, NULL, 2, &second, &err), 0);
    EQ_INT(kg_token_spool_get(&s, second, 2, &d, &err), 0);
    OK(d[0] == -0.5 && d[1] == 1);
    EQ_INT(kg_token_spool_get(&s, first, 3, &d, &err), 0);
    NEAR(d[0], 0.5, 0);
    OK(kg_token_spool_masked(d[1]) && !kg_token_spool_masked(d[0]));
    OK(isnan(d[2]) && !kg_token_spool_masked(d[2])); /* a NaN that came in is no masked token */
    EQ_INT(kg_token_spool_get(&s, none, 0, &d, &err), 0);
    kg_token_spool_reset(&s); /* the next batch */
    EQ_INT(kg_token_spool_add(&s, b, a, NULL, 1, &second, &err), 0);
    EQ_INT(second, 0);
    EQ_INT(kg_token_spool_get(&s, second, 1, &d, &err), 0);
    NEAR(d[0], -0.5, 0);
    EQ_INT(kg_token_spool_get(&s, 100, 1, &d, &err), -1); /* nothing there */
    OK(err.code != KG_OK);
    kg_token_spool_release(&s);
    return tap_done();
}
