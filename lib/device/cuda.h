/*
 * The CUDA driver, opened at run time: a program starts without one, and says so when it is needed.
 * Nothing here shows a vendor type, so any file may include it; files of this folder that call the
 * driver themselves include cuda_api.h.
 *
 * Every failed call is reported as
 *     cuModuleLoadData: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed [cuda.c:88]
 */
#ifndef KG_DEVICE_CUDA_H
#define KG_DEVICE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct kg_cuda_device {
    int index; /* among the visible devices */
    char name[256];
    char uuid[48];    /* "GPU-4d1b2c5e-..." as the vendor's tools spell it */
    int major, minor; /* compute capability */
    int multiprocessors;
    uint64_t memory_bytes;
};

/* Opens libcuda and initialises it, once; later calls give the same answer. -1: KG_E_MISSING with
 * the loader's or the driver's words. Thread-safe. */
int kg_cuda_open(struct kg_error *err);

/* Visible devices (CUDA_VISIBLE_DEVICES is the driver's affair): the number, or -1 with err. */
int kg_cuda_count(struct kg_error *err);
int kg_cuda_device(int index, struct kg_cuda_device *out, struct kg_error *err);

/* 13000 for 13.0; 0 when there is no driver. */
int kg_cuda_driver_version(void);

/* The file that was opened, or NULL. */
const char *kg_cuda_path(void);

#endif
