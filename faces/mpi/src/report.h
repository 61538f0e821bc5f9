/* What the first rank says at the start where WEFT_MPI_REPORT asks for it. */
#ifndef WEFT_MPI_REPORT_H
#define WEFT_MPI_REPORT_H

/* Called once MPI is initialised, with the level that it provides. */
void report_start(int provided);

/* How many functions of MPI pass through this library (wrappers.py). */
unsigned mpi_functions(void);

#endif
