// A run on several nodes: what a node knows of the others, and what it gave them and took from
// them. Between nodes go the messages of docs/protocols/N.md, in the frames of a transport. A node
// has one OS thread beside the workers, the *door*, which receives; workers send.
//
// Everything in the node is under its lock, but for what is marked. The lock is held for a few
// steps of a list, never while a frame is sent or a task unpacked.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "base/linked_queue.hpp"
#include "net/frames.hpp"
#include "node_words.hpp"
#include "worker.hpp"

namespace weft::tascell_runtime {

namespace net = weft::net;

// ---- messages -----------------------------------------------------------------------------------

enum message : std::uint16_t {
  ask_message = net::first_free_type,  // for work: ask_body
  none_message,                        // none_body
  give_message,                        // give_body, and the task
  result_message,                      // result_body, and the results
  cancel_message,                      // number_body: the giver wants it no more
  back_message,                        // number_body: the thief could not run it
  hint_message,                        // empty: a node that had nothing has work now
  end_message,                         // end_body: main has ended
  publish_message,                     // publish_body, and the task: to the first node
  broadcast_message,                   // broadcast_body, and the task: from the first node
  heard_message,                       // number_body: how many broadcasts a node has unpacked
  published_message,                   // number_body: a publish is done
  ready_message,                       // empty: all earlier broadcasts were sent
  fetch_message,                       // fetch_body: for elements that a task reads lazily
  data_message,                        // data_body, and the elements; or none: no task that is out reads them
  end_of_messages
};

struct ask_body {
  std::uint64_t wanted;  // 0: any work; else a number of the asker's, whose descendants it wants
  std::uint32_t asker, unused;
};
struct none_body {
  std::uint64_t wanted;          // of the ask
  std::uint32_t is_busy, asker;  // is_busy: not 0: tasks run there
};
struct give_body {
  std::uint64_t number;  // of the giver's
  std::uint64_t wanted;  // of the ask
  std::uint32_t asker, kind;
};
struct result_body {
  std::uint64_t number;
  std::int64_t tag;
  std::uint32_t reason, unused;
};
struct number_body {
  std::uint64_t number;
};
struct end_body {
  std::int32_t status, unused;
};
struct publish_body {
  std::uint64_t ticket;
  std::uint32_t kind, unused;
};
struct broadcast_body {
  std::uint64_t index;  // from 1
  std::uint32_t kind, publisher;
};

struct fetch_body {
  std::uint64_t stamp, low, bytes;  // of the construct that lends; at the asked node
  std::uint64_t users;              // how many places of tasks had come to the asker
};
using data_body = fetch_body;  // of the fetch

// ---- the node -----------------------------------------------------------------------------------

// task.far_state
enum far_state : std::uint32_t {
  is_near = 0,
  was_given = 1,    // to far_node, which answers with a result
  is_orphan = 2,    // given, and came back: it runs here
  was_taken = 3,    // from far_node, and waits for a worker
  is_run_here = 4,  // taken, and a worker runs it
};

struct member {
  std::uint32_t number;
  bool may_have_work;       // it is worth asking
  bool wants_hint;          // it asked while there was nothing
  std::uint64_t ask_at_ns;  // not before
  std::uint64_t delay_ns;   // between two asks of it
  std::uint64_t asked_ns;   // when it was asked last and has not answered; 0: it has
  std::uint64_t heard;      // broadcasts
  bool is_current;          // all broadcasts were sent to it
};

// A request of another node, which stands among the workers' as one of a thief without a thread.
struct outside_request {
  std::uint32_t node, asker;
  std::uint64_t wanted;    // of its ask
  std::uint64_t begun_ns;  // when it came
  std::uint64_t posted_ns;
  worker* victim;   // with which it was posted
  place_word word;  // not under the lock
};

struct broadcast_made {
  std::byte* bytes;
  std::size_t size;
  std::uint32_t kind;
  std::uint32_t publisher;
  std::uint64_t ticket;  // of its publisher
};

struct waiting_frame;  // for the door to send, where only it may

struct node {
  const net::frames* by = nullptr;
  net::frame_group* group = nullptr;
  run* all = nullptr;
  pthread_t door{};
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

  member* members = nullptr;
  std::size_t member_count = 0, member_capacity = 0;
  task* given = nullptr;    // to other nodes
  task* running = nullptr;  // taken from others, and begun
  task* inbox = nullptr;    // taken from others, or come back: for a worker
  std::uint64_t last_number = 0;
  bool is_ready = false;  // all broadcasts from before have come
  outside_request requests[outside_most];

