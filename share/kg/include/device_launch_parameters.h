/* All of it is in cuda_runtime.h here. */
#ifndef KG_WRAP_DEVICE_LAUNCH_PARAMETERS_H
#define KG_WRAP_DEVICE_LAUNCH_PARAMETERS_H

#include "cuda_runtime.h"

#endif
