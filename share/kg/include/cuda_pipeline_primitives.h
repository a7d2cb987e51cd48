/* All of it is in cuda_pipeline.h here. */
#ifndef KG_WRAP_CUDA_PIPELINE_PRIMITIVES_H
#define KG_WRAP_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_pipeline.h"

#endif
