/* A plug-in that is linked with the static library, for unload.c: it gives out the calls that a
 * library of Weft's would export. */
#include <weft/weft.h>

#include "unload.h"

const struct unload_calls unload_calls_of_plug_in = {weft_init, weft_finalize, weft_thread_create, weft_thread_join};
