/* Stand-in for Chapel 2.9: environment variables of the runtime, without their CHPL_RT_. */
#ifndef STAND_IN_CHPL_ENV_H
#define STAND_IN_CHPL_ENV_H

#include "chpltypes.h"

chpl_bool chpl_env_rt_get_bool(const char *name, chpl_bool usual);

#endif
