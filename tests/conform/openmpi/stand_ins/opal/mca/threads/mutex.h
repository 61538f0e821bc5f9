/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_THREADS_MUTEX_H
#define STAND_IN_THREADS_MUTEX_H
#include "opal_config.h"

#include MCA_threads_mutex_base_include_HEADER
#endif
