#include "net/frames/choose.hpp"

#include <stdlib.h>
#include <string.h>

#include "net/mpi/load.hpp"

namespace weft::net {

const char known_frames[] = "tcp, mpi-funneled, mpi-funneled-poster, mpi-multiple, mpi-onesided, mpi-onesided-poster";

const frames* find_frames(const char* name) {
  const frames* const all[] = {&tcp, &mpi_funneled, &mpi_funneled_poster, &mpi_multiple, &mpi_one_sided, &mpi_one_sided_poster};
  for (const frames* each : all)
    if (strcmp(each->name, name) == 0) return each;
  return nullptr;
}

const char* network_of(const frames* by) { return by == &tcp ? "system" : "MPI"; }

const frames* launched_frames() {
  const char* const module = getenv("WEFT_LAUNCH_MPI");
  const bool is_launched = (module != nullptr && *module != 0) || find_launcher().module != nullptr;
  return is_launched ? &mpi_multiple : nullptr;
}

}  // namespace weft::net
