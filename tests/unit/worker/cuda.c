/*
 * A worker on a GPU, with the tracer, seen from a judge: a call computes, its kernel is recorded
 * with the image that was built, and a write to an input is an illegal access that ends the
 * context; a baseline's worker changes programs. Inside the sandbox and without one. Skipped, with
 * the reason, where there is no GPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "compile/toolchain.h"
#include "device/gpu.h"
#include "device/nvrtc.h"
#include "tap.h"
#include "worker/trace.h"
#include "worker/wire.h"

#define N 100000

static const char source[] =
    "extern \"C\" __global__ void scale(const float *x, float *y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (n < 0) ((float *)x)[i] = 1;\n"
    "  else if (i < n) y[i] = 2 * x[i];\n"
    "}\n";

static struct kg_gpu *gpu;
static struct kg_gpu_shared in, out;
static struct kg_trace *trace;
static int trace_fd;
static struct kg_buf cubin;

static int build(void)
{
    struct kg_error err = KG_ERROR_INIT;
    struct kg_buf log = KG_BUF_INIT, symbol = KG_BUF_INIT;
    char arch[40] = "--gpu-architecture=", target[16];
    bool ok = false;
    kg_gpu_target(gpu, target);
    snprintf(arch + strlen(arch), sizeof arch - strlen(arch), "%s", target);
    const char *options[] = {arch};
    struct kg_nvrtc_source s = {source, "scale.cu", NULL, options, 1};
    const char *nvrtc = kg_toolchain_get(NULL)->nvrtc;
    int rc = nvrtc && !kg_nvrtc_open(nvrtc, &err) &&
             !kg_nvrtc_compile(&s, &ok, &cubin, &log, &symbol, &err) && ok;
    printf("# %s %s\n", err.text, kg_buf_str(&log));
    kg_buf_release(&log);
    kg_buf_release(&symbol);
    return rc;
}

static int start(struct kg_proc *p, struct kg_wire *w, const struct kg_sandbox *box)
{
    struct kg_error err = KG_ERROR_INIT;
    int pair[2];
    if (kg_wire_pair(pair, &err))
        return 0;
    char *worker = kg_fs_libexec("kg-worker", &err), *tracer = kg_fs_libexec("kg-trace.so", &err);
    char *inject = kg_mem_printf("CUDA_INJECTION64_PATH=%s", tracer ? tracer : "");
    char *visible = kg_mem_printf("CUDA_VISIBLE_DEVICES=%s", kg_gpu_device(gpu)->uuid);
    char *cupti = kg_mem_printf("KG_CUPTI=%s/lib64/libcupti.so", kg_toolchain_get(NULL)->cuda_home);
    const char *env[] = {"PATH=/usr/bin:/bin",
                         "KG_TRACE_FD=4",
                         inject,
                         visible,
                         cupti,
                         "CUDA_CACHE_DISABLE=1",
                         NULL};
    const char *argv[] = {worker, NULL};
    const int fds[] = {pair[1], trace_fd};
    static struct kg_buf said;
    kg_buf_init(&said, 4096);
    struct kg_proc_spec spec = {.argv = argv,
                                .envp = env,
                                .fds = fds,
                                .n_fds = 2,
                                .stdin_fd = -1,
                                .output = &said,
                                .sandbox = box};
    int rc = worker && tracer && !kg_proc_spawn(&spec, p, &err);
    close(pair[1]);
    kg_wire_init(w, pair[0]);
    if (!rc)
        printf("# %s\n", err.text);
    return rc;
}

static struct kg_wire_done order(struct kg_wire *w, struct kg_proc *p, union kg_wire_order *m,
                                 const int *fds, size_t n)
{
    struct kg_error err = KG_ERROR_INIT;
    union kg_wire_claim c;
    struct kg_wire_done none = {.status = 99};
    if (kg_wire_order(w, m, fds, n, 10, &err) || kg_wire_claim(w, p, &c, 30) != KG_WIRE_GOT) {
        printf("# no answer: %s\n", err.text);
        return none;
    }
    printf("# status %u code %d %s\n", c.done.status, c.done.code, c.done.text);
    return c.done;
}

static struct kg_wire_done load(struct kg_wire *w, struct kg_proc *p, const struct kg_buf *artifact,
                                const char *entry, enum kg_wire_role role)
{
    static union kg_wire_order m;
    memset(&m, 0, sizeof m);
    int fd = memfd_create("artifact", MFD_CLOEXEC);
    if (fd < 0 || kg_fs_write_all(fd, artifact->data, artifact->len))
        return (struct kg_wire_done){.status = 99};
    m.load.head.type = KG_WIRE_LOAD;
    m.load.version = KG_WIRE_VERSION;
    m.load.kind = KG_WORKER_CUDA;
    m.load.role = (uint8_t)role;
    m.load.n_args = 3;
    m.load.n_entries = 1;
    snprintf(m.load.entry[0].name, sizeof m.load.entry[0].name, "%s", entry);
    m.load.arg[0] =
        (struct kg_wire_arg){.kind = KG_WIRE_SLOT, .dtype = 1, .read_only = 1, .bytes = 4 * N};
    m.load.arg[1] = (struct kg_wire_arg){.kind = KG_WIRE_SLOT, .dtype = 1, .bytes = 4 * N};
    m.load.arg[2] = (struct kg_wire_arg){.kind = KG_WIRE_SCALAR, .bytes = 4};
    m.load.dims = (struct kg_wire_dims){{(N + 255) / 256, 1, 1}, {256, 1, 1}, 0};
    struct kg_wire_done d = order(w, p, &m, &fd, 1);
    close(fd);
    return d;
}

static struct kg_wire_done lend(struct kg_wire *w, struct kg_proc *p)
{
    static union kg_wire_order m;
    memset(&m, 0, sizeof m);
    const int fds[] = {in.fd, out.fd};
    m.slots.head.type = KG_WIRE_LEND;
    m.slots.n = 2;
    m.slots.slot[0] =
        (struct kg_wire_slot){.arg = 0, .read_only = 1, .file_bytes = in.bytes, .offset = 256};
    m.slots.slot[1] = (struct kg_wire_slot){.arg = 1, .file_bytes = out.bytes, .offset = 256};
    return order(w, p, &m, fds, 2);
}

static struct kg_wire_done go(struct kg_wire *w, struct kg_proc *p, int n, unsigned flags)
{
    static union kg_wire_order m;
    union kg_wire_claim c;
    memset(&m, 0, sizeof m);
    m.go.head.type = KG_WIRE_GO;
    m.go.scalar[2] = (uint32_t)n;
    m.go.flags = flags;
    struct kg_wire_done d = order(w, p, &m, NULL, 0);
    OK(kg_wire_claim(w, p, &c, 10) == KG_WIRE_GOT && c.head.type == KG_WIRE_LAUNCHED);
    return d;
}

/* Elements of y that are times x, of an x that nobody wrote to. */
static size_t right(float times)
{
    static float x[N], y[N];
    struct kg_error err = KG_ERROR_INIT;
    size_t n = 0;
    if (kg_gpu_read(gpu, x, in.address + 256, sizeof x, &err) ||
        kg_gpu_read(gpu, y, out.address + 256, sizeof y, &err))
        return 0;
    for (size_t i = 0; i < N; i++)
        n += y[i] == times * x[i] && x[i] == (float)i;
    return n;
}

