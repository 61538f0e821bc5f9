/* Stand-in for Chapel 1.24: how many CPUs there are. */
#ifndef STAND_IN_CHPL_TOPO_H
#define STAND_IN_CHPL_TOPO_H

#include "chpltypes.h"

int chpl_topo_getNumCPUsPhysical(chpl_bool accessible_only);
int chpl_topo_getNumCPUsLogical(chpl_bool accessible_only);

#endif
