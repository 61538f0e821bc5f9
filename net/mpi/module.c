/* The module that an MPI gets: see module.h. MPI-3 RMA, passive: one lock_all on each window from
 * its start to its end, and flushes. */
#include "module.h"

#include "hydra.h"
#include "messages.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most_windows = 8 };

static struct window {
  MPI_Win of;
  void *own;
} windows[most_windows];
static int window_count = 0;
static int waits_yield = 0; /* in flush and fetch_add */
static int is_mpich = 0;    /* or made of it; the header of the standard ABI does not say, the library does */

/* What flush has to end. A get has ended once its request has: MPI_Win_flush would cost another
 * message and its answer. */
enum { most_gets = 16, most_targets = 1024 };
static MPI_Request open_gets[most_gets];
static int get_count = 0;
static char has_put[most_windows][most_targets]; /* since its last flush; a rank beyond always has */

#define QUOTED_(text) #text
#define QUOTED(text) QUOTED_(text)
#if defined(OMPI_MAJOR_VERSION)
#define BUILT_FOR "Open MPI " QUOTED(OMPI_MAJOR_VERSION) "." QUOTED(OMPI_MINOR_VERSION) "." QUOTED(OMPI_RELEASE_VERSION)
#elif defined(MPICH_VERSION)
#define BUILT_FOR "MPICH " MPICH_VERSION
#elif defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0
#define HAS_STANDARD_ABI
#define BUILT_FOR "the standard ABI " QUOTED(MPI_ABI_VERSION) "." QUOTED(MPI_ABI_SUBVERSION) " of MPI " QUOTED(MPI_VERSION)
#else
#define BUILT_FOR "MPI " QUOTED(MPI_VERSION) "." QUOTED(MPI_SUBVERSION)
#endif

/* Open MPI 4: compare-and-swap in an allocated window crashes in osc/rdma over btl/vader, and
 * osc/rdma opens no window over TCP. */
static void avoid_components(weft_net_facts *out) {
  out->avoided[0] = 0;
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
  if (getenv("OMPI_MCA_osc") != NULL) return;
  setenv("OMPI_MCA_osc", "sm,pt2pt", 1);
  snprintf(out->avoided, sizeof out->avoided,
           "Open MPI 4's osc/rdma, whose compare-and-swap crashes; osc/sm and osc/pt2pt are used (OMPI_MCA_osc chooses)");
#endif
}

static int find_node(weft_net_facts *out) {
  MPI_Comm near;
  int code = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Allreduce(&out->rank, &out->node, 1, MPI_INT, MPI_MIN, near);
  MPI_Comm_free(&near);
  return code;
}

static const int levels[] = {[WEFT_NET_FUNNELED] = MPI_THREAD_FUNNELED,
                             [WEFT_NET_SERIALIZED] = MPI_THREAD_SERIALIZED,
                             [WEFT_NET_MULTIPLE] = MPI_THREAD_MULTIPLE};

static void squeeze_blanks(char *text) {
  char *to = text;
  for (const char *from = text; *from != 0; ++from) {
    const int is_blank = *from == ' ' || *from == '\t';
    if (!is_blank || (to != text && to[-1] != ' ')) *to++ = is_blank ? ' ' : *from;
  }
  *to = 0;
}

/* Whose library it is, and whether it is of the ABI of this file. May be asked before MPI_Init. */
static int ask_library(weft_net_facts *out) {
  int length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(text, &length);
#if defined(MPICH_VERSION)
  is_mpich = 1;
#else
  is_mpich = strstr(text, "MPICH") != NULL;
#endif
  text[strcspn(text, ",\n")] = 0;
  squeeze_blanks(text);
  snprintf(out->library, sizeof out->library, "%.127s", text);
#if defined(HAS_STANDARD_ABI)
  int major = 0, minor = 0;
  MPI_Abi_get_version(&major, &minor);
  if (major != MPI_ABI_VERSION) return MPI_ERR_ABI;
  snprintf(out->library, sizeof out->library, "%.80s, standard ABI %d.%d", text, major, minor);
#endif
  return MPI_SUCCESS;
}

static int start(int threads, weft_net_facts *out) {
  int provided = 0, length = 0;
  char host[MPI_MAX_PROCESSOR_NAME];
  avoid_components(out);
  int code = ask_library(out);
  if (code == MPI_SUCCESS) code = MPI_Init_thread(NULL, NULL, levels[threads], &provided);
  if (code != MPI_SUCCESS) return code;
  out->threads = provided >= levels[threads] ? threads : WEFT_NET_FUNNELED;
  waits_yield = threads != WEFT_NET_FUNNELED;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &out->ranks);
  MPI_Get_processor_name(host, &length);
  snprintf(out->host, sizeof out->host, "%.63s", host);
  out->is_unified = 1; /* until a window says otherwise */
  return find_node(out);
}

