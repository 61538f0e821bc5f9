/* Stand-in for Chapel 1.3: nothing of it is needed. */
#ifndef STAND_IN_CHPL_COMM_H
#define STAND_IN_CHPL_COMM_H

#endif
