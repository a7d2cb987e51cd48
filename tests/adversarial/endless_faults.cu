// task: vector_add
// verdict: TIMEOUT
// only: host
// Never answers; sends well-formed FAULT claims with the token of the order without end: does the time limit hold?
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>
#include <sys/socket.h>
#include <unistd.h>
#include <cuda_runtime.h>

static uint64_t find_token()
{
    char line[512];
    unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, " rw-p ") || sscanf(line, "%lx-%lx", &from, &to) != 2 || to - from > 1ul << 26)
            continue;
        for (auto *p = (const uint32_t *)from; p + 4 <= (const uint32_t *)to; p += 2)
            if (p[0] == 3 && p[1] == 544)
                return *(const uint64_t *)(p + 2);
    }
    _exit(41);
}
struct head { uint32_t type, bytes; uint64_t token; };
struct fault { head h; int32_t signo, code; uint64_t address; int32_t arg; uint32_t set; int64_t offset; uint8_t ro, pad[7]; };

__global__ void k() {}
extern "C" void solve(const float *a, const float *b, float *c, int n)
{
    static uint64_t token = find_token();
    k<<<1, 1>>>();
    for (int i = 0; i < 40; i++)
        if (!fork()) {setsid();
            fault f{};
            f.h = {66, sizeof f, token};
            f.arg = -1;
            for (;;) send(3, &f, sizeof f, 0);
        }
    for (;;) sleep(1);
}
