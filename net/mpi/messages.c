/* See messages.h. An MPI's handles are integers or pointers; both fit into a pointer. */
#include "messages.h"

#include <limits.h>
#include <mpi.h>
#include <string.h>

enum { tag = 1 };

_Static_assert(sizeof(MPI_Request) <= sizeof(void *) && sizeof(MPI_Message) <= sizeof(void *), "handles fit into a pointer");

int weft_net_send(const void *from, size_t bytes, int rank, void **request) {
  MPI_Request made;
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  int code = MPI_Isend(from, (int)bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &made);
  if (code != MPI_SUCCESS) return code;
  *request = NULL;
  memcpy(request, &made, sizeof made);
  return MPI_SUCCESS;
}

int weft_net_is_sent(void **request, int *out) {
  MPI_Request its;
  memcpy(&its, request, sizeof its);
  int code = MPI_Test(&its, out, MPI_STATUS_IGNORE);
  memcpy(request, &its, sizeof its);
  return code;
}

int weft_net_find(weft_net_message *out) {
  MPI_Message found;
  MPI_Status status;
  int bytes = 0;
  int code = MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &out->is_there, &found, &status);
  if (code != MPI_SUCCESS || !out->is_there) return code;
  code = MPI_Get_count(&status, MPI_BYTE, &bytes);
  out->rank = status.MPI_SOURCE;
  out->bytes = (size_t)bytes;
  out->handle = NULL;
  memcpy(&out->handle, &found, sizeof found);
  return code;
}

int weft_net_receive(weft_net_message *found, void *into) {
  MPI_Message its;
  memcpy(&its, &found->handle, sizeof its);
  return MPI_Mrecv(into, (int)found->bytes, MPI_BYTE, &its, MPI_STATUS_IGNORE);
}
