/* Defines a function of MPI that a ULT calls in a blocking region. */
#ifndef WEFT_MPI_REGION_H
#define WEFT_MPI_REGION_H

#define REGION(NAME, PARAMETERS, ...)          \
  EXPORT int MPI_##NAME PARAMETERS {           \
    const bool is_region = begin_region();     \
    const int error = PMPI(NAME)(__VA_ARGS__); \
    end_region(is_region);                     \
    return error;                              \
  }                                            \
  PROFILING_ENTRY(NAME, PARAMETERS, __VA_ARGS__)

#endif
