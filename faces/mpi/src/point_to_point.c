/* Calls that send and receive one message. A ULT starts the nonblocking twin and parks; every other
 * caller calls the MPI. MPI_Bsend never waits, so it is not here. The status of a nonblocking
 * receive from MPI_PROC_NULL is wrong in MPICH 4.0, so that one is left to MPI_Recv, which does not
 * wait. */
#include <stdlib.h>

#include "caller.h"
#include "engine.h"
#include "errors.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "serial.h"

static int finish(caller_way way, const char *call, MPI_Comm comm, mpi_peer_kind kind, int peer, int tag, MPI_Request *request,
                  MPI_Status *status) {
  mpi_wait wait;
  wait.call = call;
  wait.kind = WAITS_FOR_ALL;
  wait.requests = request;
  wait.count = 1;
  wait.is_of_program = false;
  wait.has_comm = true;
  wait.comm = comm;
  wait.peer_kind = kind;
  wait.peer = peer;
  wait.tag = tag;
  wait_until_complete(&wait, way);
  const int error = complete_on(comm, request, status);
  end_wait(&wait);
  return error;
}

#define SEND(NAME, TWIN, COUNT)                                                                                                \
  EXPORT int MPI_##NAME(const void *buf, COUNT count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {                   \
    MPI_Request request;                                                                                                       \
    const caller_way way = way_of_caller();                                                                                    \
    if (way == CALLS_MPI) return CALL(NAME, buf, count, type, dest, tag, comm);                                                \
    const int error = CALL(TWIN, buf, count, type, dest, tag, comm, &request);                                                 \
    if (error != MPI_SUCCESS) return error;                                                                                    \
    return finish(way, WAIT_NAME("MPI_" #NAME), comm, HAS_DESTINATION, dest, tag, &request, MPI_STATUS_IGNORE);                \
  }                                                                                                                            \
  PROFILING_ENTRY(NAME, (const void *buf, COUNT count, MPI_Datatype type, int dest, int tag, MPI_Comm comm), buf, count, type, \
                  dest, tag, comm)

#define RECEIVE(NAME, TWIN, COUNT)                                                                                               \
  EXPORT int MPI_##NAME(void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {     \
    MPI_Request request;                                                                                                         \
    const caller_way way = way_of_caller();                                                                                      \
    if (source == MPI_PROC_NULL || way == CALLS_MPI) return CALL(NAME, buf, count, type, source, tag, comm, status);             \
    const int error = CALL(TWIN, buf, count, type, source, tag, comm, &request);                                                 \
    return error != MPI_SUCCESS ? error : finish(way, WAIT_NAME("MPI_" #NAME), comm, HAS_SOURCE, source, tag, &request, status); \
  }                                                                                                                              \
  PROFILING_ENTRY(NAME, (void *buf, COUNT count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status),     \
                  buf, count, type, source, tag, comm, status)

/* A matched message has no communicator that a program could ask for, so MPICH's default handler is
 * told of its errors. */
#define RECEIVE_MATCHED(NAME, TWIN, COUNT)                                                                                       \
  EXPORT int MPI_##NAME(void *buf, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {                   \
    MPI_Request request;                                                                                                         \
    const caller_way way = way_of_caller();                                                                                      \
    if (way == CALLS_MPI) return CALL(NAME, buf, count, type, message, status);                                                  \
    int error = CALL(TWIN, buf, count, type, message, &request);                                                                 \
    if (error != MPI_SUCCESS) return error;                                                                                      \
    mpi_wait wait = {.call = WAIT_NAME("MPI_" #NAME), .kind = WAITS_FOR_ALL, .requests = &request, .count = 1};                  \
    wait_until_complete(&wait, way);                                                                                             \
    error = CALL(Wait, &request, status);                                                                                        \
    end_wait(&wait);                                                                                                             \
    return error;                                                                                                                \
  }                                                                                                                              \
  PROFILING_ENTRY(NAME, (void *buf, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status), buf, count, type, \
                  message, status)

/* ---- both ways ------------------------------------------------------------------------------- */

/* The receive is complete afterwards, by cancellation if need be. */
static void give_up_receive(MPI_Request *receive) {
  CALL(Cancel, receive);
  CALL(Wait, receive, MPI_STATUS_IGNORE);
}

/* requests: the receive and the send. */
static int finish_both(caller_way way, const char *call, MPI_Comm comm, int source, int tag, MPI_Request *requests,
                       MPI_Status *status) {
  mpi_wait wait = {.call = call, .kind = WAITS_FOR_ALL, .requests = requests, .count = 2, .has_comm = true, .comm = comm};
  wait.peer_kind = HAS_SOURCE;
  wait.peer = source;
  wait.tag = tag;
  wait_until_complete(&wait, way);
  const int sent = complete_on(comm, &requests[1], MPI_STATUS_IGNORE);
  int received = complete_on(comm, &requests[0], status);
  if (source == MPI_PROC_NULL && received == MPI_SUCCESS) received = CALL(Recv, NULL, 0, PACKED_TYPE, source, tag, comm, status);
  end_wait(&wait);
  return received != MPI_SUCCESS ? received : sent;
}

#define SEND_AND_RECEIVE(NAME, START_RECEIVE, START_SEND, COUNT)                                                              \
  EXPORT int MPI_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,    \
                        COUNT recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) { \
    MPI_Request requests[2];                                                                                                  \
    const caller_way way = way_of_caller();                                                                                   \
    if (way == CALLS_MPI) {                                                                                                   \
      return CALL(NAME, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,     \
                  status);                                                                                                    \
    }                                                                                                                         \
    int error = CALL(START_RECEIVE, recvbuf, recvcount, recvtype, source, recvtag, comm, &requests[0]);                       \
    if (error != MPI_SUCCESS) return error;                                                                                   \
    error = CALL(START_SEND, sendbuf, sendcount, sendtype, dest, sendtag, comm, &requests[1]);                                \
    if (error == MPI_SUCCESS) return finish_both(way, WAIT_NAME("MPI_" #NAME), comm, source, recvtag, requests, status);      \
    give_up_receive(&requests[0]);                                                                                            \
    return error;                                                                                                             \
  }                                                                                                                           \
  PROFILING_ENTRY(NAME,                                                                                                       \
                  (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,         \
                   COUNT recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status),       \
                  sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status)

/* What is sent is packed first, so that the buffer is free for what is received. */
#define REPLACE(NAME, COUNT, PACK_SIZE, PACK, START_RECEIVE, START_SEND)                                                     \
  EXPORT int MPI_##NAME(void *buf, COUNT count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag,           \
                        MPI_Comm comm, MPI_Status *status) {                                                                 \
    COUNT bytes = 0;                                                                                                         \
    COUNT packed = 0;                                                                                                        \
    MPI_Request requests[2];                                                                                                 \
    const caller_way way = way_of_caller();                                                                                  \
    if (way == CALLS_MPI) return CALL(NAME, buf, count, type, dest, sendtag, source, recvtag, comm, status);                 \
    int error = CALL(PACK_SIZE, count, type, comm, &bytes);                                                                  \
    if (error != MPI_SUCCESS) return error;                                                                                  \
    void *const copy = malloc(bytes > 0 ? (size_t)bytes : 1);                                                                \
    if (copy == NULL) return CALL(NAME, buf, count, type, dest, sendtag, source, recvtag, comm, status);                     \
    error = CALL(PACK, buf, count, type, copy, bytes, &packed, comm);                                                        \
    if (error == MPI_SUCCESS) error = CALL(START_RECEIVE, buf, count, type, source, recvtag, comm, &requests[0]);            \
    if (error == MPI_SUCCESS) {                                                                                              \
      error = CALL(START_SEND, copy, packed, PACKED_TYPE, dest, sendtag, comm, &requests[1]);                                \
      if (error != MPI_SUCCESS) give_up_receive(&requests[0]);                                                               \
      if (error == MPI_SUCCESS) error = finish_both(way, WAIT_NAME("MPI_" #NAME), comm, source, recvtag, requests, status);  \
    }                                                                                                                        \
    free(copy);                                                                                                              \
    return error;                                                                                                            \
  }                                                                                                                          \
  PROFILING_ENTRY(NAME,                                                                                                      \
                  (void *buf, COUNT count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, \
                   MPI_Status *status),                                                                                      \
                  buf, count, type, dest, sendtag, source, recvtag, comm, status)

SEND(Send, Isend, int)
SEND(Ssend, Issend, int)
SEND(Rsend, Irsend, int)
RECEIVE(Recv, Irecv, int)
RECEIVE_MATCHED(Mrecv, Imrecv, int)
SEND_AND_RECEIVE(Sendrecv, Irecv, Isend, int)
REPLACE(Sendrecv_replace, int, Pack_size, Pack, Irecv, Isend)

#if HAS_LARGE_COUNTS
SEND(Send_c, Isend_c, MPI_Count)
SEND(Ssend_c, Issend_c, MPI_Count)
SEND(Rsend_c, Irsend_c, MPI_Count)
RECEIVE(Recv_c, Irecv_c, MPI_Count)
RECEIVE_MATCHED(Mrecv_c, Imrecv_c, MPI_Count)
SEND_AND_RECEIVE(Sendrecv_c, Irecv_c, Isend_c, MPI_Count)
REPLACE(Sendrecv_replace_c, MPI_Count, Pack_size_c, Pack_c, Irecv_c, Isend_c)
#endif

/* ---- probing --------------------------------------------------------------------------------- */

/* Another thread may have received the message before the caller runs again, so the caller asks
 * anew. */

static void wait_until_message(caller_way way, const char *call, int source, int tag, MPI_Comm comm) {
  mpi_wait wait = {.call = call, .kind = WAITS_FOR_MESSAGE, .has_comm = true, .comm = comm};
  wait.peer_kind = HAS_SOURCE;
  wait.peer = source;
  wait.tag = tag;
  wait_until_complete(&wait, way);
  end_wait(&wait); /* a message is there, or the caller asks again */
}

EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
  int flag = 0;
  const caller_way way = way_of_caller();
  if (way == CALLS_MPI) return CALL(Probe, source, tag, comm, status);
  for (;;) {
    const int error = CALL(Iprobe, source, tag, comm, &flag, status);
    if (error != MPI_SUCCESS || flag != 0) return error;
    wait_until_message(way, WAIT_NAME("MPI_Probe"), source, tag, comm);
  }
}
PROFILING_ENTRY(Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status), source, tag, comm, status)

EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  int flag = 0;
  const caller_way way = way_of_caller();
  if (way == CALLS_MPI) return CALL(Mprobe, source, tag, comm, message, status);
  for (;;) {
    const int error = CALL(Improbe, source, tag, comm, &flag, message, status);
    if (error != MPI_SUCCESS || flag != 0) return error;
    wait_until_message(way, WAIT_NAME("MPI_Mprobe"), source, tag, comm);
  }
}
PROFILING_ENTRY(Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status), source, tag, comm,
                message, status)
