/* Weft: Tascell, tasks that cost nearly nothing until another worker asks for one. This header is
 * what the compiler `weft tascell` makes its C of; tascell.hpp is the form for C++. The library is
 * libweft-tascell. The conventions of weft.h hold.
 *
 * A worker runs a task sequentially. A parallel construct is a choice point: it only links a record
 * on the C stack. A worker without work leaves a request with another worker. That worker notices
 * the request at its next poll, walks its records from the newest to the oldest, undoing its
 * changes of the workspace, lets the oldest choice point that can divide make a task, and walks
 * back, redoing the changes. Then it goes on where it was. See T. Hiraishi, M. Yasugi, S. Umatani,
 * T. Yuasa, "Backtracking-based load balancing", PPoPP 2009, doi:10.1145/1504176.1504187.
 *
 * Words
 *   Worker       A ULT that is pinned to a worker of Weft and runs tasks. weft_tascell_run starts
 *                one on each worker of Weft that it is to use.
 *   Record       What an active construct keeps on the C stack: a weft_tascell_record, and behind
 *                it what the construct's operations need.
 *   Newest       The record of the innermost active construct of the running task. Where a call
 *                takes newest, another record is undefined.
 *   Task         Work that was taken out of a choice point: an object that begins with a
 *                weft_tascell_task.
 *   Giver        The worker whose choice point made a task. It joins the task.
 *   Node         One process of a run that several processes share (weft_tascell_main).
 *   Worker function  A function whose first parameters are the worker and the newest record:
 *                    T f(weft_tascell_worker *worker, weft_tascell_record *up, ...)
 *                Only worker functions, tasks' run and weft_tascell_main call worker functions.
 *
 * How the constructs are lowered
 *   A record is made after the tests of base cases. Its fields that the operations read are written
 *   before the next call of a worker function or poll. A struct of a construct begins with
 *   weft_tascell_choice, weft_tascell_wind or weft_tascell_catch, and continues with the captures:
 *   by value if nothing assigns them while the construct is active, else by address, or the
 *   variable lives in the struct.
 *
 *   do_two S1 S2           struct two { weft_tascell_choice choice; captures } r;
 *                          weft_tascell_choice_begin(&r.choice, up, &two_operations);
 *                          weft_tascell_poll(worker, &r.choice.record);
 *                          S1, with &r.choice.record as up;
 *                          if (r.choice.given == NULL) S2, with up;
 *                          else { task = weft_tascell_join(worker, &r.choice);
 *                                 get; weft_tascell_task_free(task); }
 *     divide of a do_two returns NULL if choice.given is not NULL: it gives S2 at most once.
 *
 *   do_many (i : lo, hi)   struct many { weft_tascell_choice choice; T index; T end; captures } r;
 *                          weft_tascell_choice_begin(&r.choice, up, &many_operations);
 *                          r.index = lo; r.end = hi; weft_tascell_poll(worker, &r.choice.record);
 *                          for (T i = lo; i < r.end; i++) { r.index = i; body, with the record }
 *                          while (r.choice.given != NULL) { join, get and free, as above }
 *     divide gives [m, end) where m is weft_tascell_middle(index, end), or what `split at` says but
 *     at least index + 1; if m >= end it returns NULL. It sets end = m after the task is made. A
 *     body without constructs calls weft_tascell_poll_again in each iteration, or each n-th, after
 *     index is stored. An empty range may skip all of it.
 *
 *   wind {redo}{body}{undo}  struct wind { weft_tascell_wind wind; captures } r;
 *                            redo; weft_tascell_wind_begin(&r.wind, up, &wind_operations);
 *                            body, with &r.wind.record as up; undo;
 *     The operations' undo and redo are the same code over the captures. The state after undo and
 *     redo must be the state before.
 *
 *   catch (tag) body       weft_tascell_catch r;
 *                          weft_tascell_catch_begin(&r, up, tag);
 *                          if (setjmp(r.buffer) == 0) body, outlined, with &r.record as up;
 *   throw tag              weft_tascell_throw(worker, newest, tag);
 *   check_request          weft_tascell_poll_again(worker, newest);
 *   guard e                the operations' guard: the probability e of refusing a request.
 *   worker_data            worker->data, of weft_tascell_options.
 *   PROBABILITY            weft_tascell_set_probability and worker->probability.
 *   WORKER-ID              worker->index.   EXITING, BACKTRACKING: worker->mode.
 *   put                    divide: task = (struct x *)weft_tascell_task_make(worker, &x_kind);
 *                          if (task == NULL) return NULL; fill it; return &task->header;
 *   task_exec              the kind's run: calls worker functions with its own parameters.
 *
 * put, get, guard, undo and redo must not switch, poll, or call worker functions.
 */
