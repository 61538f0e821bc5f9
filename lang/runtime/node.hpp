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
#include "node_messages.hpp"
#include "node_words.hpp"
#include "worker.hpp"

namespace weft::tascell_runtime {

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
  weft::base::linked_queue<task> given;    // to other nodes
  weft::base::linked_queue<task> running;  // taken from others, and begun
  weft::base::linked_queue<task> inbox;    // taken from others, or come back: for a worker
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

// ---- for tests ----------------------------------------------------------------------------------

// What a node may be doing when it dies: WEFT_TASCELL_DIE, in the order of its words.
enum node_state : std::uint32_t { idle_state, asking_state, running_state, result_state, sent_state };
// The process kills itself if that is what the setting says.
void pass_state(node* self, node_state which);

}  // namespace weft::tascell_runtime
