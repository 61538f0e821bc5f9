/* Calls that meet other jobs, and sessions, each by a thread that another thread of its worker must be able
 * to outrun. */
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *program; /* of this process */

void note_program(const char *path) { program = path; }

/* Another thread of the worker runs while a call waits: it counts its turns. */
static volatile bool is_over;
static unsigned turns;
static void take_turns(void *argument) {
  (void)argument;
  while (!is_over) {
    ++turns;
    OK(weft_sleep_ns(100000));
  }
}

/* ---- jobs that are started ------------------------------------------------------------------- */

void test_child(void) {
  MPI_Comm parent;
  int number = rank;
  OK(MPI_Comm_get_parent(&parent));
  CHECK(parent != MPI_COMM_NULL);
  if (rank == 0) OK(MPI_Send(&number, 1, MPI_INT, 0, 4, parent));
  OK(MPI_Comm_disconnect(&parent));
}

static void end_children(MPI_Comm children) {
  int got = -1;
  if (rank == 0) OK(MPI_Recv(&got, 1, MPI_INT, 0, 4, children, MPI_STATUS_IGNORE));
  CHECK(got == (rank == 0 ? 0 : -1));
  OK(MPI_Comm_disconnect(&children));
}

static void spawn(void *argument) {
  MPI_Comm children;
  char name[] = "child";
  char *words[] = {name, NULL};
  (void)argument;
  OK(MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
  end_children(children);
}

static void spawn_multiple(void *argument) {
  MPI_Comm children;
  char name[] = "child";
  char *words[] = {name, NULL};
  char *programs[] = {(char *)program};
  char **all_words[] = {words};
  const int counts[] = {1};
  const MPI_Info infos[] = {MPI_INFO_NULL};
  (void)argument;
  OK(MPI_Comm_spawn_multiple(1, programs, all_words, counts, infos, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
  end_children(children);
}

static void call_beside(weft_function function) {
  is_over = false;
  turns = 0;
  running other = start(ULT, take_turns, NULL);
  running one = start(ULT, function, NULL);
  finish(&one);
  CHECK(turns > 1);
  is_over = true;
  finish(&other);
}

void test_spawn(void) {
  call_beside(spawn);
  call_beside(spawn_multiple);
}

/* ---- jobs that meet -------------------------------------------------------------------------- */

static char port[MPI_MAX_PORT_NAME];

static void accept_one(void *argument) {
  MPI_Comm other;
  int got = -1;
  (void)argument;
  OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
  OK(MPI_Recv(&got, 1, MPI_INT, 0, 6, other, MPI_STATUS_IGNORE));
  CHECK(got == 1);
  OK(MPI_Comm_disconnect(&other));
}

static void connect_one(void *argument) {
  MPI_Comm other;
  (void)argument;
  OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
  OK(MPI_Send(&rank, 1, MPI_INT, 0, 6, other));
  OK(MPI_Comm_disconnect(&other));
}

/* The thread that accepts waits before the one that sends the port runs, on the same worker. */
static void send_port(void *argument) {
  (void)argument;
  OK(MPI_Send(port, sizeof port, MPI_CHAR, 1, 5, MPI_COMM_WORLD));
}

void test_meeting(void) {
  CHECK(ranks == 2);
  if (rank == 0) {
    OK(MPI_Open_port(MPI_INFO_NULL, port));
    running accepting = start(ULT, accept_one, NULL);
    running sending = start(ULT, send_port, NULL);
    finish(&sending);
    finish(&accepting);
    OK(MPI_Close_port(port));
  } else {
    OK(MPI_Recv(port, sizeof port, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    running connecting = start(ULT, connect_one, NULL);
    finish(&connecting);
  }
}

/* Over a socket: the thread that joins waits before the one that sends the socket's number runs, on the
 * same worker. */
static int listening = -1;

static void join_one(void *argument) {
  MPI_Comm other;
  int got = -1;
  const int connected = accept(listening, NULL, NULL);
  (void)argument;
  CHECK(connected >= 0);
  OK(MPI_Comm_join(connected, &other));
  CHECK(other != MPI_COMM_NULL);
  OK(MPI_Recv(&got, 1, MPI_INT, 0, 6, other, MPI_STATUS_IGNORE));
  CHECK(got == 1);
  OK(MPI_Comm_disconnect(&other));
  close(connected);
}

static void join_late(void *argument) {
  MPI_Comm other;
  char go = 0;
  const int *const connected = argument;
  OK(MPI_Recv(&go, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Comm_join(*connected, &other));
  CHECK(other != MPI_COMM_NULL);
  OK(MPI_Send(&rank, 1, MPI_INT, 0, 6, other));
  OK(MPI_Comm_disconnect(&other));
}

static void send_go_to_join(void *argument) {
  (void)argument;
  OK(MPI_Send("", 1, MPI_CHAR, 1, 7, MPI_COMM_WORLD));
}

void test_join(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t bytes = sizeof address;
  const int one = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(ranks == 2 && one >= 0);
  if (rank == 0) {
    listening = one;
    CHECK(bind(one, (const struct sockaddr *)&address, bytes) == 0 && listen(one, 1) == 0);
    CHECK(getsockname(one, (struct sockaddr *)&address, &bytes) == 0);
    OK(MPI_Send(&address, sizeof address, MPI_BYTE, 1, 5, MPI_COMM_WORLD));
    running joining = start(ULT, join_one, NULL);
    running sending = start(ULT, send_go_to_join, NULL);
    finish(&sending);
    finish(&joining);
  } else {
    OK(MPI_Recv(&address, sizeof address, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(connect(one, (const struct sockaddr *)&address, sizeof address) == 0);
    running joining = start(ULT, join_late, (void *)&one);
    finish(&joining);
  }
  close(one);
}

/* ---- sessions -------------------------------------------------------------------------------- */

#if MPI_VERSION >= 4
static void session(void *argument) {
  MPI_Session made;
  MPI_Group group;
  MPI_Comm comm;
  int sum = 0;
  (void)argument;
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made));
  OK(MPI_Group_from_session_pset(made, "mpi://WORLD", &group));
  OK(MPI_Comm_create_from_group(group, "weft", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == ranks * (ranks - 1) / 2);
  OK(MPI_Comm_free(&comm));
  if (ranks == 2) {
    MPI_Group own, other;
    MPI_Comm between;
    const int peer = 1 - rank;
    OK(MPI_Group_incl(group, 1, &rank, &own));
    OK(MPI_Group_incl(group, 1, &peer, &other));
    OK(MPI_Intercomm_create_from_groups(own, 0, other, 0, "weft between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between));
    OK(MPI_Comm_free(&between));
    OK(MPI_Group_free(&own));
    OK(MPI_Group_free(&other));
  }
  OK(MPI_Group_free(&group));
  OK(MPI_Session_finalize(&made));
}
#endif

void test_sessions(void) {
#if MPI_VERSION >= 4
  running one = start(ULT, session, NULL);
  finish(&one);
#endif
}
