#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void program(void)
{
    const int n = 10000;
    float *a = new float[n], *b = new float[n], *c = new float[n];
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
        c[i] = -1;
    }
    dim3 grid((n + 255) / 256);
    add<<<grid, 256>>>(a, b, c, n);
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += c[i] != 3 * i;
    printf("bad %d, last %g\n", bad, c[n - 1]);
}
