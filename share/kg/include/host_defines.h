/* All of it is in cuda_runtime.h here. */
#ifndef KG_WRAP_HOST_DEFINES_H
#define KG_WRAP_HOST_DEFINES_H

#include "cuda_runtime.h"

#endif
