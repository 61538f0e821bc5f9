/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_OPAL_CONFIG_H
#define STAND_IN_OPAL_CONFIG_H
#include <stdbool.h>
#include <stddef.h>

#define BEGIN_C_DECLS
#define END_C_DECLS
#define OPAL_DECLSPEC __attribute__((visibility("default")))
/* As the component's configure.m4 defines them. */
#ifdef OPAL_WEFT_CHOICE
#define MCA_threads_base_include_HEADER "opal/mca/threads/weft/threads_weft_choice_threads.h"
#define MCA_threads_mutex_base_include_HEADER "opal/mca/threads/weft/threads_weft_choice_mutex.h"
#define MCA_threads_tsd_base_include_HEADER "opal/mca/threads/weft/threads_weft_choice_tsd.h"
#else
#define MCA_threads_base_include_HEADER "opal/mca/threads/weft/threads_weft_threads.h"
#define MCA_threads_mutex_base_include_HEADER "opal/mca/threads/weft/threads_weft_mutex.h"
#define MCA_threads_tsd_base_include_HEADER "opal/mca/threads/weft/threads_weft_tsd.h"
#endif
#endif
