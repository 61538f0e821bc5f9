/* This process in its job. */
#ifndef WEFT_MPI_RANK_H
#define WEFT_MPI_RANK_H

/* This process's rank in MPI_COMM_WORLD; -1: MPI is not initialised. Its first call may switch. */
int own_rank(void);

#endif
