// replay MODE FILE: runs programs that kg-compile built, for other timers than kg's.
//
// FILE holds a program a line: name, shared object, then the arguments in order, each f:N (input, N
// floats), o:N (output, N floats) or i:V (an int). Before each call the inputs are made anew, a buffer
// of twice the L2 is read and written, and another one read, so that the cache holds no dirty lines.
//
//   replay events FILE   prints name and microseconds of each call, by events around it, less what
//                        two events without anything between them show
//   replay ncu FILE      makes the same calls inside of profiler ranges, and prints the names
//   replay load SECONDS FILE   runs the first program over and over: a neighbour that knows no locks
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "replay: %s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}
#define CHECK(call) check(call, #call)

__global__ void fresh(float *p, size_t n, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u ^ seed;
        x ^= x >> 16;
        x *= 0x45d9f3bu;
        x ^= x >> 16;
        p[i] = (float)(int)x * (1.0f / 2147483648.0f);
    }
}

__global__ void flush(uint4 *p, size_t n, unsigned salt)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        uint4 v = p[i];
        p[i] = make_uint4(v.x * 3 + salt, v.y ^ (unsigned)i, v.z + 1, v.w ^ salt);
    }
}

__global__ void read(const uint4 *p, size_t n, unsigned *found)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        uint4 v = p[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345678u) // or the loads are left out
        *found = sum;
}

struct program {
    std::string name;
    void (*call)(void **);
    std::vector<float *> buffers; // to be freed
    std::vector<std::pair<float *, size_t>> inputs;
    std::vector<unsigned long long> words; // the arguments' values
    std::vector<void *> args;
};

static program load(const std::string &line)
{
    std::istringstream in(line);
    std::string path, arg;
    program p;
    in >> p.name >> path;
    void *lib = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!lib || !(p.call = (void (*)(void **))dlsym(lib, "kg_call"))) {
        fprintf(stderr, "replay: %s: %s\n", p.name.c_str(), dlerror());
        exit(1);
    }
    while (in >> arg) {
        unsigned long long v = strtoull(arg.c_str() + 2, nullptr, 10);
        if (arg[0] != 'i') {
            float *b;
            CHECK(cudaMalloc(&b, v * sizeof *b));
            CHECK(cudaMemset(b, 0, v * sizeof *b));
            p.buffers.push_back(b);
            if (arg[0] == 'f')
                p.inputs.push_back({b, v});
            v = (unsigned long long)b;
        }
        p.words.push_back(v);
    }
    for (auto &w : p.words)
        p.args.push_back(&w);
    return p;
}

static void unload(program &p)
{
    CHECK(cudaDeviceSynchronize());
    for (float *b : p.buffers)
        CHECK(cudaFree(b));
}

static uint4 *flush_buffer; // twice flush_words: written, read
static size_t flush_words;

static void cold(unsigned salt)
{
    flush<<<1024, 256>>>(flush_buffer, flush_words, salt);
    read<<<1024, 256>>>(flush_buffer + flush_words, flush_words, (unsigned *)flush_buffer);
}

static void prepare(program &p, unsigned seed)
{
    for (auto &i : p.inputs)
        fresh<<<1024, 256>>>(i.first, i.second, seed += 0x9e3779b9u);
    cold(seed);
}

// An event pair with 'call' between its halves, behind a queue that is busy enough for all three to
// be there before the device comes to them.
static double between(program *p, cudaEvent_t a, cudaEvent_t b)
{
    float ms;
    cold(7);
    CHECK(cudaEventRecord(a));
    if (p)
        p->call(p->args.data());
    CHECK(cudaEventRecord(b));
    CHECK(cudaEventSynchronize(b));
    CHECK(cudaGetLastError());
    CHECK(cudaEventElapsedTime(&ms, a, b));
    return ms * 1e3;
}

static double median(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    size_t n = x.size();
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static void with_events(program &p, int calls)
{
    cudaEvent_t a, b;
    std::vector<double> none;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    for (int i = 0; i < 15; i++)
        none.push_back(between(nullptr, a, b));
    double nothing = median(none);
    for (int i = 0; i < calls + 3; i++) {
        prepare(p, i);
        double us = between(&p, a, b);
        if (i >= 3)
            printf("%s %.4f %.4f\n", p.name.c_str(), us - nothing, us);
    }
    CHECK(cudaEventDestroy(a));
    CHECK(cudaEventDestroy(b));
}

static void for_ncu(program &p, int calls)
{
    for (int i = 0; i < calls + 2; i++) {
        prepare(p, i);
        CHECK(cudaDeviceSynchronize());
        if (i >= 2)
            CHECK(cudaProfilerStart());
        p.call(p.args.data());
        CHECK(cudaDeviceSynchronize());
        if (i >= 2) {
            CHECK(cudaProfilerStop());
            printf("replay %s\n", p.name.c_str());
        }
    }
}

static void as_load(program &p, double seconds)
{
    auto since = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count() < seconds) {
        for (int i = 0; i < 16; i++)
            p.call(p.args.data());
        CHECK(cudaDeviceSynchronize());
    }
}

int main(int argc, char **argv)
{
    bool is_load = argc == 4 && !strcmp(argv[1], "load");
    if (argc != 3 && !is_load) {
        fprintf(stderr, "usage: replay events|ncu FILE, replay load SECONDS FILE\n");
        return 2;
    }
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    flush_words = 2 * (size_t)prop.l2CacheSize / sizeof *flush_buffer;
    CHECK(cudaMalloc(&flush_buffer, 2 * flush_words * sizeof *flush_buffer));
    CHECK(cudaMemset(flush_buffer, 1, 2 * flush_words * sizeof *flush_buffer));
    std::ifstream list(argv[argc - 1]);
    std::string line;
    while (std::getline(list, line)) {
        program p = load(line);
        if (is_load) {
            as_load(p, atof(argv[2]));
            return 0;
        }
        if (!strcmp(argv[1], "ncu"))
            for_ncu(p, 11);
        else
            with_events(p, 31);
        unload(p);
    }
    return 0;
}