static void end(int status) {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over) return;
  while (window_count > 0) {
    struct window *last = &windows[--window_count];
    MPI_Win_unlock_all(last->of);
    MPI_Win_free(&last->of);
  }
  if (is_mpich) {
    weft_net_finalize(status);
  } else {
    MPI_Finalize();
  }
}

static void end_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

static void error_text(int code, char *out, size_t bytes) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) snprintf(text, sizeof text, "error %d", code);
  text[strcspn(text, "\n")] = 0;
  snprintf(out, bytes, "%s", text);
}

/* The MPIs spin while they wait; processes may be more than processors, and a target may look only
 * once in a while. */
static int wait_for(MPI_Request *request) {
  enum { looks_before_yield = 30, looks_before_sleep = 100, longest_sleep_ns = 128000 };
  struct timespec pause = {0, 2000};
  int is_done = 0;
  for (long looks = 0;; ++looks) {
    int code = MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || is_done) return code;
    if (looks < looks_before_yield) continue;
    if (looks < looks_before_sleep) {
      sched_yield();
      continue;
    }
    if (pause.tv_nsec < longest_sleep_ns) pause.tv_nsec *= 2;
    nanosleep(&pause, NULL);
  }
}

static int gather(const void *mine, size_t bytes, void *all) {
  MPI_Request request;
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  int code = MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
  return code != MPI_SUCCESS ? code : wait_for(&request);
}

static int barrier(void) {
  MPI_Request request;
  int code = MPI_Ibarrier(MPI_COMM_WORLD, &request);
  return code != MPI_SUCCESS ? code : wait_for(&request);
}

static int make_window(void *base, size_t bytes, struct window *made) {
  made->own = base;
  if (base != NULL) return MPI_Win_create(base, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made->of);
  return MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made->own, &made->of);
}

static int open_window(void *base, size_t bytes, void **own, void **window) {
  if (window_count == most_windows) return MPI_ERR_OTHER;
  struct window *made = &windows[window_count];
  int code = make_window(base, bytes, made);
  if (code != MPI_SUCCESS) return code;
  MPI_Win_set_errhandler(made->of, MPI_ERRORS_RETURN);
  int *model = NULL, is_there = 0;
  MPI_Win_get_attr(made->of, MPI_WIN_MODEL, &model, &is_there);
  if (!is_there || *model != MPI_WIN_UNIFIED) return MPI_ERR_UNSUPPORTED_OPERATION;
  if (base == NULL) memset(made->own, 0, bytes);
  code = MPI_Win_lock_all(MPI_MODE_NOCHECK, made->of);
  if (code != MPI_SUCCESS) return code;
  ++window_count;
  *own = made->own;
  *window = made;
  MPI_Win_sync(made->of);
  return barrier();
}

static MPI_Win of(void *window) { return ((struct window *)window)->of; }

static int may_have_put(void *window, int rank) {
  return rank >= most_targets || has_put[(struct window *)window - windows][rank];
}
static void note_put(void *window, int rank, int is_open) {
  if (rank < most_targets) has_put[(struct window *)window - windows][rank] = (char)is_open;
}

/* Of all windows. */
static int end_gets(void) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < get_count; ++i) {
    const int code = waits_yield ? wait_for(&open_gets[i]) : MPI_Wait(&open_gets[i], MPI_STATUS_IGNORE);
    if (result == MPI_SUCCESS) result = code;
  }
  get_count = 0;
  return result;
}

static int get(void *window, int rank, size_t offset, void *into, size_t bytes) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  if (get_count == most_gets) {
    int code = end_gets();
    if (code != MPI_SUCCESS) return code;
  }
  int code =
      MPI_Rget(into, (int)bytes, MPI_BYTE, rank, (MPI_Aint)offset, (int)bytes, MPI_BYTE, of(window), &open_gets[get_count]);
  get_count += code == MPI_SUCCESS;
  return code;
}

static int put_later(void *window, int rank, size_t offset, const void *from, size_t bytes) {
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  note_put(window, rank, 1);
  return MPI_Put(from, (int)bytes, MPI_BYTE, rank, (MPI_Aint)offset, (int)bytes, MPI_BYTE, of(window));
}

/* The own bytes may be reused when it returns: what does not fit here waits for its copy. MPICH 4.0
 * still reads some of them after MPI_Win_flush_local, so it is MPI_Win_flush that waits. */
