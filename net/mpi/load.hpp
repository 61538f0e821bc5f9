// Loading a module (module.h). Needs nothing of Weft, and no object of its own: the ranks of a job
// and the transports of frames, which belong to different libraries, both do it.
#pragma once

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <cstddef>

#include "net/mpi/launched.hpp"
#include "net/mpi/module.h"

namespace weft::net {

// library: the file of the MPI's library, which the module then finds loaded; null or empty: the
// module's own search finds one. Null: why says why, for people; it is valid until the next call.
inline const weft_net_module* load_module(const char* file, const char* library, const char** why) {
  // Open MPI's plug-ins look for its symbols.
  constexpr int mode = RTLD_NOW | RTLD_GLOBAL;
  const bool has_library = library != nullptr && *library != 0;
  void* const opened = has_library && dlopen(library, mode) == nullptr ? nullptr : dlopen(file, mode);
  if (opened == nullptr) {
    *why = dlerror();
    return nullptr;
  }
  const auto* const found = static_cast<const weft_net_module*>(dlsym(opened, WEFT_NET_MODULE_SYMBOL));
  if (found == nullptr) {
    *why = "this is no module for an MPI (libweft-net-*.so)";
    return nullptr;
  }
  if (found->version != WEFT_NET_MODULE_VERSION || found->bytes != sizeof *found) {
    *why = "the module is of another version of Weft than the program; build both from one";
    return nullptr;
  }
  return found;
}

// A module and the launcher under which it starts.
struct pairing {
  const weft_net_module* module;
  const char* file;                    // of the module
  int asked;                           // ranks, by WEFT_LAUNCH_RANKS; 0: that is not set
  launcher_sign by = find_launcher();  // both as they are before the MPI starts and sets variables
  int launched = launched_ranks();
};

// How many ranks the job has if the two fit. What the launcher says counts only where an MPI sees
// one rank: that of a job in several parts may be the number of one part.
inline int expected_ranks(const pairing& both, int seen) {
  if (both.asked != 0) return both.asked;
  return seen == 1 && both.launched > 1 ? both.launched : seen;
}

inline void describe_misfit(const pairing& both, int seen, char* out, std::size_t bytes) {
  snprintf(out, bytes,
           "the module %s is for %s, which does not fit to %s, by which this program was started: of %d ranks it sees %d; %s%s",
           both.file, both.module->built_for, both.by.name, expected_ranks(both, seen), seen, both.by.cure,
           both.asked == 0 ? ", or set WEFT_LAUNCH_RANKS=1 if each process is to be a job of its own" : "");
}

// Of a process that its MPI ends at the start, as MPICH 5 does where another MPI's launcher has
// started it. Such an MPI has lines of its own, which name neither.
inline void describe_end_at_start(const pairing& both, char* out, std::size_t bytes) {
  snprintf(
      out, bytes,
      "the MPI of the module %s, which is for %s, ended the program at its start; %s has started it: if that is the launcher "
      "of another MPI or version, %s",
      both.file, both.module->built_for, both.by.name, both.by.cure);
}

}  // namespace weft::net
