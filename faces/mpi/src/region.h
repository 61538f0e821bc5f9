/* Defines a function of MPI that a ULT calls in a blocking region. */
#ifndef WEFT_MPI_REGION_H
#define WEFT_MPI_REGION_H

#include "admission.h"

#define REGION(NAME, PARAMETERS, ...)                                \
  EXPORT int MPI_##NAME PARAMETERS {                                 \
    static bool was_said;                                            \
    const mpi_region region = begin_region(WAIT_NAME("MPI_" #NAME)); \
    note_call_without_twin("MPI_" #NAME, &was_said);                 \
    const int error = CALL(NAME, __VA_ARGS__);                       \
    end_region(&region);                                             \
    return error;                                                    \
  }                                                                  \
  PROFILING_ENTRY(NAME, PARAMETERS, __VA_ARGS__)

/* A collective of the ranks of COMM. */
#define COLLECTIVE_REGION(NAME, COMM, PARAMETERS, ...)                         \
  EXPORT int MPI_##NAME PARAMETERS {                                           \
    static bool was_said;                                                      \
    const bool is_admitted = begin_admission(WAIT_NAME("MPI_" #NAME), (COMM)); \
    const mpi_region region = begin_region(WAIT_NAME("MPI_" #NAME));           \
    note_call_without_twin("MPI_" #NAME, &was_said);                           \
    const int error = CALL(NAME, __VA_ARGS__);                                 \
    end_region(&region);                                                       \
    end_admission(is_admitted);                                                \
    return error;                                                              \
  }                                                                            \
  PROFILING_ENTRY(NAME, PARAMETERS, __VA_ARGS__)

/* A collective of the ranks of `comm` that makes what *HANDLE names. */
#define MAKING_REGION(NAME, HANDLE, PARAMETERS, ...)                         \
  EXPORT int MPI_##NAME PARAMETERS {                                         \
    static bool was_said;                                                    \
    const bool is_admitted = begin_admission(WAIT_NAME("MPI_" #NAME), comm); \
    const mpi_region region = begin_region(WAIT_NAME("MPI_" #NAME));         \
    note_call_without_twin("MPI_" #NAME, &was_said);                         \
    const MPI_Comm ranks = copy_ranks(comm, is_admitted);                    \
    const int error = CALL(NAME, __VA_ARGS__);                               \
    end_region(&region);                                                     \
    end_admission(is_admitted);                                              \
    keep_ranks(error == MPI_SUCCESS ? (uintptr_t)*(HANDLE) : 0, ranks);      \
    return error;                                                            \
  }                                                                          \
  PROFILING_ENTRY(NAME, PARAMETERS, __VA_ARGS__)

/* A collective that frees what *HANDLE names. */
#define FREEING_REGION(NAME, HANDLE, PARAMETERS)                                        \
  EXPORT int MPI_##NAME PARAMETERS {                                                    \
    static bool was_said;                                                               \
    const uintptr_t value = (HANDLE) == NULL ? 0 : (uintptr_t)*(HANDLE);                \
    const bool is_admitted = begin_admission(WAIT_NAME("MPI_" #NAME), ranks_of(value)); \
    const mpi_region region = begin_region(WAIT_NAME("MPI_" #NAME));                    \
    note_call_without_twin("MPI_" #NAME, &was_said);                                    \
    kept_ranks *const kept = take_ranks(value);                                         \
    const int error = CALL(NAME, HANDLE);                                               \
    end_region(&region);                                                                \
    end_admission(is_admitted);                                                         \
    end_ranks(kept, error == MPI_SUCCESS);                                              \
    return error;                                                                       \
  }                                                                                     \
  PROFILING_ENTRY(NAME, PARAMETERS, HANDLE)

#endif
