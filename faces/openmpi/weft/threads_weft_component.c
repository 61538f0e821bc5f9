/* Weft as Open MPI's threads: the component, and what it does when a lock fails. */
#include "opal_config.h"

#include <stdio.h>
#include <stdlib.h>

#include "opal/constants.h"
#include "opal/mca/threads/thread.h"
#include "opal/mca/threads/threads.h"
#include "opal/mca/threads/weft/threads_weft.h"

const opal_threads_base_component_1_0_0_t mca_threads_weft_component = {
    .threadsc_version = {OPAL_THREADS_BASE_VERSION_1_0_0, .mca_component_name = "weft",
                         MCA_BASE_MAKE_VERSION(component, OPAL_MAJOR_VERSION, OPAL_MINOR_VERSION, OPAL_RELEASE_VERSION)},
    .threadsc_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
};
#ifdef MCA_BASE_COMPONENT_INIT /* since 6.0 */
MCA_BASE_COMPONENT_INIT(opal, threads, weft)
#endif

static const char *cure_of(weft_status status) {
  if (status == WEFT_CANNOT_BLOCK) return "call MPI in a thread, not in a tasklet or a callback of Weft's";
  if (status == WEFT_UNSUPPORTED) return "call no MPI in a child of fork(2)";
  return "this is a fault of Open MPI's or of this component's";
}

void opal_threads_weft_give_up(const char *call, weft_status status) {
  fprintf(stderr, "Open MPI on Weft: %s: %s (%s): %s\n", call, weft_status_name(status), weft_last_error(), cure_of(status));
  abort();
}
