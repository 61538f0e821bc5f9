/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_THREADS_TSD_H
#define STAND_IN_THREADS_TSD_H
#include "opal_config.h"

typedef void (*opal_tsd_destructor_t)(void *value);

#include MCA_threads_tsd_base_include_HEADER

OPAL_DECLSPEC int opal_tsd_key_create(opal_tsd_key_t *key, opal_tsd_destructor_t destructor);
#endif
