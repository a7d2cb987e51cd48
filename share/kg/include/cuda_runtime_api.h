/* All of it is in cuda_runtime.h here. */
#ifndef KG_WRAP_CUDA_RUNTIME_API_H
#define KG_WRAP_CUDA_RUNTIME_API_H

#include "cuda_runtime.h"

#endif
