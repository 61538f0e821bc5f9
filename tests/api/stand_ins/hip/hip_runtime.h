/* What tests compile in place of HIP's header of this name. */
#pragma once

#include <hip/hip_runtime_api.h>
