/* cooperative_groups::inclusive_scan and exclusive_scan, for the host device of kg. */
#ifndef KG_COOPERATIVE_GROUPS_SCAN_H
#define KG_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups
{

template <class G, class T, class Op>
inline T inclusive_scan(const G &g, T v, Op op, int line = __builtin_LINE())
{
    for (unsigned step = 1; step < g.size(); step *= 2) {
        T other = g.shfl_up(v, step, line);
        if (g.thread_rank() >= step)
            v = op(other, v);
    }
    return v;
}
template <class G, class T> inline T inclusive_scan(const G &g, T v, int line = __builtin_LINE())
{
    return inclusive_scan(g, v, plus<T>(), line);
}
template <class G, class T, class Op>
inline T exclusive_scan(const G &g, T v, Op op, int line = __builtin_LINE())
{
    T sum = inclusive_scan(g, v, op, line), before = g.shfl_up(sum, 1, line);
    return g.thread_rank() ? before : T();
}
template <class G, class T> inline T exclusive_scan(const G &g, T v, int line = __builtin_LINE())
{
    return exclusive_scan(g, v, plus<T>(), line);
}

} // namespace cooperative_groups

#endif
