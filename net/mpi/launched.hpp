// Which launcher has started this process, as far as its variables tell. Needs nothing of Weft, and
// no object of its own, as load.hpp.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <cstddef>

#include "net/mpi/module.h"

namespace weft::net {

// name null: no launcher that is known.
struct launcher_sign {
  char name[64];       // for people
  const char* module;  // the file's name of the module that fits; null: that depends
  const char* rank;    // the number of this process among those it started; null: none
  bool is_first;       // this process is the first of them that can tell what is wrong
  const char* cure;    // of a module that does not fit
};

namespace launcher_variables {

struct entry {
  const char *rank, *ranks, *name, *module;
};
inline constexpr char open_mpi_s[] = "Open MPI's mpirun", slurm_s[] = "Slurm's srun", hydra_s[] = "an MPICH's mpirun";
inline constexpr char step_ranks[] = "SLURM_STEP_NUM_TASKS", pmix_rank[] = "PMIX_RANK";
inline constexpr entry of_mpis[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", open_mpi_s, "libweft-net-openmpi.so"},
                                    {"PMI_RANK", "PMI_SIZE", hydra_s, "libweft-net-mpich.so"}};
inline constexpr entry others[] = {{"SLURM_PROCID", step_ranks, slurm_s, nullptr},
                                   {pmix_rank, nullptr, "a launcher that speaks PMIx", nullptr}};

inline int number_in(const char* variable) {
  const char* const text = variable != nullptr ? getenv(variable) : nullptr;
  return text != nullptr ? atoi(text) : 0;
}

// srun has PMI_RANK as well, but Hydra, which srun may have started, has told its own.
inline bool is_slurm_s(const entry& found) {
  return found.name == slurm_s ||
         (found.name == hydra_s && getenv(step_ranks) != nullptr && getenv("MPI_LOCALNRANKS") == nullptr);
}

inline launcher_sign sign_of(const entry& found) {
  launcher_sign made = {"", found.module, getenv(found.rank), true, "give weft launch --mpi the launcher of that MPI"};
  const bool is_slurm = is_slurm_s(found);
  const char* const version = found.name == open_mpi_s ? getenv("OMPI_VERSION") : nullptr;
  snprintf(made.name, sizeof made.name, "%s%s%.16s", is_slurm ? slurm_s : found.name, version != nullptr ? " " : "",
           version != nullptr ? version : "");
  const int first = found.ranks == nullptr ? 1 : 0;  // PMIx tells no number: rank 0 cannot know that it is not alone
  made.is_first = made.rank == nullptr || atoi(made.rank) == first;
  if (is_slurm) made.cure = "give srun the --mpi= of that MPI: pmi2 or pmix, as srun --mpi=list has it";
  return made;
}

inline const entry* find() {
  for (const entry& each : of_mpis)
    if (getenv(each.rank) != nullptr) return &each;
  for (const entry& each : others)
    if (getenv(each.rank) != nullptr) return &each;
  return nullptr;
}

}  // namespace launcher_variables

inline launcher_sign find_launcher() {
  const launcher_variables::entry* const found = launcher_variables::find();
  if (found == nullptr) return {"the launcher", nullptr, nullptr, true, "give weft launch --mpi the launcher of that MPI"};
  return launcher_variables::sign_of(*found);
}

// How many ranks the launcher says that it has started; 0: that is not known. A job of one rank may
// have been started inside another one, whose variables are still there. So the number is 1 where
// any MPI's launcher says so, and the batch system is asked only where no MPI's launcher is seen.
inline int launched_ranks() {
  using namespace launcher_variables;
  int found = 0;
  for (const entry& each : of_mpis) {
    const int ranks = number_in(each.ranks);
    if (ranks == 1) return 1;
    if (found == 0) found = ranks;
  }
  if (found == 0) found = number_in(step_ranks);
  return found != 0 || getenv(pmix_rank) == nullptr ? found : number_in(pmix_rank) + 1;
}

}  // namespace weft::net
