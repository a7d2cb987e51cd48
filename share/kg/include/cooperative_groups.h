/*
 * Cooperative groups for the host device of kg: thread_block, thread_block_tile, coalesced_group,
 * grid_group, reduce, scans, memcpy_async. Written from the CUDA C++ Programming Guide; what is not
 * here is not supported on host.
 */
#ifndef KG_COOPERATIVE_GROUPS_H
#define KG_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups
{

/* ---- the block, the grid ---------------------------------------------------------------------- */

class thread_group;

class thread_block
{
  public:
    static void sync(int line = __builtin_LINE()) { kg_host_barrier(KG_BARRIER_SYNC, 0, line); }
    static void barrier_sync(int line = __builtin_LINE()) { sync(line); }
    static unsigned thread_rank() { return kg_host_thread_rank(); }
    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return dim3(blockIdx); }
    static dim3 thread_index() { return dim3(threadIdx); }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block()
{
    return thread_block();
}

class grid_group
{
  public:
    static bool is_valid() { return kg_host_is_cooperative() != 0; }
    static void sync(int line = __builtin_LINE()) { kg_host_grid_sync(line); }
    static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 block_index() { return dim3(blockIdx); }
};
static inline grid_group this_grid()
{
    return grid_group();
}

/* ---- parts of a warp ---------------------------------------------------------------------------- */

/*
 * Lanes of one warp, by mask; ranks count them upward. The members of a coalesced group need not be
 * neighbours: a rank is turned into a lane first.
 */
class kg_lanes
{
  protected:
    unsigned mask_;

  public:
    explicit kg_lanes(unsigned mask) : mask_(mask) {}
    unsigned num_threads() const { return (unsigned)__builtin_popcount(mask_); }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const
    {
        return (unsigned)__builtin_popcount(mask_ & ((1u << kg_host_lane()) - 1));
    }
    unsigned kg_mask() const { return mask_; }
    int kg_lane_of(unsigned rank) const
    {
        unsigned m = mask_;
        for (unsigned i = 0; i < rank && m; i++)
            m &= m - 1;
        return m ? __builtin_ctz(m) : (int)kg_host_lane();
    }
    /* lanes of the mask, as ranks */
    unsigned kg_pack(unsigned lanes) const
    {
        unsigned r = 0, i = 0;
        for (unsigned m = mask_; m; m &= m - 1, i++)
            r |= (lanes >> __builtin_ctz(m) & 1) << i;
        return r;
    }
    void sync(int line = __builtin_LINE()) const { __syncwarp(mask_, line); }
    template <class T> T shfl(T v, unsigned rank, int line = __builtin_LINE()) const
    {
        return kg_move(v, kg_lane_of(rank % num_threads()), line);
    }
    template <class T> T shfl_up(T v, unsigned delta, int line = __builtin_LINE()) const
    {
        unsigned r = thread_rank();
        return kg_move(v, kg_lane_of(delta > r ? r : r - delta), line);
    }
    template <class T> T shfl_down(T v, unsigned delta, int line = __builtin_LINE()) const
    {
        unsigned r = thread_rank();
        return kg_move(v, kg_lane_of(delta >= num_threads() - r ? r : r + delta), line);
    }
    template <class T> T shfl_xor(T v, unsigned bits, int line = __builtin_LINE()) const
    {
        unsigned r = thread_rank() ^ bits;
        return kg_move(v, kg_lane_of(r < num_threads() ? r : thread_rank()), line);
    }
    unsigned ballot(int p, int line = __builtin_LINE()) const
    {
        return kg_pack(__ballot_sync(mask_, p, line));
    }
    int any(int p, int line = __builtin_LINE()) const { return __any_sync(mask_, p, line); }
    int all(int p, int line = __builtin_LINE()) const { return __all_sync(mask_, p, line); }
    template <class T> unsigned match_any(T v, int line = __builtin_LINE()) const
    {
        return kg_pack(__match_any_sync(mask_, v, line));
    }
    template <class T> unsigned match_all(T v, int &pred, int line = __builtin_LINE()) const
    {
        return kg_pack(__match_all_sync(mask_, v, &pred, line));
    }

    /* Values of any size, eight bytes at a time. */
    template <class T> T kg_move(T v, int lane, int line) const
    {
        static_assert(std::is_trivially_copyable<T>::value, "only plain values can be exchanged");
        uint64_t w[(sizeof(T) + 7) / 8] = {};
        memcpy(w, &v, sizeof v);
        for (uint64_t &x : w)
            x = kg_host_warp(KG_WARP_SHFL, mask_, x, lane, 32, line);
        memcpy(&v, w, sizeof v);
        return v;
    }
};

class coalesced_group : public kg_lanes
{
  public:
    explicit coalesced_group(unsigned mask) : kg_lanes(mask) {}
    unsigned meta_group_size() const { return 1; }
    unsigned meta_group_rank() const { return 0; }
};
static inline coalesced_group coalesced_threads(int line = __builtin_LINE())
{
    return coalesced_group(__activemask(line));
}

template <unsigned N> class kg_tile_base : public kg_lanes
{
    unsigned meta_rank_, meta_size_; /* among the tiles of the group that was divided */

  public:
    static_assert(N >= 1 && N <= 32 && !(N & (N - 1)),
                  "tiles of more than 32 threads are not supported on host");
    kg_tile_base(unsigned parent_rank, unsigned parent_size)
        : kg_lanes((N == 32 ? 0xFFFFFFFFu : (1u << N % 32) - 1) << (kg_host_lane() & ~(N - 1))),
          meta_rank_(parent_rank / N), meta_size_((parent_size + N - 1) / N)
    {
    }
    static constexpr unsigned num_threads() { return N; }
    static constexpr unsigned size() { return N; }
    static unsigned thread_rank() { return kg_host_lane() & (N - 1); }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }

#define KG_TILE_SHUFFLE(name, type, op)                                                            \
    template <class T> T name(T v, type arg, int line = __builtin_LINE()) const                    \
    {                                                                                              \
        uint64_t w[(sizeof(T) + 7) / 8] = {};                                                      \
        memcpy(w, &v, sizeof v);                                                                   \
        for (uint64_t &x : w)                                                                      \
            x = kg_host_warp(op, mask_, x, (int)arg, N, line);                                     \
        memcpy(&v, w, sizeof v);                                                                   \
        return v;                                                                                  \
    }
    KG_TILE_SHUFFLE(shfl, int, KG_WARP_SHFL)
    KG_TILE_SHUFFLE(shfl_up, unsigned, KG_WARP_UP)
    KG_TILE_SHUFFLE(shfl_down, unsigned, KG_WARP_DOWN)
    KG_TILE_SHUFFLE(shfl_xor, unsigned, KG_WARP_XOR)
#undef KG_TILE_SHUFFLE
    unsigned ballot(int p, int line = __builtin_LINE()) const
    {
        unsigned first = kg_host_lane() & ~(N - 1);
        return __ballot_sync(mask_, p, line) >> first;
    }
};

