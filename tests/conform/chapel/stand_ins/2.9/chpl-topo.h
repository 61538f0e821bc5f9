/* Stand-in for Chapel 2.9: how many CPUs there are, and binding to one. */
#ifndef STAND_IN_CHPL_TOPO_H
#define STAND_IN_CHPL_TOPO_H

#include "chpltypes.h"

int chpl_topo_getNumCPUsPhysical(chpl_bool accessible_only);
int chpl_topo_getNumCPUsLogical(chpl_bool accessible_only);
int chpl_topo_bindCPU(int cpu);

#endif
