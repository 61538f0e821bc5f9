/* How this library defines a function of MPI. */
#ifndef WEFT_MPI_EXPORT_H
#define WEFT_MPI_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
