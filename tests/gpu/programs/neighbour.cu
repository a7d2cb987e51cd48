// neighbour busy|idle SECONDS: a program that knows nothing of kg and holds a context on the device,
// at work or not. Says "ready" when it does.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

__global__ void spin(long long cycles)
{
    long long since = clock64();
    while (clock64() - since < cycles)
        ;
}

int main(int argc, char **argv)
{
    if (argc != 3 || cudaFree(nullptr))
        return 1;
    puts("ready");
    fflush(stdout);
    time_t until = time(nullptr) + atoi(argv[2]);
    while (time(nullptr) < until) {
        if (!strcmp(argv[1], "busy")) {
            spin<<<1, 32>>>(10000000);
            if (cudaDeviceSynchronize())
                return 1;
        } else {
            usleep(50000);
        }
    }
    return 0;
}
