/* Stand-in for Chapel 2.9: numbers of files that are none. */
#ifndef STAND_IN_CHPL_LINEFILE_SUPPORT_H
#define STAND_IN_CHPL_LINEFILE_SUPPORT_H

#define CHPL_FILE_IDX_UNKNOWN -5
#define CHPL_FILE_IDX_COMM_TASK -7
#define CHPL_FILE_IDX_MAIN_TASK -8

#endif
