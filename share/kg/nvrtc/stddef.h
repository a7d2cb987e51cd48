#include "kg_nvrtc.h"
