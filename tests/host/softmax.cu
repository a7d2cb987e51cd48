#include <cmath>
#include <cstdio>
#include <vector>
#include <cfloat>

struct MD {
    float m, d;
};

__device__ MD combine(MD a, MD b)
{
    bool bigger = a.m > b.m;
    MD hi = bigger ? a : b, lo = bigger ? b : a;
    return MD{hi.m, hi.d + lo.d * __expf(lo.m - hi.m)};
}

template <int THREADS> __global__ void online_softmax(const float *x, float *y, int cols)
{
    const float *row = x + (size_t)blockIdx.x * cols;
    MD p{-FLT_MAX, 0.0f};
    for (int i = threadIdx.x; i < cols; i += THREADS)
        p = combine(p, MD{row[i], 1.0f});
    for (int o = 16; o; o >>= 1) {
        MD q{__shfl_xor_sync(~0u, p.m, o), __shfl_xor_sync(~0u, p.d, o)};
        p = combine(p, q);
    }
    __shared__ MD parts[THREADS / 32];
    __shared__ MD total;
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = p;
    __syncthreads();
    if (threadIdx.x == 0) {
        MD t = parts[0];
        for (int i = 1; i < THREADS / 32; i++)
            t = combine(t, parts[i]);
        total = t;
    }
    __syncthreads();
    float inv = __fdividef(1.0f, total.d);
    for (int i = threadIdx.x; i < cols; i += THREADS)
        y[(size_t)blockIdx.x * cols + i] = __expf(row[i] - total.m) * inv;
}

extern "C" void program(void)
{
    const int rows = 37, cols = 333;
    std::vector<float> x(rows * cols), y(rows * cols);
    unsigned s = 1;
    for (auto &v : x) {
        s = s * 1664525u + 1013904223u;
        v = (float)(s >> 8) / (1 << 24) * 20.0f - 10.0f;
    }
    online_softmax<128><<<rows, 128>>>(x.data(), y.data(), cols);
    double worst = 0;
    for (int r = 0; r < rows; r++) {
        double m = -1e300, d = 0;
        for (int c = 0; c < cols; c++)
            m = fmax(m, x[r * cols + c]);
        for (int c = 0; c < cols; c++)
            d += exp(x[r * cols + c] - m);
        for (int c = 0; c < cols; c++)
            worst = fmax(worst, fabs(y[r * cols + c] - exp(x[r * cols + c] - m) / d));
    }
    printf("softmax %s\n", worst < 1e-6 ? "right" : "wrong");
}
