// What the transports over an MPI have in common: the module (net/mpi/module.h), which nodes are
// there, and how frames that arrive are put together. Rank r is node r + 1.
//
// Nodes end together: each tells the others that it leaves by a frame of the transport's own, and
// takes what still comes until all have told so.
#pragma once

#include <pthread.h>

#include "base/linked_queue.hpp"
#include "net/frames.hpp"
#include "net/mpi/module.h"

namespace weft::net {

struct arrival {
  arrival* next;
  incoming what;
};

struct mpi_peer {
  std::uint64_t sent, received;  // frames
  arrival* partial;              // a frame whose bytes are arriving; null: a head comes next
  std::size_t filled;            // of its bytes
  bool is_gone;
};

// A frame that goes out. A small one is copied, and travels as one piece, head and bytes in a row;
// of the others the parts are sent as they lie in memory.
struct departure {
  departure* next;
  int rank;
  unsigned count;  // of parts; 0: the frame is small
  unsigned part;   // what next_piece gives next: parts[part] from offset on
  std::size_t offset;
  bool is_head_given;
  bool is_given;       // all pieces were
  unsigned in_flight;  // pieces that are being sent
  void (*release)(void* owner);
  void* owner;
  frame_head head;  // last: the bytes of a small frame follow

  frame_part* parts() { return reinterpret_cast<frame_part*>(this + 1); }
};

struct mpi_group : frame_group {
  const weft_net_module* module;
  int rank, ranks;
  mpi_peer* peers;
  std::uint64_t idle_sleep_ns;
  unsigned idle_looks;   // without anything, in a row
  bool has_even_sleeps;  // of idle_sleep_ns, from the first look on
  char why[512];         // of ended

  pthread_mutex_t lock;  // of what follows
  pthread_cond_t changed;
  int left;  // other nodes that have told that they leave
  bool is_over;
  base::linked_queue<arrival> arrivals;
  bool is_woken;
  base::linked_queue<departure> departures;
  std::uint64_t backlog;
};

// Holds a group's lock.
class group_guard {
 public:
  explicit group_guard(mpi_group* of) : of_(of) { pthread_mutex_lock(&of_->lock); }
  ~group_guard() { pthread_mutex_unlock(&of_->lock); }
  group_guard(const group_guard&) = delete;
  group_guard& operator=(const group_guard&) = delete;

 private:
  mpi_group* of_;
};

inline constexpr std::uint16_t goodbye = 1;  // the type of the frame by which a node leaves
inline constexpr std::size_t small_frame_bytes = 16 << 10;
inline constexpr unsigned flush_calls = 3;                // of the MPI in the module's flush: MPI_Rget, MPI_Test, MPI_Win_flush
inline constexpr std::uint64_t shortest_sleep_ns = 1000;  // an idle sleep that is no longer: no pause between looks

inline int rank_of(std::uint32_t node) { return static_cast<int>(node) - 1; }
inline std::uint32_t node_of(int rank) { return static_cast<std::uint32_t>(rank) + 1; }

// ---- opening and closing: mpi_open.cpp ----

// Loads the module, meets the others, and tells of them. bytes: of a group of the transport's own,
// which begins with mpi_group and is zeroed. Null: a line was written.
mpi_group* open_mpi(const frames& by, const frame_options& options, weft_net_threads threads, std::size_t bytes);
// Meets the others, frees what open_mpi made and what has not been polled, and has the process
// leave the MPI when it exits.
void close_mpi(mpi_group* group);

// ---- sending: mpi_frames.cpp ----

// Counts the frame and queues it. False: it is dropped, and was released.
bool queue_departure(mpi_group* group, const outgoing& what);
// Queues the frame that tells every other node that this one leaves.
void queue_goodbyes(mpi_group* group);
// The frame that was queued first, which stays queued; null: none.
departure* front_departure(mpi_group* group);
void pop_departure(mpi_group* group);
// The next bytes of a frame that travel as one; false: all were given. A head never comes together
// with the bytes of a frame that is not small.
bool next_piece(departure* of, std::size_t most, frame_part* out);
// The sender has no more use for it.
void finish_departure(mpi_group* group, departure* of);

// ---- receiving: mpi_frames.cpp ----

// A head came from rank: where its bytes go, and how many come; false: the group is over.
bool begin_arrival(mpi_group* group, int rank, const frame_head& head, frame_part* room);
// So many bytes of the frame that began last are there.
void fill_arrival(mpi_group* group, int rank, std::size_t bytes);

// Heads and bytes in a row, of which some come at a time: what is arriving.
struct frame_stream {
  frame_head head;
  std::size_t head_filled;
  frame_part room;  // for the bytes of that frame, what is left of it
};
// Takes bytes that lie in a row; false: the group is over.
bool take_bytes(mpi_group* group, int rank, frame_stream* with, const std::byte* from, std::size_t bytes);

// ---- happening: mpi_wait.cpp ----

void tell(mpi_group* group, const incoming& what);
// The first happening, of those that were told.
bool take_arrival(mpi_group* group, incoming* out);
// Ends the group: a call of the MPI failed (code is not 0), or what arrived makes no sense.
void end_group(mpi_group* group, const char* what, int code);
// The module's result, of so many calls of the MPI, which are counted; false: the group is over.
bool check_call(mpi_group* group, const char* what, int code, unsigned calls = 1);
bool is_over(mpi_group* group);
// All others have told that they leave, and what was queued has gone out.
bool may_close(mpi_group* group);
// Sleeps until wake, the deadline, or something happens; for transports that look by another
// thread.
bool wait_for_arrival(mpi_group* group, incoming* out, std::uint64_t deadline_ns);
// Passes the time until that thread's next look.
void sleep_before_look(mpi_group* group);
// Sleeps until wake, the deadline, or the next look, as long as look finds nothing.
bool wait_and_look(mpi_group* group, incoming* out, std::uint64_t deadline_ns, bool (*look)(frame_group*, incoming*));
// Looks until may_close, and frees what still comes.
void look_until_closed(mpi_group* group, bool (*look)(frame_group*, incoming*));
void wake_mpi(frame_group* group);
std::uint64_t backlog_of_mpi(const frame_group* group);

}  // namespace weft::net
