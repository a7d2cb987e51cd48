/* All of it is in cuda_runtime.h here. */
#ifndef KG_WRAP_VECTOR_TYPES_H
#define KG_WRAP_VECTOR_TYPES_H

#include "cuda_runtime.h"

#endif