#ifndef WEFT_TASCELL_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_TASCELL_H

#include <setjmp.h>

#include <weft/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place in a source; file and function are static strings, or null: unknown. */
typedef struct weft_tascell_place {
  const char *file;     /* as the compiler was given it */
  const char *function; /* the function that holds the construct */
  unsigned line;        /* from 1 */
} weft_tascell_place;

/* What an active construct keeps on the C stack. */
typedef struct weft_tascell_record weft_tascell_record;
/* The functions that the library calls for a record. */
typedef struct weft_tascell_operations weft_tascell_operations;
/* The header with which each task object begins. */
typedef struct weft_tascell_task weft_tascell_task;
/* What all tasks of a type share. */
typedef struct weft_tascell_kind weft_tascell_kind;
/* A growing buffer, into which a task is packed to be sent to another node. */
typedef struct weft_tascell_bytes weft_tascell_bytes;
/* Identifies, on one node, a construct whose tasks read elements lazily. 0: the construct has no
 * stamp yet. */
typedef uint64_t weft_tascell_stamp;
/* Elements that a task reads lazily. */
typedef struct weft_tascell_lazy weft_tascell_lazy;

/* ---- workers --------------------------------------------------------------------------------- */

/* What a worker is doing: the language's EXITING. */
typedef enum weft_tascell_mode {
  WEFT_TASCELL_NORMAL = 0,      /* it runs a task */
  WEFT_TASCELL_THROWING = 1,    /* a throw unwinds the task */
  WEFT_TASCELL_CANCELLING = 2,  /* a cancellation unwinds the task */
  WEFT_TASCELL_BACKTRACKING = 3 /* undo, divide or redo runs for a request */
} weft_tascell_mode;

/* A worker. The library owns it; programs read the fields below, and nothing behind them. */
typedef struct weft_tascell_worker {
  uint32_t attention;     /* the poll word: not 0 if the worker is to call weft_tascell_attend */
  uint32_t index;         /* from 0 to one less than the number of workers of the run */
  weft_tascell_mode mode; /* what the worker is doing */
  void *data;             /* its own data_bytes of weft_tascell_options; null: none */
  double probability;     /* with which it accepts requests: weft_tascell_set_probability */
} weft_tascell_worker;

/* Sets the probability with which a worker accepts requests that any worker may serve; it refuses
 * the others. Each task starts with the probability 1. If the worker runs another task while the
 * first one waits, the first task has its own probability again afterwards. Values below 0 count as
 * 0, values above 1 as 1. A request for work of a given task is always accepted.
 * Switches: never. Callers: the worker itself. */
WEFT_API void weft_tascell_set_probability(weft_tascell_worker *worker, double probability);

/* Returns how many workers the run has on this node.
 * Returns: the number, which is that of the run's options or smaller.
 * Switches: never. Callers: a worker of the run. */
WEFT_API unsigned weft_tascell_worker_count(const weft_tascell_worker *worker);

/* ---- records --------------------------------------------------------------------------------- */

