/* See report.h. */
#include "report.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>
#include <weft/version.h>

#include "caller.h"
#include "rank.h"
#include "real.h"
#include "say.h"
#include "serial.h"
#include "settings.h"

static void report_libraries(int provided) {
  static char text[VERSION_BYTES];
  int length = 0;
  int major = 0;
  int minor = 0;
  int ranks = 0;
  PMPI(Get_library_version)(text, &length);
  PMPI(Get_version)(&major, &minor);
  CALL(Comm_size, WORLD, &ranks);
  text[strcspn(text, "\n")] = 0;
  for (char *each = strchr(text, '\t'); each != NULL; each = strchr(each, '\t')) *each = ' ';
  say("weft-mpi: %s %s for the ABI of %s, over %s (MPI %d.%d), which provides %s to %d %s", WEFT_MPI_LIBRARY, WEFT_VERSION,
      WEFT_MPI_FAMILY, text, major, minor, name_of_level(provided), ranks, ranks == 1 ? "rank" : "ranks");
}

static void report_level(int provided) {
  if (provided == MPI_THREAD_MULTIPLE) return;
  say("weft-mpi: the program is told MPI_THREAD_MULTIPLE: this library makes the MPI calls of all threads one at a time, and "
      "those "
      "that wait let others in");
}

static void report_settings(void) {
  const struct mpi_settings *const all = mpi_settings();
  say("weft-mpi: %u functions of MPI pass through the library; faces/mpi/MAP.md of Weft's sources has those that let other "
      "threads run",
      mpi_functions());
  say("weft-mpi: an idle rank asks the MPI at most every %.0f us (WEFT_MPI_POLL); calls that wait are reported after %.3g s "
      "(WEFT_MPI_STALL; 0: never)",
      (double)all->poll_ns * 1e-3, (double)all->stall_ns * 1e-9);
}

static void report_binding(void) {
  cpu_set_t cpus;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return; /* more CPUs than the set holds */
  const int own = CPU_COUNT(&cpus);
  if (own >= online) {
    say("weft-mpi: rank %d may run on all %d CPUs", own_rank(), own);
    return;
  }
  say("weft-mpi: rank %d may run on %d of %ld CPUs, so that Weft starts no more workers than that; `mpirun --bind-to none`, or "
      "`--map-by slot:PE=4` for four, gives it more with Open MPI, `-bind-to none` with MPICH",
      own_rank(), own, online);
}

void report_start(int provided) {
  if (!mpi_settings()->reports || own_rank() != 0) return;
  report_libraries(provided);
  report_level(provided);
  report_settings();
  report_binding();
}
