/*
 * The runtime API for the host device of kg. Written from the public documentation of the CUDA
 * toolkit; what is not here is not supported on host.
 */
#ifndef KG_CUDA_RUNTIME_H
#define KG_CUDA_RUNTIME_H

#include <cmath>
#include <math.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kg/builtin.h"
#include "kg/launch.h"
#include "kg/warp.h"
#include "kg/atomics.h"
#include "kg/math.h"
#include "kg/api.h"

#endif
