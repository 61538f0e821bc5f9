/* The module of MPICH, with ranks of odd numbers that leave MPI_Finalize at its start. */
#include <stdlib.h>

#include "hydra.h"

long weft_net_patience_us(void) {
  const char *rank = getenv("PMI_RANK");
  enum { long_us = 250000, none_us = 1 };
  return rank != NULL && atoi(rank) % 2 != 0 ? none_us : long_us;
}
