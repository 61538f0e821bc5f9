/* Defines a function of MPI that a ULT calls in a blocking region. */
#ifndef WEFT_MPI_REGION_H
#define WEFT_MPI_REGION_H

#define REGION(NAME, PARAMETERS, ...)                \
  EXPORT int MPI_##NAME PARAMETERS {                 \
    static bool was_said;                            \
    const bool is_region = begin_region();           \
    note_call_without_twin("MPI_" #NAME, &was_said); \
    const int error = CALL(NAME, __VA_ARGS__);       \
    end_region(is_region);                           \
    return error;                                    \
  }                                                  \
  PROFILING_ENTRY(NAME, PARAMETERS, __VA_ARGS__)

#endif
