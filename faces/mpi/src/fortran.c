/* See fortran.h. What is known of an object (the program, or a library) is kept, since a call asks
 * each time. */
#include "fortran.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define MOST_FORTRAN 8
#define MOST_OTHERS 24

/* A part of an object in memory. Atomic, written once, in any order: with only one of the two
 * written no address is in it. */
typedef struct part {
  uintptr_t begin, end;
} part;

static part fortran[MOST_FORTRAN] = {[0 ... MOST_FORTRAN - 1] = {UINTPTR_MAX, 0}};
static part others[MOST_OTHERS] = {[0 ... MOST_OTHERS - 1] = {UINTPTR_MAX, 0}};

static bool is_in(const part *parts, unsigned count, uintptr_t address) {
  for (unsigned i = 0; i < count; ++i) {
    const uintptr_t end = __atomic_load_n(&parts[i].end, __ATOMIC_RELAXED);
    if (end == 0) return false; /* the rest is empty */
    if (address < end && address >= __atomic_load_n(&parts[i].begin, __ATOMIC_RELAXED)) return true;
  }
  return false;
}

static void keep(part *parts, unsigned count, part one) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  unsigned free = 0;
  pthread_mutex_lock(&lock);
  while (free < count && __atomic_load_n(&parts[free].end, __ATOMIC_RELAXED) != 0) ++free;
  if (free < count && !is_in(parts, count, one.begin)) {
    __atomic_store_n(&parts[free].begin, one.begin, __ATOMIC_RELAXED);
    __atomic_store_n(&parts[free].end, one.end, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&lock);
}

/* ---- what an object is ----------------------------------------------------------------------- */

/* Open MPI's mpif.h and module mpi; its module mpi_f08; MPICH's as Debian calls it; as others
 * do. */
static bool is_fortran_library(const char *path) {
  static const char *const names[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libmpifort"};
  const char *const slash = strrchr(path, '/');
  const char *const name = slash == NULL ? path : slash + 1;
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
  }
  return false;
}

/* For the object that has an address. */
typedef struct search {
  uintptr_t address;
  part found;
  const char *path; /* the caller's code is in the object, so it stays while the call lasts */
} search;

/* An object that stays loaded may be remembered by its addresses. */
static bool pin(const char *path) {
  if (path[0] == 0) return true; /* the program */
  void *const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (library != NULL) dlclose(library);
  return library != NULL;
}

static int look_at_object(struct dl_phdr_info *info, size_t bytes, void *argument) {
  search *const one = argument;
  (void)bytes;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_LOAD || one->address < begin || one->address >= end) continue;
    one->found = (part){begin, end};
    one->path = info->dlpi_name;
    return 1;
  }
  return 0;
}

bool is_in_fortran_library(const void *address) {
  search one = {.address = (uintptr_t)address};
  if (is_in(fortran, MOST_FORTRAN, one.address)) return true;
  if (is_in(others, MOST_OTHERS, one.address)) return false;
  if (dl_iterate_phdr(look_at_object, &one) == 0) return false; /* code that no file holds */
  const bool is_fortran = is_fortran_library(one.path);
  if (pin(one.path)) keep(is_fortran ? fortran : others, is_fortran ? MOST_FORTRAN : MOST_OTHERS, one.found);
  return is_fortran;
}
