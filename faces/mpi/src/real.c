/* See real.h. A symbol is looked for in what the program was linked with, the program included,
 * which may have copies of the data of its MPI; then in libraries that were loaded for a plugin
 * alone (RTLD_LOCAL), as Python does. */
#include "real.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#define MOST_LIBRARIES 8

struct libraries {
  char *paths[MOST_LIBRARIES];
  unsigned count;
};

static int note_library(struct dl_phdr_info *info, size_t bytes, void *argument) {
  struct libraries *const all = argument;
  const char *const slash = strrchr(info->dlpi_name, '/');
  const char *const name = slash == NULL ? info->dlpi_name : slash + 1;
  (void)bytes;
  if (strncmp(name, "libmpi", 6) != 0 && strncmp(name, "libpmpi", 7) != 0) return 0;
  char *const path = all->count < MOST_LIBRARIES ? strdup(info->dlpi_name) : NULL;
  if (path != NULL) all->paths[all->count++] = path;
  return 0;
}

static void *find_in_plugins(const char *name) {
  struct libraries all = {.count = 0};
  void *found = NULL;
  dl_iterate_phdr(note_library, &all);
  for (unsigned i = 0; i < all.count; ++i) {
    void *const library = found == NULL ? dlopen(all.paths[i], RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library != NULL) {
      found = dlsym(library, name);
      dlclose(library);
    }
    free(all.paths[i]);
  }
  return found;
}

static bool is_own(const void *address) {
  Dl_info here, there;
  return dladdr((const void *)is_own, &here) != 0 && dladdr(address, &there) != 0 && here.dli_fbase == there.dli_fbase;
}

/* This library has functions of MPI under both of their names, so those of the MPI, or of a tool,
 * are looked for behind it first. */
static void *find_anywhere(const char *name) {
  void *found = strncmp(name, "PMPI", 4) == 0 || strncmp(name, "MPI", 3) == 0 ? dlsym(RTLD_NEXT, name) : NULL;
  if (found == NULL) found = dlsym(RTLD_DEFAULT, name);
  return found == NULL || is_own(found) ? find_in_plugins(name) : found;
}

/* ---- whether the MPI of the process is the right one ----------------------------------------- */

typedef int get_version(char *text, int *length);

/* The first line of what the MPI says of itself. */
static void read_version(char *text) {
  int length = 0;
  get_version *const ask = (get_version *)find_anywhere("PMPI_Get_library_version");
  if (ask == NULL) {
    end_process(
        "weft-mpi: error: this process has no MPI library that %s finds; link the program with %s, or start it without %s",
        WEFT_MPI_LIBRARY, WEFT_MPI_FAMILY, WEFT_MPI_LIBRARY);
  }
  ask(text, &length);
  text[strcspn(text, "\n")] = 0;
  for (char *each = strchr(text, '\t'); each != NULL; each = strchr(each, '\t')) *each = ' ';
}

static bool has_standard_abi(void) {
  int major = -1;
  int minor = -1;
  typedef int ask_abi(int *, int *);
  ask_abi *const ask = (ask_abi *)find_anywhere("PMPI_Abi_get_version");
  return ask != NULL && ask(&major, &minor) == 0 && major >= 1;
}

/* Whether the MPI that calls reach is Open MPI: another one may have been loaded, too. */
static bool is_open_mpi(void) {
  static const char mark[] = "ompi_mpi_comm_world";
  Dl_info there;
  void *const reached = find_anywhere("PMPI_Get_library_version");
  void *const library = dladdr(reached, &there) == 0 ? NULL : dlopen(there.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return find_anywhere(mark) != NULL; /* the program has its MPI in it */
  const bool is_there = dlsym(library, mark) != NULL;
  dlclose(library);
  return is_there;
}

/* What the process has, by the library that is made for it. */
static const char *fitting_library(void) {
  if (has_standard_abi()) return "libweft-mpi-abi";
  return is_open_mpi() ? "libweft-mpi-openmpi" : "libweft-mpi-mpich";
}

/* Libraries that have an MPI of their own: others of its name, such as those for Fortran, find that
 * of another file. */
static void warn_of_second(void) {
  struct libraries all = {.count = 0};
  char first[1024] = "";
  dl_iterate_phdr(note_library, &all);
  for (unsigned i = 0; i < all.count; ++i) {
    Dl_info there;
    void *const library = dlopen(all.paths[i], RTLD_LAZY | RTLD_NOLOAD);
    void *const found = library == NULL ? NULL : dlsym(library, "PMPI_Init");
    if (found != NULL && !is_own(found) && dladdr(found, &there) != 0) {
      if (first[0] == 0) {
        snprintf(first, sizeof first, "%s", there.dli_fname);
      } else if (strcmp(first, there.dli_fname) != 0) {
        say("weft-mpi: warning: this process has two MPI libraries, %s and %s, and %s can serve one of them; load one alone",
            first, there.dli_fname, WEFT_MPI_LIBRARY);
      }
    }
    if (library != NULL) dlclose(library);
    free(all.paths[i]);
  }
}

static void check_family(void) {
  static char text[VERSION_BYTES];
  read_version(text);
  warn_of_second();
  const char *const fitting = fitting_library();
  if (strcmp(fitting, WEFT_MPI_LIBRARY) == 0) return;
  end_process("weft-mpi: error: %s is made for %s, and this process has %s%s; link or preload %s instead", WEFT_MPI_LIBRARY,
              WEFT_MPI_FAMILY, text, has_standard_abi() ? " with the standard ABI of MPI 5" : "", fitting);
}

void *find_optional_symbol(const char *name) { return find_anywhere(name); }

void *find_mpi_symbol(const char *name) {
  static pthread_once_t is_checked = PTHREAD_ONCE_INIT;
  pthread_once(&is_checked, check_family);
  void *const found = find_anywhere(name);
  if (found == NULL) {
    end_process(
        "weft-mpi: error: the MPI library of this process has no %s, but the %s for which %s was compiled has; compile Weft "
        "with the MPI that the program uses",
        name, WEFT_MPI_FAMILY, WEFT_MPI_LIBRARY);
  }
  return found;
}

void check_order(void) {
  Dl_info here, there;
  void *const found = dlsym(RTLD_DEFAULT, "MPI_Recv");
  if (found == NULL || is_own(found) || dladdr((void *)check_order, &here) == 0 || dladdr(found, &there) == 0) return;
  say("weft-mpi: warning: calls of MPI reach %s and not %s; link weft-mpi before the MPI, or start the program by `weft mpi`",
      there.dli_fname, here.dli_fname);
}
