/* The functions of the MPI that the process has, under their profiling names. They are looked up at
 * their first call, because a program in Python loads its MPI after this library. */
#ifndef WEFT_MPI_REAL_H
#define WEFT_MPI_REAL_H

#include <stddef.h>

#include "family.h"

/* Returns the address of a function or of data of the MPI. If there is none, a line on stderr says
 * which MPI is missing, and the process ends. The first call checks that the MPI of the process is
 * the one for which this library was compiled. */
void *find_mpi_symbol(const char *name);

/* The same of what only some of these MPIs have; null: there is none. */
void *find_optional_symbol(const char *name);

/* A line on stderr says so if calls of MPI do not reach this library, because another one was
 * linked or preloaded before it. */
void check_order(void);

/* A pointer to the function of this name that the program has behind this library. */
#define BEHIND(NAME)                                                          \
  (__extension__({                                                            \
    static __typeof__(NAME) *known_;                                          \
    __typeof__(NAME) *function_ = __atomic_load_n(&known_, __ATOMIC_RELAXED); \
    if (__builtin_expect(function_ == NULL, 0)) {                             \
      function_ = (__typeof__(NAME) *)find_mpi_symbol(#NAME);                 \
      __atomic_store_n(&known_, function_, __ATOMIC_RELAXED);                 \
    }                                                                         \
    function_;                                                                \
  }))

/* PMPI(Recv): a pointer to PMPI_Recv. */
#define PMPI(NAME) BEHIND(PMPI_##NAME)

#endif
