/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_THREADS_THREADS_H
#define STAND_IN_THREADS_THREADS_H
#include "opal/mca/threads/condition.h"

#include MCA_threads_base_include_HEADER
#endif
