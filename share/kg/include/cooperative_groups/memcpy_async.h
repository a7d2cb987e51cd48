/* cooperative_groups::memcpy_async and wait, for the host device of kg: the copy is done at once. */
#ifndef KG_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define KG_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

template <class G, class T> inline void memcpy_async(const G &g, T *dst, const T *src, size_t bytes)
{
    char *d = reinterpret_cast<char *>(dst);
    const char *s = reinterpret_cast<const char *>(src);
    for (size_t i = (size_t)g.thread_rank() * 16; i < bytes; i += (size_t)g.size() * 16)
        memcpy(d + i, s + i, bytes - i < 16 ? bytes - i : 16);
}
template <class G> inline void wait(const G &g, int line = __builtin_LINE())
{
    g.sync(line);
}
template <unsigned N, class G> inline void wait_prior(const G &g, int line = __builtin_LINE())
{
    g.sync(line);
}

} // namespace cooperative_groups

#endif