static void check_trace(void)
{
    EQ_INT(trace->attached, 1);
    EQ_INT(trace->error, 0);
    printf("# tracer: %s, %u events, %u images, api %.1f us, sync %.1f us\n", trace->error_call,
           trace->n_events, trace->n_images, (double)trace->api_ns / 1e3,
           (double)trace->sync_ns / 1e3);
    EQ_INT(trace->done, 1);
    EQ_INT(trace->n_events, 2);
    EQ_INT(trace->events[1].phase, KG_TRACE_WORKER); /* its own copy, behind the call */
    const struct kg_trace_event *e = &trace->events[0];
    EQ_INT(e->kind, KG_TRACE_KERNEL);
    EQ_INT(e->phase, KG_TRACE_IN_CALL);
    EQ_STR(trace->names[e->name], "scale");
    EQ_INT(e->grid[0], (N + 255) / 256);
    OK(e->end_ns > e->start_ns && e->end_ns - e->start_ns < 1000000);
    OK(e->image < trace->n_images);
    if (e->image < trace->n_images)
        OK(trace->images[e->image].hash == kg_trace_hash(cubin.data, cubin.len));
}

static void run(const struct kg_sandbox *box)
{
    static struct kg_proc p;
    struct kg_wire w;
    static float x[N];
    struct kg_error err = KG_ERROR_INIT;
    memset(trace, 0, sizeof *trace);
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    OK(!kg_gpu_upload(gpu, in.address + 256, x, sizeof x, &err));
    OK(!kg_gpu_upload(gpu, out.address + 256, x, sizeof x, &err));
    OK(start(&p, &w, box));
    EQ_INT(load(&w, &p, &cubin, "scale", KG_WORKER_CANDIDATE).status, KG_DONE_OK);
    EQ_INT(lend(&w, &p).status, KG_DONE_OK);
    struct kg_wire_done d = go(&w, &p, N, 0);
    EQ_INT(d.status, KG_DONE_OK);
    NEAR(d.events_us, 0, 0); /* nobody asked */
    EQ_INT(right(2), N);
    check_trace();
    for (int i = 0; i < 2; i++) { /* the first one makes the events */
        d = go(&w, &p, N, KG_GO_EVENTS);
        EQ_INT(d.status, KG_DONE_OK);
        const struct kg_trace_event *e = &trace->events[0];
        printf("# events: %.2f us, tracer: %.2f us\n", d.events_us,
               (double)(e->end_ns - e->start_ns) / 1e3);
        EQ_INT(trace->n_events, 2); /* the events are no work of the device */
        OK(d.events_us > (double)(e->end_ns - e->start_ns) / 1e3 - 1);
        OK(d.events_us < 1e6 * (d.end_s - d.start_s) + 1);
    }
    EQ_INT(right(2), N);
    d = go(&w, &p, -1, 0);
    EQ_INT(d.status, KG_DONE_RUNTIME);
    EQ_INT(d.code, 700);
    EQ_INT(right(2), N);
    struct kg_buf layers = KG_BUF_INIT;
    kg_proc_layers_text(p.layers, &layers);
    printf("# layers: %s; said: %s\n", kg_buf_str(&layers), kg_buf_str(p.output));
    kg_buf_release(&layers);
    EQ_INT(load(&w, &p, &cubin, "scale", KG_WORKER_CANDIDATE).status, KG_DONE_WORKER);
    kg_proc_kill(&p);
    kg_wire_close(&w);
}

