/* Stand-ins for the headers of Chapel 2.9 that its tasking layer sees: names and types alone. */
#ifndef STAND_IN_CHPLRT_H
#define STAND_IN_CHPLRT_H

#include "chpltypes.h"

#endif
