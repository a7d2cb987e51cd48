/* All of it is in cuda_runtime.h here. */
#ifndef KG_WRAP_MATH_FUNCTIONS_H
#define KG_WRAP_MATH_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
