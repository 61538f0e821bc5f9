// A weft_init that finds the runtime running: what of its configuration still counts.
#pragma once

#include <weft/runtime.h>

#include "base/status.hpp"
#include "os/env.hpp"

namespace weft::sched {

struct runtime;

// Whether a configuration, which may be null, is one of this library. Errors: invalid, told on
// stderr.
status check_config(const weft_config* config);

// As os::read_settings. Errors: invalid, told on stderr.
status read_environment(os::settings* out);
// More workers than there can be. Returns invalid.
status refuse_workers(unsigned wanted);

// Of the program, in a runtime that a layer started: more workers, if it wants more than there are,
// and stealing, if it does not refuse that. Errors: invalid, again, nomem; workers that were added
// until then stay.
status grow(runtime* rt, const weft_config* config);

// One line about settings that differ from those in force. False: there are none.
bool tell_ignored(runtime* rt, const weft_config* config);

}  // namespace weft::sched
