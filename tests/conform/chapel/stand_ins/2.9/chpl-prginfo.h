/* Stand-in for Chapel 2.9: what the runtime reads of a program, of which several may be loaded. */
#ifndef STAND_IN_CHPL_PRGINFO_H
#define STAND_IN_CHPL_PRGINFO_H

#include "chpltypes.h"

typedef struct chpl_rt_prginfo {
  uint64_t id;
  struct {
    const chpl_fn_p *chpl_ftable;
    c_sublocid_t (*chpl_localeModel_sublocToExecutionSubloc)(c_sublocid_t full);
  } data;
} chpl_rt_prginfo;

extern chpl_rt_prginfo stand_in_root_program;

#define CHPL_RT_ROOT_PROGRAM_PLACEHOLDER (&stand_in_root_program)
#define CHPL_RT_PRGINFO_DATA(program, name) ((program)->data.name)

#endif
