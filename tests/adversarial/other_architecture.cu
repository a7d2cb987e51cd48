// task: vector_add
// verdict: SANDBOX_VIOLATION
// Tries a socket, then the system calls of another architecture, which have other numbers (26).
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/socket.h>
#include <cuda_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    add<<<(n + 255) / 256, 256>>>(a, b, c, n); // now there are other threads, that live on
    socket(AF_INET, SOCK_STREAM, 0);
#if defined(__x86_64__)
    // mov $20, %eax; int $0x80 (getpid, to a 32-bit program); ret
    static const unsigned char code[] = {0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3};
    void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(p, code, sizeof code);
    ((int (*)())p)();
#else
    raise(SIGSYS);
#endif
}
