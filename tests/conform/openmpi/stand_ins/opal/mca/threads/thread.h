/* A stand-in of our own for the header of this name in Open MPI: what the component uses of it, and no more. */
#ifndef STAND_IN_THREADS_THREAD_H
#define STAND_IN_THREADS_THREAD_H
#include "opal_config.h"

typedef struct mca_base_component_t {
  const char *framework;
  const char *mca_component_name;
  int major, minor, release;
} mca_base_component_t;
typedef struct opal_threads_base_component_1_0_0_t {
  mca_base_component_t threadsc_version;
  struct {
    int flags;
  } threadsc_data;
} opal_threads_base_component_1_0_0_t;

#define OPAL_MAJOR_VERSION STAND_IN_MAJOR
#define OPAL_MINOR_VERSION 0
#define OPAL_RELEASE_VERSION 1
#define OPAL_THREADS_BASE_VERSION_1_0_0 .framework = "threads"
#define MCA_BASE_MAKE_VERSION(kind, its_major, its_minor, its_release) \
  .major = its_major, .minor = its_minor, .release = its_release
#define MCA_BASE_METADATA_PARAM_CHECKPOINT .flags = 2
#if STAND_IN_MAJOR >= 6 /* which finds static components by pointers */
#define MCA_BASE_COMPONENT_INIT(project, framework, name)                \
  const mca_base_component_t *mca_##framework##_##name##_component_ptr = \
      (const mca_base_component_t *)&mca_##framework##_##name##_component;
extern const mca_base_component_t *mca_threads_weft_component_ptr;
#endif
extern const opal_threads_base_component_1_0_0_t mca_threads_weft_component;
#endif
