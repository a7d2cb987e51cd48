/*
 * The pipeline primitives for the host device of kg: a copy is done when it is asked for, which is one
 * of the orders that a GPU may choose.
 */
#ifndef KG_CUDA_PIPELINE_H
#define KG_CUDA_PIPELINE_H

#include "cuda_runtime.h"

static inline void __pipeline_memcpy_async(void *dst, const void *src, size_t bytes,
                                           size_t zero_fill = 0)
{
    if (zero_fill > bytes)
        zero_fill = bytes;
    memcpy(dst, src, bytes - zero_fill);
    memset(static_cast<char *>(dst) + (bytes - zero_fill), 0, zero_fill);
}
static inline void __pipeline_commit()
{
}
static inline void __pipeline_wait_prior(size_t)
{
}

#endif
