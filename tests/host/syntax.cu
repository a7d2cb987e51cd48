/* What the translator has to see through. k<<<1, 1>>>(no); in a comment */
#include <cstdio>
#include <utility>
#define BLOCK 32
#define LAUNCH(kernel, n, ...) kernel<<<1, n>>>(__VA_ARGS__)
#define LAUNCH_TWICE(k, p)                                                                         \
    do {                                                                                           \
        k<<<1, 1>>>(p);                                                                            \
        k<<<1, 1>>>(p);                                                                            \
    } while (0)
#define SHARED_BUFFER(name, size) __shared__ int name[size]

static const char *text = "k<<<1, 1>>>(no) // \" __shared__ int x;";
static const char *raw = R"x(k<<<1, 1>>>(")
__shared__ float y[3];)x";
static const char quote = '"', big = 1'000 % 100;

struct Point {
    float x, y;
};
template <class A, class B> struct Pair {
    A first;
    B second;
};
namespace ops
{
struct Add {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};
namespace detail
{
template <typename T, int N, class Op> __global__ void apply(T *p, Op op)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        p[i] = op(p[i], (T)(1 << 2 >> 1));
}
} // namespace detail
} // namespace ops

__global__ static void inc(int *p)
{
    atomicAdd(p, 1);
}
extern "C" __global__ void inc_c(int *p)
{
    *p += 10;
}
template <typename T> __global__ void set(T *p, T v)
{
    *p = v;
}
__global__ void over(int *p)
{
    *p += 100;
}
__global__ void over(int *p, int by)
{
    *p += by;
}
__global__ void by_value(Point a, const Point *b, float *out)
{
    a.x += b->x;
    *out = a.x + a.y;
}

extern __shared__ int at_file_scope[];
__shared__ int fixed_at_file_scope[BLOCK];

__global__ void file_scope(int *out)
{
    at_file_scope[threadIdx.x] = threadIdx.x;
    fixed_at_file_scope[threadIdx.x] = 2 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = at_file_scope[BLOCK - 1 - threadIdx.x] + fixed_at_file_scope[BLOCK - 1 - threadIdx.x];
}

template <typename T, int N> __device__ T rotate(T v)
{
    const int twice = 2 * N;
    __shared__ T a[N][2], b[twice / 2], *where;
    __shared__ struct {
        int n;
        T t[2];
    } s;
    volatile __shared__ int flag;
    if (threadIdx.x == 0)
        where = b, s.n = 1, flag = 7;
    __syncthreads();
    a[threadIdx.x][0] = v;
    where[threadIdx.x] = v;
    __syncthreads();
    T r = a[(threadIdx.x + s.n) % N][0] + b[threadIdx.x] + (T)(flag - 7);
    __syncthreads();
    return r;
}
template <typename T> __global__ void shared_kinds(T *out)
{
    SHARED_BUFFER(hidden, 32);
    __shared__ alignas(16) float4 quad[2];
    __shared__ Pair<int, float> pair;
    hidden[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) {
        quad[1] = make_float4(1, 2, 3, 4);
        pair.first = 3;
    }
    T r = rotate<T, 32>((T)threadIdx.x);
    out[threadIdx.x] = r + (T)hidden[31 - threadIdx.x] + (T)quad[1].w + (T)pair.first;
}

template <typename F> __global__ void each(int *p, F f)
{
    p[threadIdx.x] = f(threadIdx.x);
}

#if 0
asm("not compiled"); k<<<
#endif
#ifdef __CUDA_ARCH__
__device__ void ptx() { asm volatile("bar.sync 0;"); }
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ void ptx() { asm volatile("cp.async.wait_all;"); }
#else
__device__ void ptx()
{
}
#endif

template <int N> static void launch_in_template(int *p)
{
    if (N > 1)
        set<int><<<1, N>>>(p, N);
    else
        inc<<<1, 1>>>(p);
    void (*const chosen)(int *) = N > 1 ? inc : inc_c;
    chosen<<<1, 1>>>(p);
}

__managed__ int v, many[40];
__managed__ long long lots[32];
__managed__ float f;
__managed__ Point a = {1, 2}, b = {10, 20};

extern "C" void program(void)
{
    printf("%zu %zu %c %d\n", __builtin_strlen(text), __builtin_strlen(raw), quote, big);
    int *p = &v;
    inc<<<1, 1>>>(p);
    inc_c<<<1, 1>>>(&v);
    over<<<1, 1>>>(p);
    over<<<1, 1>>>(p, 1000);
    ::inc<<<1, 1>>>(p);
    printf("%d\n", v);
    set<<<1, 1>>>(p, 5);
    LAUNCH(inc, 2, p);
    LAUNCH_TWICE(inc_c, p);
    if (v > 0)
        inc<<<dim3{1, 1, 1}, dim3(2, (1 > 0 ? 2 : 1))>>>(p);
    else
        inc<<<1, 1>>>(p);
    for (int i = 0; i < 2; i++)
        inc<<<1, 1, 0, nullptr>>>(p);
    printf("%d\n", v);
    ops::detail::apply<int, (3 > 2 ? 8 : 1), ops::Add><<<1, 4>>>(many, ops::Add());
    ops::detail::apply<int, sizeof(std::pair<int, std::pair<int, int>>), ops::Add>
        <<<
            1, // blocks
            4  /* threads */
            >>>(many, // data
                ops::Add());
    printf("%d %d %d\n", many[0], many[7], many[11]);
    by_value<<<1, 3>>>(a, &b, &f);
    printf("%g\n", f);
    file_scope<<<1, BLOCK, BLOCK * sizeof(int)>>>(many);
    printf("%d %d\n", many[0], many[31]);
    shared_kinds<int><<<1, 32>>>(many);
    printf("%d %d\n", many[0], many[31]);
    shared_kinds<<<1, 32>>>(lots);
    printf("%lld %lld\n", lots[0], lots[31]);
    int k = 3;
    each<<<1, 8>>>(many, [k] __device__(int i) { return i * k; });
    printf("%d\n", many[7]);
    launch_in_template<1>(p);
    launch_in_template<4>(p);
    printf("%d line %d\n", v, __LINE__);
    typedef void (*fn)(int *);
    fn table[] = {inc, inc_c};
    for (fn g : table)
        g<<<1, 1>>>(p);
    table[1]<<<1, 1>>>(p);
    printf("%d\n", v);
}
