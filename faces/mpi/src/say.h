/* Lines on standard error. */
#ifndef WEFT_MPI_SAY_H
#define WEFT_MPI_SAY_H

#include <stdbool.h>

/* Writes one line, which begins with "weft-mpi: ", by one write(2), so that lines of ranks do not
 * mix. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* Gives the launcher of the job time to pass lines on: MPICH's loses those that a rank writes just
 * before MPI_Abort. */
void let_lines_pass(void);

/* Writes the line and ends the process with status 1, before or without MPI. */
__attribute__((format(printf, 1, 2), noreturn)) void end_process(const char *format, ...);

#endif
