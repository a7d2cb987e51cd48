/* The nearest name. */
#include "base/near.h"
#include "tap.h"

int main(void)
{
    static const char *const names[] = {"gamma", NULL, "baseline", "estimator"};
    EQ_INT(kg_near_distance("", ""), 0);
    EQ_INT(kg_near_distance("", "abc"), 3);
    EQ_INT(kg_near_distance("kitten", "sitting"), 3);
    EQ_INT(kg_near_distance("ab", "ba"), 1);
    EQ_INT(kg_near_distance("GAMMA", "gamma"), 0);
    EQ_STR(kg_near_name("gama", names, 4), "gamma");
    EQ_STR(kg_near_name("bseline", names, 4), "baseline");
    OK(kg_near_name("x", names, 0) == NULL);
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[199] = '\0';
    EQ_INT(kg_near_distance(longer, longer), 0);
    EQ_INT(kg_near_distance(longer, ""), 63);
    return tap_done();
}
