/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_THREADS_CONDITION_H
#define STAND_IN_THREADS_CONDITION_H
#include "opal/mca/threads/mutex.h"

typedef struct opal_condition_t {
  opal_object_t super;
  volatile int c_waiting, c_signaled;
} opal_condition_t;
OBJ_CLASS_DECLARATION(opal_condition_t);
#endif
