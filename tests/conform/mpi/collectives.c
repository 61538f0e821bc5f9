/* Each collective, called by a ULT on one rank, an OS thread on the next, a tasklet and the caller of
 * weft_init on others, in every rotation; the results are those of the MPI alone. */
#include "check.h"

enum { PART = 50, MOST_PARTS = 8, LENGTH = PART * MOST_PARTS };

typedef struct data {
  bool is_mpi; /* calls the MPI alone */
  MPI_Comm comm, ring;
  int in[LENGTH], out[LENGTH];
  void (*function)(struct data *);
} data;

/* The two names take the same arguments. */
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
  OK(one->is_mpi ? PMPI_Comm_dup(one->comm, &copy) : MPI_Comm_dup(one->comm, &copy));
  OK(PMPI_Allreduce(one->in, one->out, LENGTH, MPI_INT, MPI_SUM, copy));
  OK(PMPI_Comm_free(&copy));
}

static void duplicate_with_info(data *one) {
  MPI_Comm copy;
  OK(one->is_mpi ? PMPI_Comm_dup_with_info(one->comm, MPI_INFO_NULL, &copy)
                 : MPI_Comm_dup_with_info(one->comm, MPI_INFO_NULL, &copy));
  OK(PMPI_Allreduce(one->in, one->out, LENGTH, MPI_INT, MPI_SUM, copy));
  OK(PMPI_Comm_free(&copy));
}

/* Each rank's word is there when the barrier has been passed. */
static void barrier(data *one) {
  MPI_Request request;
  const int to = (rank + 1) % ranks;
  const int from = (rank + ranks - 1) % ranks;
  OK(PMPI_Isend(one->in, 1, MPI_INT, to, 99, one->comm, &request));
  OK(one->is_mpi ? PMPI_Barrier(one->comm) : MPI_Barrier(one->comm));
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

void test_collectives(void) {
  static data alone, among;
  static const caller callers[] = {ULT, OS_THREAD, TASKLET, MAIN};
  const int periodic = ranks > 2; /* MPIs number the blocks of a ring of two in different ways */
  CHECK(ranks <= MOST_PARTS);
  alone.is_mpi = true;
  alone.comm = among.comm = MPI_COMM_WORLD;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &among.ring));
  alone.ring = among.ring;
  for (size_t which = 0; which < sizeof collectives / sizeof collectives[0]; ++which) {
    for (int i = 0; i < LENGTH; ++i) alone.in[i] = among.in[i] = i * (rank + 3) + (int)which;
    memset(alone.out, 0, sizeof alone.out);
    alone.function = among.function = collectives[which];
    collectives[which](&alone);
    for (int rotation = 0; rotation < 4; ++rotation) {
      memset(among.out, 0, sizeof among.out);
      running one = start(callers[(rank + rotation) % 4], call, &among);
      finish(&one);
      CHECK(memcmp(alone.out, among.out, sizeof alone.out) == 0);
    }
  }
  OK(MPI_Comm_free(&among.ring));
#if MPI_VERSION < 4
  among.function = duplicate_with_info;
  running one = start(ULT, call, &among);
  finish(&one);
#endif
}