/* The kinds of records. */
typedef enum weft_tascell_record_kind {
  WEFT_TASCELL_ROOT = 0,   /* the bottom of a task; made by the library */
  WEFT_TASCELL_CHOICE = 1, /* do_two, do_many: a weft_tascell_choice */
  WEFT_TASCELL_WIND = 2,   /* wind: a weft_tascell_wind */
  WEFT_TASCELL_CATCH = 3,  /* catch: a weft_tascell_catch */
  WEFT_TASCELL_BRIDGE = 4  /* a call from C++ into C: a weft_tascell_bridge */
} weft_tascell_record_kind;

/* What an active construct keeps on the C stack. The program must keep the record at one address
 * from the beginning of the construct to its end. */
struct weft_tascell_record {
  weft_tascell_record *up;                   /* the next older one; a root has null */
  const weft_tascell_operations *operations; /* constant data */
};

/* The functions that the library calls for a record. Those that the kind of record does not need
 * are null. */
struct weft_tascell_operations {
  weft_tascell_record_kind kind; /* of all records with these operations */
  weft_tascell_place place;      /* where the construct is written */
  /* Of a wind: undoes the changes that the wind made before its body. */
  void (*undo)(weft_tascell_record *record, weft_tascell_worker *worker);
  /* Of a wind: makes the changes again. */
  void (*redo)(weft_tascell_record *record, weft_tascell_worker *worker);
  /* Of a choice point: returns a new task of weft_tascell_task_make, which the library links into
   * the choice and sends; null: nothing to give, or no memory. On null nothing has changed. */
  weft_tascell_task *(*divide)(weft_tascell_record *record, weft_tascell_worker *worker);
  /* Of a choice point: returns the probability with which a request is refused; null: 0. */
  double (*guard)(weft_tascell_record *record, weft_tascell_worker *worker);
  /* Of a choice point or a wind: calls weft_tascell_watch for each part of the workspace that its
   * divide takes, or its undo and redo change; null: none. Only the check mode calls it, when all
   * newer winds are undone, and drops afterwards what it added. */
  void (*watch)(weft_tascell_record *record, weft_tascell_worker *worker);
  /* Of a choice point: the kind of the tasks that divide makes; null: not known, so that they stay
   * on their node. */
  const weft_tascell_kind *gives;
  /* Of a choice point: returns the address of the record's stamp if the tasks of the choice point
   * read all the bytes from low on lazily, else null. The stamp is 0 when the construct begins. A
   * null function means that the tasks read nothing lazily. */
  weft_tascell_stamp *(*lends)(weft_tascell_record *record, const void *low, size_t bytes);
};

/* The record of a choice point: a do_two or a do_many that is active. */
typedef struct weft_tascell_choice {
  weft_tascell_record record; /* first */
  weft_tascell_task *given;   /* the tasks that it gave and that are not joined, newest first */
} weft_tascell_choice;

/* The record of a wind whose changes are made and whose body runs. */
typedef struct weft_tascell_wind {
  weft_tascell_record record; /* first */
} weft_tascell_wind;

/* The record of a catch whose body runs. */
typedef struct weft_tascell_catch {
  weft_tascell_record record; /* first */
  int64_t tag;                /* a throw of this tag ends here */
  jmp_buf buffer;             /* set by setjmp after weft_tascell_catch_begin */
} weft_tascell_catch;

/* The operations of every catch. */
WEFT_API extern const weft_tascell_operations weft_tascell_catch_operations;

/* Begins a choice point: fills its record, which is the newest from now on, and notes that the
 * choice point has given no task yet. up was the newest record; operations are constant data.
 * Switches: never. Callers: worker functions. */
static inline void weft_tascell_choice_begin(weft_tascell_choice *choice, weft_tascell_record *up,
                                             const weft_tascell_operations *operations) {
  choice->record.up = up;
  choice->record.operations = operations;
  choice->given = NULL;
}

/* Begins a wind whose changes have just been made: fills its record, which is the newest from now
 * on. up was the newest record; operations are constant data.
 * Switches: never. Callers: worker functions. */
