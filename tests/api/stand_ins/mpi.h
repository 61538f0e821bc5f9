/* What weft/mpi.hpp uses of an MPI's header, for compilations where no MPI is installed. */
#ifndef MPI_H
#define MPI_H
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;
typedef int MPI_Request;
#define MPI_SUCCESS 0
#define MPI_REQUEST_NULL 0
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_MAX_ERROR_STRING 256
#ifdef __cplusplus
extern "C" {
#endif
int MPI_Error_string(int code, char *text, int *length);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
#ifdef __cplusplus
}
#endif
#endif