template <unsigned N, class Parent = void> class thread_block_tile;
template <unsigned N> class thread_block_tile<N, void> : public kg_tile_base<N>
{
  public:
    using kg_tile_base<N>::kg_tile_base;
};
template <unsigned N, class Parent> class thread_block_tile : public thread_block_tile<N, void>
{
  public:
    using thread_block_tile<N, void>::thread_block_tile;
};

/* ---- partitions ----------------------------------------------------------------------------------- */

template <unsigned N, class P> inline thread_block_tile<N, P> tiled_partition(const P &parent)
{
    return thread_block_tile<N, P>(parent.thread_rank(), parent.size());
}

/* A group whose size is known at run time only. */
class thread_group : public kg_lanes
{
    bool block_;

  public:
    thread_group(thread_block) : kg_lanes(0), block_(true) {}
    thread_group(const kg_lanes &l) : kg_lanes(l), block_(false) {}
    unsigned num_threads() const
    {
        return block_ ? thread_block::num_threads() : kg_lanes::num_threads();
    }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const
    {
        return block_ ? thread_block::thread_rank() : kg_lanes::thread_rank();
    }
    void sync(int line = __builtin_LINE()) const
    {
        if (block_)
            thread_block::sync(line);
        else
            kg_lanes::sync(line);
    }
};
template <class P> inline thread_group tiled_partition(const P &, unsigned n)
{
    unsigned mask = n >= 32 ? 0xFFFFFFFFu : (1u << n) - 1;
    return thread_group(kg_lanes(mask << (kg_host_lane() & ~(n - 1))));
}
template <class G> inline coalesced_group kg_partition(const G &g, int label, int line)
{
    return coalesced_group(__match_any_sync(g.kg_mask(), label, line));
}
template <class G>
inline coalesced_group labeled_partition(const G &g, int label, int line = __builtin_LINE())
{
    return kg_partition(g, label, line);
}
template <class G>
inline coalesced_group binary_partition(const G &g, bool p, int line = __builtin_LINE())
{
    return kg_partition(g, p, line);
}

template <class G> inline void sync(const G &g, int line = __builtin_LINE())
{
    g.sync(line);
}

} // namespace cooperative_groups

#endif
