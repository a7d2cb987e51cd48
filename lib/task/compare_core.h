/*
 * The rules of one element, shared by the host's comparison and a device's own kernel, so that both
 * judge alike. All values as double.
 */
#ifndef KG_TASK_COMPARE_CORE_H
#define KG_TASK_COMPARE_CORE_H

#include "task/bits_core.h"
#include "task/kinds.h"

#define KG_CMP_MIN_SCALE 32 /* elements that an rms needs to be a scale */

enum kg_cmp_flag {
    KG_CMP_OK = 0,
    KG_CMP_BAD = 1,
    KG_CMP_NONFINITE = 2, /* with BAD: NaN or infinity in got where want is finite */
    KG_CMP_FINITE = 4     /* both finite: the element counts in the sums of squares */
};

KG_HD int kg_cmp_is_nan(double x)
{
    return x != x;
}

KG_HD int kg_cmp_is_finite(double x)
{
    return x - x == 0.0;
}

KG_HD double kg_cmp_abs(double x)
{
    return x < 0 ? -x : x;
}

/* From this magnitude on a value rounds to infinity in the type. */
KG_HD double kg_cmp_overflow(int dtype)
{
    switch (dtype) {
    case KG_FLOAT32:
        return 340282356779733661637539395458142568448.0; /* 2^128 - 2^103 */
    case KG_FLOAT16:
        return 65520.0;
    case KG_BFLOAT16:
        return 339617752923046005526922703901628039168.0; /* 2^128 - 2^119 */
    default:
        return kg_double_of(0x7FFull << 52);
    }
}

/* |got - want| may be this large. */
KG_HD double kg_cmp_bound(double want, double rtol, double atol)
{
    return kg_cmp_is_finite(want) ? rtol * kg_cmp_abs(want) + atol : 0.0;
}

/*
 * What a NaN in got is, once it is known whether it holds the poison of the call: that is never
 * right, also where a NaN is wanted, since nobody wrote it.
 */
KG_HD int kg_cmp_written(int flags, int is_poison)
{
    return is_poison ? flags | KG_CMP_BAD : flags;
}

/*
 * Is got right? Masks of NaN and of signed infinities must be equal, but the truth in double has no
 * overflow: where |want| + bound rounds to infinity in the type, that infinity is right too. A NaN
 * has to go through kg_cmp_written as well.
 */
KG_HD int kg_cmp_element(double got, double want, double bound, double overflow)
{
    if (kg_cmp_is_nan(want))
        return kg_cmp_is_nan(got) ? KG_CMP_OK : KG_CMP_BAD;
    if (kg_cmp_is_nan(got))
        return kg_cmp_is_finite(want) ? KG_CMP_BAD | KG_CMP_NONFINITE : KG_CMP_BAD;
    if (got == want)
        return kg_cmp_is_finite(want) ? KG_CMP_OK | KG_CMP_FINITE : KG_CMP_OK;
    if (!kg_cmp_is_finite(want))
        return KG_CMP_BAD;
    if (!kg_cmp_is_finite(got)) {
        if ((got > 0) == (want > 0) && kg_cmp_abs(want) + bound >= overflow)
            return KG_CMP_OK;
        return KG_CMP_BAD | KG_CMP_NONFINITE;
    }
    return (kg_cmp_abs(got - want) <= bound ? KG_CMP_OK : KG_CMP_BAD) | KG_CMP_FINITE;
}

#endif
