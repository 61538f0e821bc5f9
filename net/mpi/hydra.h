/* The end of a rank that MPICH's launcher, Hydra, has started. For MPICH alone. */
#pragma once

/* MPI_Finalize. When it fails, or has used up weft_net_patience_us of processor time, the process
 * ends with `status` instead, and Hydra takes it for an end by MPI_Finalize. */
void weft_net_finalize(int status);

/* patience.c; tests have another file. */
long weft_net_patience_us(void);