  weft::base::linked_queue<task> to_publish;  // of workers of the first node
  std::uint64_t last_ticket = 0;              // of publishes

  weft::base::linked_queue<waiting_frame> to_send;

  // the door's
  broadcast_made* broadcasts = nullptr;  // of the first node
  std::size_t broadcast_count = 0, broadcast_capacity = 0;
  std::size_t settled = 0;  // how many of them all nodes have unpacked
  std::uint64_t heard = 0;  // how many this node has unpacked, if it is not the first

  // not under the lock
  atomic<std::uint32_t> has_inbox{0};   // something may be there
  unsigned nodes_wanted = 0;            // before main begins
  atomic<std::uint32_t> nodes{1};       // how many have come
  atomic<std::uint32_t> is_cut_off{0};  // there are no other nodes any more
  atomic<std::uint32_t> must_stop{0};   // the door ends
  hint_word hints;
  atomic<std::uint64_t> passed{0};      // how often the node was in the state in which it is to die
  std::int32_t status = 0;              // of main; the door's, and read after it has ended
  atomic<std::uint32_t> is_leaving{0};  // it takes no more work

  [[nodiscard]] bool is_first() const { return group->self == group->first; }
};

class node_lock {
 public:
  explicit node_lock(node* of) : of_(of) { pthread_mutex_lock(&of_->lock); }
  node_lock(const node_lock&) = delete;
  node_lock& operator=(const node_lock&) = delete;
  ~node_lock() { pthread_mutex_unlock(&of_->lock); }

