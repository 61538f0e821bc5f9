/* Exchanges of two callers, A and B, over one communicator of one process. Included twice: with
 * NAMED(Recv) as MPI_Recv, and as MPI_Recv_c. Each has a part for A, which waits for what B does. */

static void NAMED(send_a)(void *argument) {
  exchange *const one = argument;
  OK(MPI_CALL(Send)(one->a, LENGTH, MPI_INT, one->peer, one->tag, one->comm));
}
static void NAMED(ssend_a)(void *argument) {
  exchange *const one = argument;
  OK(MPI_CALL(Ssend)(one->a, LENGTH, MPI_INT, one->peer, one->tag, one->comm));
}
static void NAMED(receive_b)(void *argument) {
  exchange *const one = argument;
  MPI_Status status;
  OK(MPI_CALL(Recv)(one->b, LENGTH, MPI_INT, one->peer, one->tag, one->comm, &status));
  CHECK(status.MPI_SOURCE == one->peer && status.MPI_TAG == one->tag);
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
}

static void NAMED(recv_a)(void *argument) { NAMED(receive_b)(argument); }
static void NAMED(send_b)(void *argument) { NAMED(send_a)(argument); }

static void NAMED(rsend_a)(void *argument) {
  exchange *const one = argument;
  MPI_Request request;
  OK(MPI_CALL(Irecv)(one->b, LENGTH, MPI_INT, 0, one->tag, MPI_COMM_SELF, &request));
  OK(MPI_CALL(Rsend)(one->a, LENGTH, MPI_INT, 0, one->tag, MPI_COMM_SELF));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
}

static void NAMED(mprobe_a)(void *argument) {
  exchange *const one = argument;
  MPI_Message message;
  MPI_Status status;
  OK(MPI_Mprobe(MPI_ANY_SOURCE, one->tag, one->comm, &message, &status));
  CHECK(status.MPI_SOURCE == one->peer && status.MPI_TAG == one->tag);
  OK(MPI_CALL(Mrecv)(one->b, LENGTH, MPI_INT, &message, &status));
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_TAG == one->tag);
  CHECK(memcmp(one->a, one->b, BYTES) == 0);
}

static void NAMED(sendrecv)(exchange *one, const int *from, int send_tag, int receive_tag) {
  int *const got = malloc(BYTES);
  MPI_Status status;
  CHECK(got != NULL);
  OK(MPI_CALL(Sendrecv)(from, LENGTH, MPI_INT, one->peer, send_tag, got, LENGTH, MPI_INT, one->peer, receive_tag, one->comm,
                        &status));
  CHECK(status.MPI_TAG == receive_tag);
  CHECK(memcmp(got, one->a, BYTES) == 0);
  OK(MPI_CALL(Sendrecv_replace)(got, LENGTH, MPI_INT, one->peer, send_tag, one->peer, receive_tag, one->comm, &status));
  CHECK(status.MPI_TAG == receive_tag && status.MPI_SOURCE == one->peer);
  CHECK(memcmp(got, one->a, BYTES) == 0);
  free(got);
}
static void NAMED(sendrecv_a)(void *argument) {
  exchange *const one = argument;
  NAMED(sendrecv)(one, one->a, one->tag, one->tag + 1);
}
static void NAMED(sendrecv_b)(void *argument) {
  exchange *const one = argument;
  NAMED(sendrecv)(one, one->a, one->tag + 1, one->tag);
}
