/* Each collective, called by a ULT on one rank, an OS thread on the next, a tasklet and the caller of
 * weft_init on others, in every rotation; the results are those of the MPI alone. */
#include "check.h"

enum { PART = 50, MOST_PARTS = 8, LENGTH = PART * MOST_PARTS };

typedef struct data {
  bool is_mpi; /* calls the MPI alone */
  MPI_Comm comm, ring;
  int in[LENGTH], out[LENGTH];
  int error;
  void (*function)(struct data *);
} data;

/* The two names of CHOOSE take the same arguments. */
#define TELL(CALL) one->error = (CALL)
#define CHOOSE(NAME) (one->is_mpi ? PMPI_##NAME : MPI_##NAME)

#define ARRAYS(COUNT, DISPLACEMENT)            \
  COUNT counts[MOST_PARTS];                    \
  DISPLACEMENT displs[MOST_PARTS];             \
  DISPLACEMENT in_bytes[MOST_PARTS];           \
  MPI_Aint far_bytes[MOST_PARTS];              \
  MPI_Datatype types[MOST_PARTS];              \
  for (int i = 0; i < MOST_PARTS; ++i) {       \
    counts[i] = PART;                          \
    displs[i] = i * PART;                      \
    in_bytes[i] = i * PART * (int)sizeof(int); \
    far_bytes[i] = in_bytes[i];                \
    types[i] = MPI_INT;                        \
  }                                            \
  (void)one, (void)counts, (void)displs, (void)in_bytes, (void)far_bytes, (void)types

#define COLLECTIVE(NAME) NAME
#define CALL(NAME) CHOOSE(NAME)
#define SET_COUNTS(ONE) ARRAYS(int, int)
#include "collective_calls.h"
#undef COLLECTIVE
#undef CALL
#undef SET_COUNTS
#if MPI_VERSION >= 4
#define COLLECTIVE(NAME) NAME##_c
#define CALL(NAME) CHOOSE(NAME##_c)
#define SET_COUNTS(ONE) ARRAYS(MPI_Count, MPI_Aint)
#include "collective_calls.h"
#define BOTH(NAME) NAME, NAME##_c
#else
#define BOTH(NAME) NAME
#endif

static void duplicate(data *one) {
  MPI_Comm copy;
  TELL(one->is_mpi ? PMPI_Comm_dup(one->comm, &copy) : MPI_Comm_dup(one->comm, &copy));
  if (one->error != MPI_SUCCESS) return;
  OK(PMPI_Allreduce(one->in, one->out, LENGTH, MPI_INT, MPI_SUM, copy));
  OK(PMPI_Comm_free(&copy));
}

static void duplicate_with_info(data *one) {
  MPI_Comm copy;
  TELL(one->is_mpi ? PMPI_Comm_dup_with_info(one->comm, MPI_INFO_NULL, &copy)
                   : MPI_Comm_dup_with_info(one->comm, MPI_INFO_NULL, &copy));
  if (one->error != MPI_SUCCESS) return;
  OK(PMPI_Allreduce(one->in, one->out, LENGTH, MPI_INT, MPI_SUM, copy));
  OK(PMPI_Comm_free(&copy));
}

/* Each rank's word is there when the barrier has been passed. */
static void barrier(data *one) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int to = (rank + 1) % ranks;
  const int from = (rank + ranks - 1) % ranks;
  if (one->comm != MPI_COMM_NULL) OK(PMPI_Isend(one->in, 1, MPI_INT, to, 99, one->comm, &request));
  TELL(one->is_mpi ? PMPI_Barrier(one->comm) : MPI_Barrier(one->comm));
  if (one->error != MPI_SUCCESS) return;
  OK(PMPI_Recv(one->out, 1, MPI_INT, from, 99, one->comm, MPI_STATUS_IGNORE));
  OK(PMPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void (*const collectives[])(data *) = {
    BOTH(bcast),
    BOTH(gather),
    BOTH(gatherv),
    BOTH(scatter),
    BOTH(scatterv),
    BOTH(allgather),
    BOTH(allgatherv),
    BOTH(alltoall),
    BOTH(alltoallv),
    BOTH(alltoallw),
    BOTH(reduce),
    BOTH(allreduce),
    BOTH(reduce_scatter_block),
    BOTH(reduce_scatter),
    BOTH(scan),
    BOTH(exscan),
    BOTH(neighbor_allgather),
    BOTH(neighbor_allgatherv),
    BOTH(neighbor_alltoall),
    BOTH(neighbor_alltoallv),
    BOTH(neighbor_alltoallw),
    duplicate,
    barrier
#if MPI_VERSION >= 4
    ,
    duplicate_with_info /* below, its blocking form is called by all ranks */
#endif
};

static void call(void *argument) {
  data *const one = argument;
  one->function(one);
}

static const caller callers[] = {ULT, OS_THREAD, TASKLET, MAIN};

/* Rank `late` begins when the others have waited for a while. */
static void compare(data *alone, data *among, size_t which, int rotation, int late) {
  memset(among->out, 0, sizeof among->out);
  if (rank == late) OK(weft_sleep_ns(2000000));
  among->function = collectives[which];
  running one = start(callers[(rank + rotation) % 4], call, among);
  finish(&one);
  CHECK(among->error == MPI_SUCCESS);
  CHECK(memcmp(alone->out, among->out, sizeof alone->out) == 0);
}

static void make_data(data *alone, data *among) {
  const int periodic = ranks > 2; /* MPIs number the blocks of a ring of two in different ways */
  CHECK(ranks <= MOST_PARTS);
  alone->is_mpi = true;
  alone->comm = among->comm = MPI_COMM_WORLD;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &among->ring));
  alone->ring = among->ring;
}

static void call_alone(data *alone, data *among, size_t which) {
  for (int i = 0; i < LENGTH; ++i) alone->in[i] = among->in[i] = i * (rank + 3) + (int)which;
  memset(alone->out, 0, sizeof alone->out);
  collectives[which](alone);
  CHECK(alone->error == MPI_SUCCESS);
}

void test_collectives(void) {
  static data alone, among;
  make_data(&alone, &among);
  for (size_t which = 0; which < sizeof collectives / sizeof collectives[0]; ++which) {
    call_alone(&alone, &among, which);
    for (int rotation = 0; rotation < 4; ++rotation) compare(&alone, &among, which, rotation, -1);
  }
  OK(MPI_Comm_free(&among.ring));
#if MPI_VERSION < 4
  among.function = duplicate_with_info;
  running one = start(ULT, call, &among);
  finish(&one);
  CHECK(among.error == MPI_SUCCESS);
#endif
}

/* Each kind of caller waits for each other rank, is waited for, and is told of an error. */
void test_collective_states(void) {
  static data alone, among, wrong;
  make_data(&alone, &among);
  wrong.comm = wrong.ring = MPI_COMM_NULL;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  for (size_t which = 0; which < sizeof collectives / sizeof collectives[0]; ++which) {
    call_alone(&alone, &among, which);
    for (int rotation = 0; rotation < 4; ++rotation) {
      for (int late = 0; late < ranks; ++late) compare(&alone, &among, which, rotation, late);
#ifndef OPEN_MPI /* 4.1 crashes in PMPI_Iallgather on MPI_COMM_NULL */
      wrong.function = collectives[which];
      running one = start(callers[(rank + rotation) % 4], call, &wrong);
      finish(&one);
      int class = -1;
      OK(MPI_Error_class(wrong.error, &class));
      CHECK(class == MPI_ERR_COMM);
#endif
    }
  }
  OK(MPI_Comm_free(&among.ring));
}
