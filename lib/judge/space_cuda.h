/*
 * The parts of the GPU's space (space_cuda.c): its kernels, the comparison on the device, and what
 * the management library knows. Internal to lib/judge.
 */
#ifndef KG_JUDGE_SPACE_CUDA_H
#define KG_JUDGE_SPACE_CUDA_H

#include "device/gpu.h"
#include "judge/space.h"

struct kg_space_kernels {
    struct kg_gpu_module *module;
    uint64_t fill_blocks, fill_values, poison, guard, guard_check, hash, differs, flush, read,
        probe, row_squares, add_parts, compare;
};

/* Builds the kernels with NVRTC for the device (or takes them from the cache) and loads them. */
int kg_space_kernels_load(struct kg_gpu *g, struct kg_space_kernels *k, struct kg_error *err);

struct kg_space_compare_call {
    const struct kg_instance *in;
    size_t arg;
    const struct kg_tolerance *tol;
    uint64_t got, want; /* device addresses */
    bool want_is_f64;
    double scale_rms;
    uint64_t poison_key;
    size_t n;
    uint64_t scratch; /* kg_space_compare_scratch() bytes on the device */
};

size_t kg_space_compare_scratch(const struct kg_instance *in, size_t arg, size_t n);
/* The figures of kg_compare, computed on the device. */
int kg_space_compare_gpu(struct kg_gpu *g, const struct kg_space_kernels *k,
                         const struct kg_space_compare_call *call, struct kg_cmp_stats *out,
                         struct kg_error *err);

#endif
