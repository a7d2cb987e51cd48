/*
 * One GPU, as the judge and the native worker use it: a context, memory, exported and imported
 * memory, modules and launches. No vendor type is shown. Addresses are uint64_t.
 *
 * A kg_gpu may be used by several threads (the context is made current in each call). Every call
 * that can fail returns 0, or -1 with err; KG_E_LOST when the device or the context is gone.
 */
#ifndef KG_DEVICE_GPU_H
#define KG_DEVICE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "device/cuda.h"

struct kg_gpu;

/* The device's primary context (shared by everybody in the process). */
struct kg_gpu *kg_gpu_open(int index, struct kg_error *err);
void kg_gpu_close(struct kg_gpu *g);
const struct kg_cuda_device *kg_gpu_device(const struct kg_gpu *g);
/* "sm_90" */
void kg_gpu_target(const struct kg_gpu *g, char target[16]);
size_t kg_gpu_l2_bytes(const struct kg_gpu *g);

int kg_gpu_mem_info(struct kg_gpu *g, uint64_t *free_bytes, uint64_t *total, struct kg_error *err);

/* ---- memory of the process --------------------------------------------------------------- */

int kg_gpu_alloc(struct kg_gpu *g, size_t bytes, uint64_t *address, struct kg_error *err);
void kg_gpu_free(struct kg_gpu *g, uint64_t address); /* 0 is harmless */

int kg_gpu_copy(struct kg_gpu *g, uint64_t dst, uint64_t src, size_t bytes, struct kg_error *err);
int kg_gpu_upload(struct kg_gpu *g, uint64_t dst, const void *src, size_t bytes,
                  struct kg_error *err);
int kg_gpu_read(struct kg_gpu *g, void *dst, uint64_t src, size_t bytes, struct kg_error *err);
int kg_gpu_synchronize(struct kg_gpu *g, struct kg_error *err);
/* Waits for the default stream and all that it is ordered with, as a caller's next copy would. */
int kg_gpu_synchronize_default(struct kg_gpu *g, struct kg_error *err);

/* Two events on the default stream. us: after kg_gpu_synchronize_default. */
struct kg_gpu_timer {
    void *start, *stop;
};
int kg_gpu_timer_new(struct kg_gpu *g, struct kg_gpu_timer *t, struct kg_error *err);
int kg_gpu_timer_start(struct kg_gpu *g, struct kg_gpu_timer *t, struct kg_error *err);
int kg_gpu_timer_stop(struct kg_gpu *g, struct kg_gpu_timer *t, struct kg_error *err);
int kg_gpu_timer_us(struct kg_gpu *g, struct kg_gpu_timer *t, double *us, struct kg_error *err);

/* ---- memory that crosses processes (virtual memory API) ---------------------------------- */

struct kg_gpu_shared {
    uint64_t address; /* mapped here */
    size_t bytes;     /* whole granules */
    int fd;           /* to be passed on; -1 after an import */
    uint64_t handle;  /* the allocation */
};

#define KG_GPU_SHARED_INIT                                                                         \
    {                                                                                              \
        0, 0, -1, 0                                                                                \
    }

/* Makes memory of at least 'bytes', maps it here for reading and writing, and exports it. */
int kg_gpu_shared_new(struct kg_gpu *g, size_t bytes, struct kg_gpu_shared *out,
                      struct kg_error *err);
/* Maps what another process exported; read_only: a write to it is an illegal access. fd stays the
 * caller's. */
int kg_gpu_shared_import(struct kg_gpu *g, int fd, size_t bytes, bool read_only,
                         struct kg_gpu_shared *out, struct kg_error *err);
void kg_gpu_shared_free(struct kg_gpu *g, struct kg_gpu_shared *s);

/* ---- modules ----------------------------------------------------------------------------- */

struct kg_gpu_module;

struct kg_gpu_module *kg_gpu_module_load(struct kg_gpu *g, const void *image, struct kg_error *err);
void kg_gpu_module_free(struct kg_gpu *g, struct kg_gpu_module *m);
/* A kernel by the name in the image; 0 with err (KG_E_MISSING) when it is not there. */
uint64_t kg_gpu_kernel(struct kg_gpu *g, struct kg_gpu_module *m, const char *name,
                       struct kg_error *err);
/* The only kernel of an image, or the only one whose name contains 'part'. */
uint64_t kg_gpu_kernel_like(struct kg_gpu *g, struct kg_gpu_module *m, const char *part,
                            struct kg_error *err);

/*
 * Launches on the null stream; dynamic shared memory above 48 KiB is opted in to. args[i] is the
 * address of the i-th parameter. *code, where given, gets the driver's number of the error (0:
 * none).
 */
int kg_gpu_launch(struct kg_gpu *g, uint64_t kernel, const unsigned grid[3],
                  const unsigned block[3], size_t shared, void **args, int *code,
                  struct kg_error *err);

/* A launch over n elements: as many blocks of 256 as are useful. */
int kg_gpu_launch_n(struct kg_gpu *g, uint64_t kernel, uint64_t n, void **args,
                    struct kg_error *err);
unsigned kg_gpu_blocks_n(const struct kg_gpu *g, uint64_t n);

/* What persisted in L2 is normal again. */
int kg_gpu_reset_l2(struct kg_gpu *g, struct kg_error *err);

/* The number of the driver's last error of this thread's calls here; its name. For workers, which
 * tell the judge. 700: an illegal address, 719: a launch failed, 2: out of memory. */
int kg_gpu_last_code(void);

#endif
