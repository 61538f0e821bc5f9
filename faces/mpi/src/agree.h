/* Whether all ranks of MPI_COMM_WORLD have this library, with the same rules: how each makes its
 * collectives must be known to all. */
#ifndef WEFT_MPI_AGREE_H
#define WEFT_MPI_AGREE_H

/* Called once MPI is initialised. Ends the job with a line that names a rank which does not agree
 * or has not answered in time (WEFT_MPI_START). */
void agree_with_ranks(void);

#endif
