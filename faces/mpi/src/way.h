/* How a caller waits in a call that has a nonblocking twin. */
#ifndef WEFT_MPI_WAY_H
#define WEFT_MPI_WAY_H

typedef enum caller_way {
  CALLS_MPI, /* its call is the MPI's own */
  PARKS,     /* a ULT: starts the nonblocking twin and leaves its worker */
  POLLS      /* below MPI_THREAD_MULTIPLE: starts the twin and tests it, since a call that waits would keep others out */
} caller_way;

#endif
