// Loading a module (module.h). Needs nothing of Weft, and no object of its own: the ranks of a job
// and the transports of frames, which belong to different libraries, both do it.
#pragma once

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstddef>

#include "net/mpi/module.h"

namespace weft::net {

// The launcher by whose variables this process is one of several; name null: none that is known.
struct launcher_sign {
  const char* name;    // as people call it
  bool is_first;       // this process is its first
  const char* module;  // the file's name of the module that fits
  const char* rank;    // its number among them
};

// Null: why says why, for people; it is valid until the next call.
inline const weft_net_module* load_module(const char* file, const char** why) {
  // Open MPI's plug-ins look for its symbols.
  void* const opened = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
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

inline launcher_sign find_launcher() {
  constexpr struct {
    const char *variable, *name, *module;
  } signs[] = {{"OMPI_COMM_WORLD_RANK", "Open MPI's mpirun", "libweft-net-openmpi.so"},
               {"PMI_RANK", "an MPICH's mpirun", "libweft-net-mpich.so"},
               {"SLURM_PROCID", "Slurm's srun", nullptr}};
  for (const auto& each : signs) {
    const char* const rank = getenv(each.variable);
    if (rank != nullptr) return {each.name, strcmp(rank, "0") == 0, each.module, rank};
  }
  return {nullptr, true, nullptr, nullptr};
}

// What is to be told of a module that sees other ranks than its launcher started.
inline void describe_misfit(const weft_net_module& module, const char* file, int seen, int wanted, char* out, std::size_t bytes) {
  const launcher_sign found = find_launcher();
  snprintf(out, bytes,
           "the module %s is for %s, which does not fit to %s, by which this program was started: of %d ranks it sees %d; give "
           "weft launch --mpi the launcher of that MPI",
           file, module.built_for, found.name != nullptr ? found.name : "the launcher", wanted, seen);
}

}  // namespace weft::net
