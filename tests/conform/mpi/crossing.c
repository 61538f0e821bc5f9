/* Below MPI_THREAD_MULTIPLE (WEFT_MPI_LEVEL): two threads of each rank make collective calls without
 * nonblocking twins, each over a communicator of its own, and the ranks begin with different ones. */
#include "check.h"

enum { ROUNDS = 1, WINDOW_BYTES = 64, LATE_NS = 20000000 };

typedef struct line {
  int number;
  MPI_Comm comm;
} line;

static void split(MPI_Comm comm) {
  MPI_Comm made;
  MPI_Group group;
  const int periodic = 1;
  OK(MPI_Comm_split(comm, rank, 0, &made));
  OK(MPI_Comm_disconnect(&made));
  OK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made));
  OK(MPI_Comm_free(&made));
  OK(MPI_Comm_group(comm, &group));
  OK(MPI_Comm_create(comm, group, &made));
  OK(MPI_Group_free(&group));
  OK(MPI_Comm_free(&made));
  OK(MPI_Cart_create(comm, 1, &ranks, &periodic, 0, &made));
  OK(MPI_Comm_free(&made));
}

static void use_window(MPI_Comm comm) {
  MPI_Win window;
  int *memory = NULL;
  const int mine = 100 + rank;
  OK(MPI_Win_allocate(WINDOW_BYTES, sizeof(int), MPI_INFO_NULL, comm, &memory, &window));
  OK(MPI_Win_fence(0, window));
  OK(MPI_Put(&mine, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window));
  OK(MPI_Win_fence(0, window));
  CHECK(*memory == 101 - rank);
  OK(MPI_Win_free(&window));
}

static void use_file(const line *one) {
  MPI_File file;
  char path[200];
  const int mine = 1000 * one->number + rank;
  int got = -1;
  const MPI_Offset at = rank * (MPI_Offset)sizeof got;
  snprintf(path, sizeof path, "%s/crossing.%d", getenv("WEFT_TEST_FOLDER"), one->number);
  OK(MPI_File_open(one->comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  OK(MPI_File_set_size(file, 0));
  OK(MPI_File_write_at_all(file, at, &mine, 1, MPI_INT, MPI_STATUS_IGNORE));
  OK(MPI_File_sync(file));
  OK(MPI_File_read_at_all(file, at, &got, 1, MPI_INT,
                          MPI_STATUS_IGNORE)); /* Open MPI syncs no file between _begin and _end of another */
  CHECK(got == mine);
  OK(MPI_File_close(&file));
}

static void cross(void *argument) {
  const line *const one = argument;
  if (one->number == rank) OK(weft_sleep_ns(LATE_NS)); /* the other rank is in its first call by then */
  for (int round = 0; round < ROUNDS; ++round) {
    split(one->comm);
    use_window(one->comm);
    use_file(one);
  }
}

/* Two ranks. */
void test_crossing(void) {
  static const caller kinds[][2] = {{ULT, ULT}, {ULT, OS_THREAD}, {OS_THREAD, ULT}};
  line lines[2];
  CHECK(ranks == 2);
  for (size_t each = 0; each < sizeof kinds / sizeof kinds[0]; ++each) {
    running threads[2];
    for (int i = 0; i < 2; ++i) {
      lines[i].number = i;
      OK(MPI_Comm_dup(MPI_COMM_WORLD, &lines[i].comm));
    }
    for (int i = 0; i < 2; ++i) threads[i] = start(kinds[each][i], cross, &lines[i]);
    for (int i = 0; i < 2; ++i) finish(&threads[i]);
    for (int i = 0; i < 2; ++i) OK(MPI_Comm_free(&lines[i].comm));
  }
}

/* ---- many calls ---------------------------------------------------------------------------------- */

enum { QUEUED = 4, CALLS = 5 };

static void split_often(void *argument) {
  const MPI_Comm *const comm = argument;
  for (int i = 0; i < CALLS; ++i) {
    MPI_Comm made;
    OK(MPI_Comm_split(*comm, 0, rank, &made));
    OK(MPI_Comm_free(&made));
  }
}

/* Two ranks. Rank 1 makes both calls in one thread: that of rank 0 which waits for its second call
 * must not keep out the first. */
void test_one_behind_another(void) {
  MPI_Comm comms[2];
  running threads[2];
  CHECK(ranks == 2);
  for (int i = 0; i < 2; ++i) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
  if (rank == 0) {
    threads[0] = start(ULT, split_often, &comms[0]);
    OK(weft_sleep_ns(LATE_NS)); /* it is in its call by then */
    threads[1] = start(ULT, split_often, &comms[1]);
    for (int i = 0; i < 2; ++i) finish(&threads[i]);
  } else {
    split_often(&comms[1]);
    split_often(&comms[0]);
  }
  for (int i = 0; i < 2; ++i) OK(MPI_Comm_free(&comms[i]));
}

/* Each rank begins with another one. */
void test_queue(void) {
  MPI_Comm comms[QUEUED];
  running threads[QUEUED];
  for (int i = 0; i < QUEUED; ++i) OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
  for (int i = 0; i < QUEUED; ++i) threads[i] = start(ULT, split_often, &comms[(i + rank) % QUEUED]);
  for (int i = 0; i < QUEUED; ++i) finish(&threads[i]);
  for (int i = 0; i < QUEUED; ++i) OK(MPI_Comm_free(&comms[i]));
}
