/* cooperative_groups::reduce and its operators, for the host device of kg. */
#ifndef KG_COOPERATIVE_GROUPS_REDUCE_H
#define KG_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define KG_CG_OPERATOR(name, expression)                                                           \
    template <class T> struct name {                                                               \
        T operator()(T a, T b) const                                                               \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
KG_CG_OPERATOR(plus, a + b)
KG_CG_OPERATOR(less, (b < a ? b : a))
KG_CG_OPERATOR(greater, (a < b ? b : a))
KG_CG_OPERATOR(bit_and, a &b)
KG_CG_OPERATOR(bit_or, a | b)
KG_CG_OPERATOR(bit_xor, a ^ b)
#undef KG_CG_OPERATOR

/* Halves the group; every member ends with the same value. Sizes that are no power of two (coalesced
 * groups) are folded into one first. */
template <class G, class T, class Op>
inline T reduce(const G &g, T v, Op op, int line = __builtin_LINE())
{
    unsigned n = g.size(), rank = g.thread_rank(), half = 1;
    while (half * 2 <= n)
        half *= 2;
    if (half < n) {
        T other = g.shfl_down(v, half, line);
        if (rank + half < n)
            v = op(v, other);
    }
    for (unsigned step = half / 2; step > 0; step /= 2) {
        T other = g.shfl_down(v, step, line);
        if (rank + step < half)
            v = op(v, other);
    }
    return g.shfl(v, 0, line);
}

} // namespace cooperative_groups

#endif