/* A shared object whose kg_call scales by 'factor'. */
static int build_object(int factor, struct kg_buf *object)
{
    static const char text[] =
        "__global__ void scale(const float *x, float *y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = FACTOR * x[i];\n"
        "}\n"
        "extern \"C\" void kg_call(void **a) {\n"
        "  int n = *(int *)a[2];\n"
        "  scale<<<(n + 255) / 256, 256>>>(*(float **)a[0], *(float **)a[1], n);\n"
        "}\n";
    struct kg_error err = KG_ERROR_INIT;
    char dir[] = "/tmp/kg-unit.XXXXXX";
    if (!mkdtemp(dir))
        return 0;
    char *src = kg_mem_printf("%s/scale.cu", dir), *so = kg_mem_printf("%s/scale.so", dir);
    char *command =
        kg_mem_printf("%s/bin/nvcc -arch=native -shared -cudart shared -Xcompiler -fPIC "
                      "-DFACTOR=%d -o %s %s",
                      kg_toolchain_get(NULL)->cuda_home, factor, so, src);
    FILE *f = fopen(src, "w");
    int rc =
        f && fputs(text, f) >= 0 && !fclose(f) && !system(command) && !kg_fs_read(so, object, &err);
    unlink(src);
    unlink(so);
    rmdir(dir);
    free(src);
    free(so);
    free(command);
    return rc;
}

/* A baseline's worker goes from program to program, and back; a candidate's does not. */
static void run_several(void)
{
    static struct kg_proc p;
    static struct kg_buf three = KG_BUF_INIT, five = KG_BUF_INIT;
    struct kg_wire w;
    OK(build_object(3, &three));
    OK(build_object(5, &five));
    const struct {
        const struct kg_buf *artifact;
        const char *entry;
        float factor;
    } turn[] = {{&three, "kg_call", 3}, {&five, "kg_call", 5}, {&cubin, "scale", 2},
                {&three, "kg_call", 3}, {&cubin, "scale", 2},  {&five, "kg_call", 5}};
    memset(trace, 0, sizeof *trace);
    OK(start(&p, &w, NULL));
    for (size_t i = 0; i < sizeof turn / sizeof *turn; i++) {
        EQ_INT(load(&w, &p, turn[i].artifact, turn[i].entry, KG_WORKER_BASELINE).status,
               KG_DONE_OK);
        EQ_INT(lend(&w, &p).status, KG_DONE_OK);
        EQ_INT(go(&w, &p, N, 0).status, KG_DONE_OK);
        EQ_INT(right(turn[i].factor), N);
        EQ_INT(trace->done, i + 1);
        EQ_INT(trace->n_events, 2);
    }
    EQ_INT(load(&w, &p, &cubin, "scale", KG_WORKER_CANDIDATE).status, KG_DONE_WORKER);
    kg_proc_kill(&p);
    kg_wire_close(&w);
}

int main(void)
{
    struct kg_error err = KG_ERROR_INIT;
    gpu = kg_gpu_open(0, &err);
    if (!gpu) {
        printf("ok 1 - # skip no GPU: %s\n1..1\n", err.text);
        return 0;
    }
    trace_fd = memfd_create("trace", MFD_CLOEXEC);
    OK(trace_fd >= 0 && !ftruncate(trace_fd, sizeof *trace));
    trace = mmap(NULL, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED, trace_fd, 0);
    OK(trace != MAP_FAILED);
    OK(build());
    OK(!kg_gpu_shared_new(gpu, 4 * N + 512, &in, &err));
    OK(!kg_gpu_shared_new(gpu, 4 * N + 512, &out, &err));
    run(NULL);
    run(&(struct kg_sandbox){.mode = KG_SANDBOX_AUTO, .devices = true});
    run_several();
    return tap_done();
}
