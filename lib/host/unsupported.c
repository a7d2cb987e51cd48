/*
 * What the host device lacks, by name.
 */
#include <string.h>

#include "host/rewrite.h"

/* how: 'h' header (a prefix), 'n' namespace (name followed by ::), 'f' function (followed by ( or
 * <), 'p' function prefix, 'w' any word */
struct construct {
    char how;
    const char *name, *what;
};

static const struct construct constructs[] = {
    {'w', "asm", "inline PTX (asm)"},
    {'w', "__asm__", "inline PTX (asm)"},
    {'w', "__asm", "inline PTX (asm)"},
    {'h', "mma.h", "tensor cores (wmma)"},
    {'n', "nvcuda", "tensor cores (wmma)"},
    {'n', "wmma", "tensor cores (wmma)"},
    {'h', "cub/", "CUB"},
    {'n', "cub", "CUB"},
    {'h', "thrust/", "Thrust"},
    {'n', "thrust", "Thrust"},
    {'h', "cuda/", "libcu++ (cuda::)"},
    {'n', "cuda", "libcu++ (cuda::)"},
    {'h', "cutlass/", "CUTLASS"},
    {'n', "cutlass", "CUTLASS"},
    {'h', "cute/", "CuTe"},
    {'n', "cute", "CuTe"},
    {'h', "cublas", "cuBLAS"},
    {'p', "cublas", "cuBLAS"},
    {'h', "cudnn", "cuDNN"},
    {'p', "cudnn", "cuDNN"},
    {'h', "curand", "cuRAND"},
    {'p', "curand", "cuRAND"},
    {'h', "cufft", "cuFFT"},
    {'h', "cusparse", "cuSPARSE"},
    {'h', "cusolver", "cuSOLVER"},
    {'h', "nccl.h", "NCCL"},
    {'h', "nvtx3/", "NVTX"},
    {'h', "nvToolsExt.h", "NVTX"},
    {'h', "nvrtc.h", "NVRTC"},
    {'h', "cuda_fp8.h", "8-bit floats (cuda_fp8.h)"},
    {'h', "cuda_fp6.h", "6-bit floats (cuda_fp6.h)"},
    {'h', "cuda_fp4.h", "4-bit floats (cuda_fp4.h)"},
    {'h', "cuda_awbarrier", "asynchronous barriers (cuda_awbarrier.h)"},
    {'h', "cudaTypedefs.h", "the tensor memory accelerator (TMA)"},
    {'w', "CUtensorMap", "the tensor memory accelerator (TMA)"},
    {'h', "texture_", "textures"},
    {'h', "surface_", "surfaces"},
    {'h', "torch/", "PyTorch's C++ interface"},
    {'h', "ATen/", "PyTorch's C++ interface"},
    {'h', "c10/", "PyTorch's C++ interface"},
    {'p', "__nvvm_", "compiler intrinsics (__nvvm_*)"},
    {'f', "tex1Dfetch", "textures"},
    {'f', "tex1D", "textures"},
    {'f', "tex2D", "textures"},
    {'f', "tex3D", "textures"},
    {'f', "surf2Dread", "surfaces"},
    {'f', "surf2Dwrite", "surfaces"},
    {'w', "cudaTextureObject_t", "textures"},
    {'w', "cudaSurfaceObject_t", "surfaces"},
    {'w', "cudaArray_t", "CUDA arrays"},
    {'p', "cudaGraph", "CUDA graphs"},
    {'p', "cudaStreamBeginCapture", "CUDA graphs"},
    {'f', "cudaLaunchKernelEx", "cudaLaunchKernelEx (clusters, launch attributes)"},
    {'f', "cudaLaunchKernelExC", "cudaLaunchKernelExC (clusters, launch attributes)"},
    {'w', "__cluster_dims__", "thread block clusters"},
    {'w', "cluster_group", "thread block clusters"},
    {'f', "this_cluster", "thread block clusters"},
    {'p', "cuLaunch", "the driver API"},
    {'f', "cuModuleLoadData", "the driver API"},
    {'f', "cuMemAlloc", "the driver API"},
};

static bool starts(const struct kg_tokens *ts, size_t i, size_t skip, const char *prefix)
{
    const struct kg_token *t = &ts->t[i];
    size_t n = strlen(prefix);
    return t->len >= n + skip && !memcmp(ts->src + t->at + skip, prefix, n);
}

static bool is_construct(const struct kg_tokens *ts, size_t i, const struct construct *c)
{
    if (c->how == 'h')
        return ts->t[i].kind == KG_TOKEN_HEADER
                   ? starts(ts, i, 1, c->name)
                   : ts->t[i].kind == KG_TOKEN_STRING && kg_token_is(ts, i - 1, "include") &&
                         starts(ts, i, 1, c->name);
    if (ts->t[i].kind != KG_TOKEN_WORD || kg_token_is(ts, i - 1, ".") ||
        kg_token_is(ts, i - 1, "->"))
        return false;
    switch (c->how) {
    case 'n':
        return kg_token_is(ts, i, c->name) && kg_token_is(ts, i + 1, "::") &&
               !kg_token_is(ts, i - 1, "::");
    case 'f':
        return kg_token_is(ts, i, c->name) &&
               (kg_token_is(ts, i + 1, "(") || kg_token_is(ts, i + 1, "<"));
    case 'p':
        return starts(ts, i, 0, c->name) && kg_token_is(ts, i + 1, "(");
    default:
        return kg_token_is(ts, i, c->name);
    }
}

/* asm("" ...) holds no instruction: it only orders what the compiler does. */
static bool is_empty_asm(const struct kg_tokens *ts, size_t i)
{
    while (kg_token_is(ts, i + 1, "volatile") || kg_token_is(ts, i + 1, "__volatile__"))
        i++;
    return kg_token_is(ts, i + 1, "(") && kg_token_is(ts, i + 2, "\"\"");
}

/* Does the source define a function or namespace of that name itself? Then it is its own. */
static bool is_own(const struct kg_tokens *ts, const struct construct *c)
{
    for (size_t i = 2; i + 1 < ts->n; i++) {
        if (!kg_token_is(ts, i, c->name))
            continue;
        if (c->how == 'n' && kg_token_is(ts, i - 1, "namespace") && kg_token_is(ts, i + 1, "{"))
            return true;
        size_t close = ts->t[i + 1].mate;
        if (c->how == 'f' && close > i && kg_token_is(ts, i + 1, "(") &&
            kg_token_is(ts, close + 1, "{") && ts->t[i - 1].kind == KG_TOKEN_WORD)
            return true;
    }
    return false;
}

int kg_rewrite_check(const struct kg_rewrite *w, struct kg_error *err)
{
    const struct kg_tokens *ts = &w->ts;
    for (size_t i = 1; i < ts->n && !kg_tokens_spent(ts); i++) {
        const struct kg_token *t = &ts->t[i];
        if (t->dead ||
            (t->kind != KG_TOKEN_WORD && t->kind != KG_TOKEN_HEADER && t->kind != KG_TOKEN_STRING))
            continue;
        for (size_t k = 0; k < sizeof constructs / sizeof *constructs; k++) {
            const struct construct *c = &constructs[k];
            if (is_construct(ts, i, c) && !is_own(ts, c) && !is_empty_asm(ts, i))
                return kg_error_at(err, KG_E_UNSUPPORTED, w->name, t->line, 0,
                                   "%s: not supported on host", c->what);
        }
    }
    return 0;
}