 private:
  node* of_;
};

// ---- kinds.cpp: the numbers of kinds, equal in all nodes ----------------------------------------

inline constexpr std::uint32_t no_kind = UINT32_MAX;
std::uint32_t number_of(const weft_tascell_kind* kind);
const weft_tascell_kind* kind_at(std::uint32_t number);
// Whether tasks of the kind, or null, may go to another node.
bool can_go(const weft_tascell_kind* kind);
// Of all that is registered.
std::uint64_t program_hash();

// ---- node_talk.cpp ------------------------------------------------------------------------------

// Sends a head and what is behind it; release as in frames.hpp.
void say(node* from, std::uint32_t to, message what, const void* head, std::size_t head_bytes, const void* rest = nullptr,
         std::size_t rest_bytes = 0, void (*release)(void*) = nullptr, void* owner = nullptr);
// The door: sends what others left to it.
void send_waiting(node* from);
void drop_waiting(node* from);
member* find_member(node* in, std::uint32_t number);

// ---- node_give.cpp: for requests of other nodes -------------------------------------------------

// The door: another node asks.
void serve_ask(node* self, std::uint32_t from, const ask_body& what);
// The door: looks after requests that victims do not answer. True: there are some.
bool look_after_requests(node* self);
// A victim, of a request from outside: whether descendants of one task are wanted.
bool wants_part_of_one(const node* self, unsigned thief);
// That task. Null: it does not run here any more. It may go as soon as this returns, unless the
// caller runs a descendant.
const task* find_wanted(node* self, unsigned thief);
// Answers it, with a task or with null.
void answer_outside(worker* self, unsigned thief, task* made);
void cancel_far(node* self, task* given);
// The door: a task that was given is done, or comes back. The bytes are the callee's. False: the
// message cannot be.
bool take_result(node* self, std::uint32_t from, const result_body& head, std::byte* bytes, std::size_t offset, std::size_t size);
void take_back(node* self, std::uint32_t from, std::uint64_t number);
// The door: a node has gone (0: all have). It is no member any more, and what it was given runs
// here.
void lose_member(node* self, std::uint32_t which);

// ---- node_take.cpp: work from other nodes -------------------------------------------------------

// An idle worker: takes a task that came; null: there is none, and other nodes were asked.
// *until_ns is lowered to when they can be asked again.
task* take_from_outside(worker* self, std::uint64_t* until_ns);
// A joiner, likewise: a descendant of the task, or the task itself if it came back.
task* take_for(worker* self, task* what, bool may_steal);
// The worker that a task which was taken ran on: tells the giver.
void give_result(worker* self, task* done, weft_tascell_reason reason, std::int64_t tag);
bool is_taken(const task* what);
// The door.
bool take_given(node* self, std::uint32_t from, const give_body& head, std::byte* bytes, std::size_t offset, std::size_t size);
void take_none(node* self, std::uint32_t from, const none_body& what);
void take_hint(node* self, std::uint32_t from);
void take_cancel(node* self, std::uint32_t from, std::uint64_t number);
// The giver of these has gone; 0: all.
void drop_taken(node* self, std::uint32_t from);
// Gives back what waits for a worker and finds none. True: something waits.
bool look_after_inbox(node* self, bool at_once);
// A task has begun here: tells nodes that found nothing.
void tell_nodes(run* all);

// ---- node_tell.cpp: broadcasts ------------------------------------------------------------------

// A worker: unpacks a task on all other nodes, and waits until they have. False: it cannot go.
bool broadcast_far(worker* self, task* what);
void wait_for_ticket(worker* self);
bool take_publish(node* self, std::uint32_t from, const publish_body& head, std::byte* bytes, std::size_t offset,
                  std::size_t size);
bool take_broadcast(node* self, std::uint32_t from, const broadcast_body& head, std::byte* bytes, std::size_t offset,
                    std::size_t size);
void take_heard(node* self, std::uint32_t from, std::uint64_t count);
void take_published(node* self, std::uint64_t ticket);
// The first node: sends on what its own workers broadcast.
void publish_own(node* self);
// The first node: a node has come, and gets what was broadcast before.
void tell_newcomer(node* self, member* to);
// The first node: tells publishers what all nodes have unpacked.
void settle_broadcasts(node* self);
void free_broadcasts(node* self);

// ---- lazy.cpp: elements that tasks read lazily --------------------------------------------------

// A run on several nodes begins. It ends, and its tasks are freed; the end of another run changes
// nothing.
void begin_lazies(node* self);
void end_lazies(const node* ended, bool tells_counts);
// The door: asks for what workers touched.
void send_fetches(node* self);
// The door: another node asks; elements have come; a node has gone (0: all have).
void serve_fetch(node* self, std::uint32_t from, const fetch_body& what);
bool take_data(node* self, std::uint32_t from, const data_body& head, std::byte* bytes, std::size_t offset, std::size_t size);
void lose_lazies(std::uint32_t home);

// ---- for tests ----------------------------------------------------------------------------------

// What a node may be doing when it dies: WEFT_TASCELL_DIE, in the order of its words.
enum node_state : std::uint32_t { idle_state, asking_state, running_state, result_state, sent_state };
// The process kills itself if that is what the setting says.
void pass_state(node* self, node_state which);

// ---- node.cpp -----------------------------------------------------------------------------------

struct node_options {
  const char* server = nullptr;
  const char* key_file = nullptr;
  const char* transport = nullptr;
  bool is_keyless = false;
  std::uint64_t idle_sleep_ns = 0;
  unsigned workers = 0;
  unsigned nodes = 0;  // main begins when so many have come
};

// Takes the words for the library from the beginning of argv. False: a line has told what is wrong.
bool read_node_options(int* argc, char** argv, node_options* out);
// Where an MPI's launcher starts the nodes: the node is from now on a fork of the process, which tells
// if a signal kills it. Before there is another OS thread.
void keep_launched_node(const node_options& options);
// Null with *is_good: one node alone. Null without: a line has told why.
node* open_node(const node_options& options, bool* is_good);
bool start_door(node* self, run* all);
// The worker that is to run main: waits until as many nodes have come as the user wants.
void wait_for_nodes(worker* self);
void stop_door(node* self);
// What the transport did for this node, on stderr.
void tell_transport(const node* self);
// Leaves in order, and frees the node. The first one tells the others that main has ended, and its
// status.
void close_node(node* self, int status);

// ---- pieces of task.cpp and wait.cpp that nodes use ---------------------------------------------

// Lets a task hold bytes that malloc gave. False: no memory, and the bytes are freed.
bool adopt_bytes(task* to, std::byte* bytes, std::size_t offset, std::size_t size);
// Gives the packed bytes away, for a frame.
void* detach_bytes(task* from, const void** data, std::size_t* size);
void free_detached(void* bytes);
// Fills a taken task from its bytes, which go. False: it cannot be.
bool fill_taken(task* what);
// Packs the results of a taken task into its bytes. False: no memory.
bool pack_out_taken(task* what);
// Wakes an idle worker, if one sleeps.
void wake_an_idle(run* all, unsigned first);
bool has_idle(const run* all);

}  // namespace weft::tascell_runtime