static inline void weft_tascell_wind_begin(weft_tascell_wind *wind, weft_tascell_record *up,
                                           const weft_tascell_operations *operations) {
  wind->record.up = up;
  wind->record.operations = operations;
}

/* Begins a catch of tag: fills its record, which is the newest from now on; setjmp(record->buffer)
 * must follow. up was the newest record. A throw of tag ends the catch, and makes that setjmp
 * return 1.
 * Switches: never. Callers: worker functions. */
static inline void weft_tascell_catch_begin(weft_tascell_catch *record, weft_tascell_record *up, int64_t tag) {
  record->record.up = up;
  record->record.operations = &weft_tascell_catch_operations;
  record->tag = tag;
}

/* Returns where to divide a loop: a worker gives away the iterations [m, end).
 * index is the running iteration, and end the end of the loop. The iterations that have not begun
 * are halved, and the given half is rounded up. A loop over a type that does not convert to int64_t
 * needs a function of its own.
 * Returns: m, with index < m < end; end if fewer than two iterations are left.
 * Switches: never. Callers: any. */
static inline int64_t weft_tascell_middle(int64_t index, int64_t end) {
  if (end <= index || end - index < 2) return end;
  return index + 1 + (end - index - 1) / 2;
}

/* ---- polls ----------------------------------------------------------------------------------- */

/* Serves the requests of other workers. It is the slow path of weft_tascell_poll.
 * The records' undo, guard, divide and redo run in the call. If the running task was cancelled, or
 * if a task that one of its choice points gave has thrown, the call does not return: it unwinds as
 * weft_tascell_throw does.
 * Switches: may. Callers: worker functions. */
WEFT_API void weft_tascell_attend(weft_tascell_worker *worker, weft_tascell_record *newest);

/* Polls for requests of other workers, by one relaxed load, and serves them by weft_tascell_attend.
 * Switches: may. Callers: worker functions. */
static inline void weft_tascell_poll(weft_tascell_worker *worker, weft_tascell_record *newest) {
  if (__builtin_expect(__atomic_load_n(&worker->attention, __ATOMIC_RELAXED) != 0, 0)) weft_tascell_attend(worker, newest);
}

/* Serves the requests of other workers, where newest may have polled before. The call does what
 * weft_tascell_attend does, except under WEFT_TASCELL_CHECK (weft_tascell_watch): it keeps the copy
 * of the workspace of newest's last weft_tascell_attend, if there is one.
 * Switches: may. Callers: worker functions. */
WEFT_API void weft_tascell_attend_again(weft_tascell_worker *worker, weft_tascell_record *newest);

/* Polls as weft_tascell_poll does, where the newest record may have polled before: in iterations of
 * a do_many, and for check_request. It serves requests by weft_tascell_attend_again.
 * Switches: may. Callers: worker functions. */