static int put(void *window, int rank, size_t offset, const void *from, size_t bytes) {
  enum { kept = 64 };
  static char bytes_of[kept][64]; /* in turn; a flush at every start of a round keeps them whole */
  static unsigned next = 0;
  if (bytes > INT_MAX) return MPI_ERR_COUNT;
  if (bytes > sizeof bytes_of[0]) {
    int code = put_later(window, rank, offset, from, bytes);
    return code != MPI_SUCCESS ? code : MPI_Win_flush(rank, of(window));
  }
  if (next == kept) {
    next = 0;
    for (int i = 0; i < window_count; ++i) {
      int code = MPI_Win_flush_all(windows[i].of);
      if (code != MPI_SUCCESS) return code;
    }
  }
  char *copy = bytes_of[next++];
  memcpy(copy, from, bytes);
  note_put(window, rank, 1);
  if (bytes == sizeof(uint64_t) && offset % bytes == 0) /* a put may be torn, an accumulate of one element may not */
    return MPI_Accumulate(copy, 1, MPI_UINT64_T, rank, (MPI_Aint)offset, 1, MPI_UINT64_T, MPI_REPLACE, of(window));
  return MPI_Put(copy, (int)bytes, MPI_BYTE, rank, (MPI_Aint)offset, (int)bytes, MPI_BYTE, of(window));
}

/* By a request where waits yield: see flush. */
static int begin_fetch_add(void *window, int rank, size_t offset, const uint64_t *by, uint64_t *before) {
  const MPI_Op what = *by == 0 ? MPI_NO_OP : MPI_SUM;
  const MPI_Aint at = (MPI_Aint)offset;
  MPI_Request request;
  if (!waits_yield) return MPI_Fetch_and_op(by, before, MPI_UINT64_T, rank, at, what, of(window));
  int code =
      MPI_Rget_accumulate(by, 1, MPI_UINT64_T, before, 1, MPI_UINT64_T, rank, at, 1, MPI_UINT64_T, what, of(window), &request);
  return code != MPI_SUCCESS ? code : wait_for(&request);
}

static int fetch_add(void *window, int rank, size_t offset, uint64_t by, uint64_t *before) {
  MPI_Win_sync(of(window));
  int code = begin_fetch_add(window, rank, offset, &by, before);
  return code != MPI_SUCCESS || waits_yield ? code : MPI_Win_flush(rank, of(window));
}

static int compare_swap(void *window, int rank, size_t offset, uint64_t expected, uint64_t desired, uint64_t *before) {
  MPI_Win_sync(of(window));
  int code = MPI_Compare_and_swap(&desired, &expected, before, MPI_UINT64_T, rank, (MPI_Aint)offset, of(window));
  return code != MPI_SUCCESS ? code : MPI_Win_flush(rank, of(window));
}

/* MPICH answers a put in the target's own calls, and spins in MPI_Win_flush. Where the two share a
 * processor the target runs only when the time slice of the one that spins is over. So where waits
 * yield, a byte is read by a request behind the puts. The wait for it lets the target run, and
 * MPI_Win_flush then finds the answers. Which byte does not matter, nor what it holds. */
static int flush(void *window, int rank) {
  char byte;
  int code = MPI_SUCCESS;
  const int is_put = may_have_put(window, rank);
  if (is_put && waits_yield) code = get(window, rank, 0, &byte, 1);
  const int ended = end_gets(); /* which all arrive at once */
  if (code == MPI_SUCCESS) code = ended;
  if (code != MPI_SUCCESS || !is_put) return code;
  note_put(window, rank, 0);
  return MPI_Win_flush(rank, of(window));
}

/* MPICH sends a put when it is made; Open MPI's osc/pt2pt collects small ones until a flush of
 * either kind. */
static int send_puts(void *window, int rank) {
  return !is_mpich && may_have_put(window, rank) ? MPI_Win_flush_local(rank, of(window)) : MPI_SUCCESS;
}

static int progress(void *window) {
  int is_there = 0;
  int code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS || window == NULL ? code : MPI_Win_sync(of(window));
}

static void (*called_at_unload)(void) = NULL;
static void call_at_unload(void (*call)(void)) { called_at_unload = call; }

/* The loader calls it before the destructors of what this module is linked with. */
__attribute__((destructor)) static void unload(void) {
  if (called_at_unload != NULL) called_at_unload();
}

extern const weft_net_module weft_net_module_table __attribute__((visibility("default")));
const weft_net_module weft_net_module_table = {WEFT_NET_MODULE_VERSION,
                                               sizeof(weft_net_module),
                                               BUILT_FOR,
                                               start,
                                               end,
                                               end_all,
                                               error_text,
                                               gather,
                                               barrier,
                                               open_window,
                                               get,
                                               put,
                                               fetch_add,
                                               compare_swap,
                                               flush,
                                               progress,
                                               weft_net_send,
                                               weft_net_is_sent,
                                               weft_net_find,
                                               weft_net_receive,
                                               put_later,
                                               send_puts,
                                               call_at_unload};
