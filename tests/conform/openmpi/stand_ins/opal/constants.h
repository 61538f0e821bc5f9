/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_OPAL_CONSTANTS_H
#define STAND_IN_OPAL_CONSTANTS_H
enum { OPAL_SUCCESS = 0, OPAL_ERROR = -1, OPAL_ERR_OUT_OF_RESOURCE = -2, OPAL_ERR_BAD_PARAM = -5 };
#endif
