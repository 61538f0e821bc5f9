// Frames: whole messages between the nodes of a group, each a process, behind a table, so that a
// file a transport implements them (net/frames/). A transport knows neither tasks nor what the
// bytes mean. lang/runtime includes this file and no other of net/; it includes nothing of ours.
//
// Promises, which every transport keeps (tests/unit/net/frames_conformance.hpp):
// - A *node* has a number, which is not 0, not self's, and is never used again. A node that is
//   there when this one opens, or comes later, is told by `joined`, before anything from it.
// - Frames from one node to another arrive whole, once, in the order in which they were sent; each
//   carries the count of them, from 1. Between different pairs of nodes there is no order.
// - A node that closes is told by `left`, one that ends without by `died`, each once, after all its
//   frames that arrive, and nothing of it comes after. Frames to it are then dropped. A transport
//   that does not survive a death tells `ended` instead.
// - After `ended` nothing comes, and everything sent is dropped; only close is left to call.
//
// Threads. The thread that opened a group is its *owner*, and calls poll, wait and close. send is
// called by the owner and, where sends_from_any_thread, by any OS thread; else the caller queues
// for the owner (FUNNELED). wake and backlog are called by any OS thread. None is called after
// close. ULTs may call send: it does not switch, and takes a lock that its holder does not wait
// under.
//
// Blocking. send never waits for a peer, so that nodes that all send before they receive go on.
// What the network does not take at once is queued, without a limit, and goes out during later
// calls of the owner or by a thread of the transport's own. backlog tells how much waits: a caller
// that may put a gift off does so while that is much. wait sleeps; the transport says how it wakes.
//
// Buffers. A sender's parts stay the sender's, and must not change until release(owner), which the
// transport calls once, from any thread, in send or later, also if the frame is dropped. Without
// release the parts are copied in send. Received bytes are malloc's, so aligned to 16, and the
// receiver's, which frees them.
//
// On the wire a frame is frame_head, little-endian, and its bytes, padded with zeros to a multiple
// of 8, so that arrays that are aligned in the bytes are aligned in memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::net {

// ---- on the wire --------------------------------------------------------------------------------

inline constexpr std::uint32_t frame_magic = 0x4D465457;  // "WTFM" in memory
inline constexpr std::uint16_t frame_version = 1;

struct frame_head {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t type;
  std::uint64_t bytes;  // that follow, without the padding
  std::uint32_t to, from;
  std::uint64_t sequence;  // of the frames from `from` to `to`, from 1
};
static_assert(sizeof(frame_head) == 32);

// Types below are the transport's own.
inline constexpr std::uint16_t first_free_type = 64;
// Larger frames are refused by the receiver: a length beyond is taken for damage.
inline constexpr std::uint64_t most_frame_bytes = std::uint64_t{1} << 40;

constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

// ---- what is sent and what arrives --------------------------------------------------------------

struct frame_part {
  const void* at;
  std::size_t bytes;
};

struct outgoing {
  std::uint32_t to = 0;               // another node
  std::uint16_t type = 0;             // first_free_type or more
  const frame_part* parts = nullptr;  // one behind the other; the array is not needed after send
  unsigned count = 0;
  void (*release)(void* owner) = nullptr;
  void* owner = nullptr;
};

enum class happening : std::uint8_t {
  frame,   // type, sequence, bytes
  joined,  // the node `from`
  left,    // in order
  died,    // without a word
  ended,   // the group is over for this node; why says so
};

struct incoming {
  happening what = happening::frame;
  std::uint16_t type = 0;
  std::uint32_t from = 0;
  std::uint64_t sequence = 0;
  std::byte* bytes = nullptr;  // the receiver's, to be freed by free(); null: none
  std::size_t size = 0;
  const char* why = nullptr;  // of ended: one line for people, with its cure; valid until close
};

// ---- a transport --------------------------------------------------------------------------------

struct frames;

// What a transport has done for a group since it was opened.
struct frame_counts {
  std::uint64_t sent, received;  // frames
  std::uint64_t copied;          // bytes, from memory to memory by the transport's own code
  std::uint64_t calls;           // of the network: of an MPI's functions, or of the system
  std::uint64_t empty;           // of these, in looks that found nothing
};

inline void add_count(std::uint64_t* which, std::uint64_t by) { __atomic_fetch_add(which, by, __ATOMIC_RELAXED); }
inline std::uint64_t read_count(const std::uint64_t* which) { return __atomic_load_n(which, __ATOMIC_RELAXED); }

// What every transport's group begins with; written by open alone, but for the counts.
struct frame_group {
  const frames* by = nullptr;
  frame_counts counts{};    // counted by any thread
  std::uint32_t self = 0;   // this node's number
  std::uint32_t first = 0;  // that of the node which came first into the group: it runs main
  std::uint32_t nodes = 0;  // how many there are, if none comes later; 0: others may come
};

struct frame_options {
  const char* address = nullptr;    // where the transport has one: HOST:PORT of a server
  const char* key_file = nullptr;   // null: the one that a server of this user has made on this machine
  bool is_keyless = false;          // the server must have no key, and none is looked for
  std::uint64_t program = 0;        // equal in all nodes of a group
  std::uint64_t idle_sleep_ns = 0;  // longest pause between two looks of a transport that has to look; 0: its own choice
};

struct frames {
  const char* name;            // as users write it
  bool sends_from_any_thread;  // MULTIPLE
  bool survives_death;         // a node's end is died, and the others go on

  // Joins the group, or begins it. Null: a line on stderr has said why and what helps. May wait for
  // some seconds.
  frame_group* (*open)(const frame_options& options);
  void (*send)(frame_group* group, const outgoing& what);
  // Both: false if nothing has happened. poll does not sleep; wait sleeps until something has
  // happened, wake was called after the last wait, or CLOCK_MONOTONIC has passed deadline_ns;
  // UINT64_MAX: for ever.
  bool (*poll)(frame_group* group, incoming* out);
  bool (*wait)(frame_group* group, incoming* out, std::uint64_t deadline_ns);
  void (*wake)(frame_group* group);
  // Bytes that were sent and that the network has not taken yet.
  std::uint64_t (*backlog)(const frame_group* group);
  // Leaves in order and frees the group: what was sent before goes out first. Where nodes must end
  // together, it waits for the others' close. What has arrived and was not polled is freed.
  void (*close)(frame_group* group);
};

}  // namespace weft::net