static inline void weft_tascell_poll_again(weft_tascell_worker *worker, weft_tascell_record *newest) {
  if (__builtin_expect(__atomic_load_n(&worker->attention, __ATOMIC_RELAXED) != 0, 0)) weft_tascell_attend_again(worker, newest);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* What all tasks of a type share: constant data. */
struct weft_tascell_kind {
  const char *name;         /* for messages */
  size_t bytes;             /* the size of the object, which begins with a weft_tascell_task */
  size_t alignment;         /* of the object: a power of two */
  weft_tascell_place place; /* where the type is written */
  /* Runs the task: it reads the fields that are given and fills those that are results. up is the
   * root, the newest record of the task at first. */
  void (*run)(weft_tascell_task *task, weft_tascell_worker *worker, weft_tascell_record *up);
  /* Appends the fields that are given to bytes; false: no memory. Null, with the next three: the
   * task is not transferable. */
  bool (*pack_in)(const weft_tascell_task *task, weft_tascell_bytes *bytes);
  /* Fills a new object, all other bytes of which are 0, from bytes. */
  bool (*unpack_in)(weft_tascell_task *task, weft_tascell_bytes *bytes);
  /* Appends the results to bytes. */
  bool (*pack_out)(const weft_tascell_task *task, weft_tascell_bytes *bytes);
  /* Fills the giver's object with the results. */
  bool (*unpack_out)(weft_tascell_task *task, weft_tascell_bytes *bytes);
  /* Frees what the object owns, such as copied arrays, but not the object; null: nothing. It is
   * also called for an object that was only partly filled, whose other fields are 0. */
  void (*destroy)(weft_tascell_task *task);
  /* Whether results go to elements where the giver has them: share (out p[a..b]). */
  bool has_parts;
};

/* How a task ended. */
typedef enum weft_tascell_reason {
  WEFT_TASCELL_RETURNED = 0, /* normally: its results are there */
  WEFT_TASCELL_THREW = 1,    /* by a throw that it did not catch */
  WEFT_TASCELL_CANCELLED = 2 /* it was cancelled: its results are not wanted */
} weft_tascell_reason;

/* The beginning of a task object. The fields behind kind belong to the library. */
struct weft_tascell_task {
  const weft_tascell_kind *kind; /* of the task */
  weft_tascell_task *older;      /* in the list of its choice point */
  weft_tascell_worker *giver;    /* which made it; null: the program */
  weft_tascell_worker *thief;    /* which runs it */
  weft_tascell_task *parent;     /* out of which it was taken; null: a root */
  int64_t tag;                   /* that it threw */
  void *foreign;                 /* with the tag WEFT_TASCELL_FOREIGN: what it threw; else null */
  weft_tascell_bytes *shipped;   /* the packed fields, where every task is shipped */
  uint32_t state;                /* given, running or ended: shared, atomic */
  uint32_t is_cancelled;         /* not 0: its giver does not want it any more: shared, atomic */
  weft_tascell_task *next;       /* in a list of the node's: given to another node, or taken from one */
  uint64_t far_number;           /* at the node that gave it */
  uint32_t far_node;             /* to which it was given, or from which it was taken; 0: neither */
  uint32_t far_state;            /* what the node did with it */
  uint64_t far_since;            /* when it came, in ns */
  weft_tascell_lazy *lazies;     /* the elements that it reads lazily */
};

/* Makes a task object of a kind. All bytes behind its header are 0.
 * worker is the calling worker of a run, or null if the caller is no worker of a run, as where it
 * makes the root task for weft_tascell_run.
 * Returns: the object, which the caller owns until it frees it, returns it from divide, or passes
 * it to weft_tascell_broadcast; null if there is no memory.
 * Switches: never. Callers: any. */
WEFT_NODISCARD WEFT_API weft_tascell_task *weft_tascell_task_make(weft_tascell_worker *worker, const weft_tascell_kind *kind);

/* Destroys a task object that was made, joined or run, by its kind's destroy, and frees its memory.
 * For null, nothing is done.
 * Switches: never. Callers: any.
 * Undefined: a task that was given and not joined. */
WEFT_API void weft_tascell_task_free(weft_tascell_task *task);

/* Tells how a joined task, or the root task of a run, ended.
 * For WEFT_TASCELL_THREW, *tag receives the tag that the task threw; otherwise *tag is not written.
 * tag may be null.
 * Returns: the reason; WEFT_TASCELL_RETURNED also for a task that has not run.
 * Switches: never. Callers: any. */
WEFT_API weft_tascell_reason weft_tascell_task_reason(const weft_tascell_task *task, int64_t *tag);

/* Waits for the newest task that a choice point gave, and takes the task out of the choice point's
 * list.
 * While it waits, the worker runs work of that task's descendants, or lets other ULTs run. If the
 * task threw a tag, the call frees the task, throws the same tag, and does not return. If the
 * caller's own task is cancelled, or another task that one of its choice points gave has thrown,
 * the caller is unwound.
 * Returns: the task, which ended normally and which the caller frees.
 * Switches: may. Callers: worker functions.
 * Undefined: choice->given is null; choice is not the newest record. */
WEFT_NODISCARD WEFT_API weft_tascell_task *weft_tascell_join(weft_tascell_worker *worker, weft_tascell_choice *choice);

/* ---- throw ----------------------------------------------------------------------------------- */

/* Throws a tag: unwinds the task, from newest on, to the innermost catch of that tag.
 * Each choice point that is unwound cancels the tasks that it gave, waits for them and frees them.
 * Each wind that is unwound is undone. If no catch of that tag is active, the task ends, and its
 * giver's join throws the tag.
 * Returns: never.
 * Switches: may. Callers: worker functions. */
WEFT_API __attribute__((noreturn)) void weft_tascell_throw(weft_tascell_worker *worker, weft_tascell_record *newest, int64_t tag);

/* The state of an unwinding that passes from C frames to C++ frames, or back (tascell.hpp). */
typedef struct weft_tascell_unwinding {
  weft_tascell_reason reason; /* WEFT_TASCELL_THREW or WEFT_TASCELL_CANCELLED */
  int64_t tag;                /* that is thrown, or will be at level */
  weft_tascell_record *level; /* a choice point where a cancellation becomes a throw; null: none */
  void *foreign;              /* an exception of another language, owned; null: none */
} weft_tascell_unwinding;

/* The tag of a throw that carries an exception of another language: an object that begins with the
 * address of the function void (*)(void *) that frees it. No catch ends it. */
#define WEFT_TASCELL_FOREIGN INT64_MIN

/* The record of a call from C++ into C worker functions. An unwinding of C frames ends at this
 * record, and goes on in C++. */
typedef struct weft_tascell_bridge {
  weft_tascell_record record;       /* first */
  weft_tascell_unwinding unwinding; /* what to go on with */
  jmp_buf buffer;                   /* set by setjmp */
} weft_tascell_bridge;

/* The operations of every bridge. */
WEFT_API extern const weft_tascell_operations weft_tascell_bridge_operations;

/* Serves the requests of other workers, and leaves an unwinding to the caller.
 * The call does what weft_tascell_attend does, except that it returns true where that call would
 * unwind.
 * Returns: true if the caller must unwind, and then *out has received the state of the unwinding.
 * Switches: may. Callers: worker functions. */
WEFT_NODISCARD WEFT_API bool weft_tascell_attend_in_frames(weft_tascell_worker *worker, weft_tascell_record *newest,
                                                           weft_tascell_unwinding *out);

/* Waits for the newest task that a choice point gave, and leaves an unwinding to the caller.
 * The call does what weft_tascell_join does, except that it returns true where that call would
 * unwind. *task receives the task, which the caller frees, or null if the caller must unwind.
 * Returns: true if the caller must unwind, and then *out has received the state of the unwinding.
 * The caller owns out->foreign.
 * Switches: may. Callers: worker functions.
 * Undefined: what is undefined for weft_tascell_join. */
WEFT_NODISCARD WEFT_API bool weft_tascell_join_in_frames(weft_tascell_worker *worker, weft_tascell_choice *choice,
                                                         weft_tascell_task **task, weft_tascell_unwinding *out);

/* Cancels the tasks that a choice point gave, waits for them, and frees them and what they threw.
 * An unwinding calls this at each choice point. If choice is unwinding->level, the cancellation in
 * *unwinding becomes the throw of the task that threw there: *unwinding receives its tag and
 * foreign.
 * Switches: may. Callers: worker functions. */
WEFT_API void weft_tascell_abandon(weft_tascell_worker *worker, weft_tascell_choice *choice, weft_tascell_unwinding *unwinding);

/* Continues an unwinding of C++ frames through the C frames that called them.
 * C++ code calls this when an unwinding has left its own frames. The library copies *unwinding,
 * which says what is thrown or cancelled, and takes over unwinding->foreign. From newest on, each
 * wind is undone, and each choice point cancels the tasks that it gave and waits for them, up to a
 * catch of the tag, a bridge, which receives the state, or the root of the task.
 * Returns: never.
 * Switches: may. Callers: worker functions.
 * Undefined: unwinding->reason is WEFT_TASCELL_RETURNED; newest is not the newest record. */
WEFT_API __attribute__((noreturn)) void weft_tascell_unwind(weft_tascell_worker *worker, weft_tascell_record *newest,
                                                            const weft_tascell_unwinding *unwinding);

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Appends a copy of the size bytes at data to a buffer.
 * Returns: true; false if there is no memory, and then nothing is appended.
 * Switches: never. Callers: pack_in and pack_out. */
WEFT_NODISCARD WEFT_API bool weft_tascell_write(weft_tascell_bytes *bytes, const void *data, size_t size);

/* Takes the next size bytes out of a buffer, and copies them to data.
 * Returns: true; false if fewer bytes are left, and then none is taken.
 * Switches: never. Callers: unpack_in and unpack_out. */
WEFT_NODISCARD WEFT_API bool weft_tascell_read(weft_tascell_bytes *bytes, void *data, size_t size);

/* ---- kinds between nodes --------------------------------------------------------------------- */

/* The kinds of tasks that a source file can send to other nodes: constant data but for next. */
typedef struct weft_tascell_kinds {
  const weft_tascell_kind *const *kinds; /* in an order that is the same in all nodes' programs */
  size_t count;                          /* of kinds */
  uint64_t hash;                         /* of the file's text: nodes with other hashes do not run together */
  struct weft_tascell_kinds *next;       /* the library's */
} weft_tascell_kinds;

/* Registers the kinds of tasks of a source file. Only tasks of registered kinds are sent to other
 * nodes. The struct must stay for the process's life.
 * Switches: never. Callers: constructors, one after the other. */
WEFT_API void weft_tascell_register(weft_tascell_kinds *kinds);

/* Sends a task to all other nodes of the run, and always frees the task.
 * On each of these nodes, an OS thread of the library makes a task object, calls unpack_in for it,
 * and frees it. It does not run the task: a broadcast is for what unpack_in writes elsewhere. The
 * call waits until the nodes that take part now have done so. Nodes that join the run later do so
 * when they come. With one node nothing is sent; if the run ships every task, the caller packs and
 * unpacks the task.
 * Returns: true; false if there is no memory, or if the run has several nodes and the task's kind
 * is not registered or not transferable.
 * Switches: may. Callers: worker functions. */
WEFT_API bool weft_tascell_broadcast(weft_tascell_worker *worker, weft_tascell_task *task);

/* ---- checks ---------------------------------------------------------------------------------- */

/* Adds memory to the workspace that the check mode compares (WEFT_TASCELL_CHECK).
 * The memory is compared until weft_tascell_unwatch, or until the running task ends. At each poll
 * the worker walks back to its oldest record and forward again, as for a request. It compares the
 * memory before each undo with the memory after the redo. At a choice point that could divide, it
 * compares the memory with what it was at that choice point's last weft_tascell_poll. A difference
 * aborts the program with a line. Without the check mode, nothing is done. place is constant data,
 * or null: it says where the memory is declared, and place->function is the memory's name in
 * messages.
 * Switches: never. Callers: worker functions; a record's watch. */
WEFT_API void weft_tascell_watch(weft_tascell_worker *worker, const void *address, size_t bytes, const weft_tascell_place *place);

/* Removes what the last weft_tascell_watch of a worker function added.
 * Switches: never. Callers: worker functions. */
WEFT_API void weft_tascell_unwatch(weft_tascell_worker *worker);

/* ---- runs ------------------------------------------------------------------------------------ */

/* How a run is started. */
typedef struct weft_tascell_options {
  size_t size;           /* sizeof(weft_tascell_options) */
  unsigned workers;      /* 0: one on each worker of Weft; more than these: as many as these */
  size_t stack_bytes;    /* of each worker; 0: WEFT_TASCELL_STACK_SIZE, or 8 MiB */
  size_t data_bytes;     /* of worker->data, zeroed; 0: none */
  size_t data_alignment; /* a power of two; 0: that of max_align_t */
  /* Fills worker->data before the worker does anything else; null: nothing. */
  void (*data_start)(weft_tascell_worker *worker);
  /* Frees what worker->data owns, when the run ends; null: nothing. */
  void (*data_end)(weft_tascell_worker *worker);
} weft_tascell_options;

/* All defaults. */
#define WEFT_TASCELL_OPTIONS_INIT {sizeof(weft_tascell_options), 0, 0, 0, 0, NULL, NULL}

/* Runs a task on all workers, and waits until it has ended.
 * root is a task of weft_tascell_task_make, which the caller owns, also afterwards;
 * weft_tascell_task_reason then tells how root ended. The first worker of the run runs root; the
 * others run what choice points give. options may be null: all defaults. Several runs may overlap;
 * each has its own workers. A worker that is added to Weft during a run serves the next run.
 * Errors: WEFT_INVALID (root is null, or was given or run before; options has a wrong size, a stack
 * that is too small, or an alignment that is no power of two; a bad setting in the environment,
 * which a line on stderr names), WEFT_NOMEM, WEFT_NOT_INITIALIZED, WEFT_CANNOT_BLOCK (the caller is
 * a tasklet).
 * Switches: may. Callers: ULTs and OS threads outside. */
WEFT_NODISCARD WEFT_API weft_status weft_tascell_run(weft_tascell_task *root, const weft_tascell_options *options);

/* The function that weft_tascell_main runs: a worker function with the arguments of main. */
typedef int (*weft_tascell_function)(weft_tascell_worker *worker, weft_tascell_record *up, int argc, char **argv);

/* Starts Weft, runs function(worker, up, argc, argv) as the root task, and ends Weft.
 * The call removes its own options from the beginning of argv; -- ends them. They are --workers N
 * and, for a run on several nodes, --server HOST:PORT, --key-file FILE, --nodes N (function starts
 * once N nodes have come), --transport NAME and --idle-sleep TIME. Every node starts the same
 * program. The first node runs function; the other nodes run tasks until function returns. A line
 * on stderr names what failed. The compiler weft tascell makes a main that calls this. options may
 * be null: all defaults.
 * Returns: what function returned, on all nodes; 70 if a throw left function, if function could not
 * be run, or if Weft could not be ended.
 * Switches: may. Callers: main. */
WEFT_NODISCARD WEFT_API int weft_tascell_main(weft_tascell_function function, int argc, char **argv,
                                              const weft_tascell_options *options);

/* What the workers of the last run did: sums over all of them. */
typedef struct weft_tascell_counts {
  uint64_t requests;    /* that reached a worker */
  uint64_t refused;     /* of these: without a task */
  uint64_t backtracks;  /* walks to the oldest record and back */
  uint64_t records;     /* that these walks passed */
  uint64_t given;       /* tasks that were made and sent */
  uint64_t stolen_back; /* of these: to workers that waited for a task of theirs */
  uint64_t cancelled;   /* tasks that ended by cancellation */
  uint64_t live;        /* task objects that exist now, in the process */
  uint64_t sleeps;      /* how often a worker slept */
} weft_tascell_counts;

/* Stores what the workers of this node did in the last run that has ended; zeros before that.
 * Switches: never. Callers: any. */
WEFT_API void weft_tascell_last_counts(weft_tascell_counts *out);

/* Calls each(state, key, value) for each fact about Tascell in this process, as weft_info_walk does
 * for Weft.
 * The caller runs each. The facts are the settings WEFT_TASCELL_... in effect, the values that each
 * may have, and the sizes of what a worker has. key and value are valid during the call of each. If
 * the environment has a value that cannot be used, a line on stderr names the value, and the walk
 * shows it as it stands. For a null each, nothing is done.
 * Switches: never. Callers: any. */
WEFT_API void weft_tascell_info_walk(void (*each)(void *state, const char *key, const char *value), void *state);

#ifdef __cplusplus
}
#endif
#endif
