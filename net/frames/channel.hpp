// One connection: a socket that does not block, what is to be written, and what was read. The
// client's users hold a lock around push and flush; nothing here locks. Linked as C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/linked_queue.hpp"
#include "net/frames.hpp"
#include "net/frames/parser.hpp"

namespace weft::net {

enum class flow : std::uint8_t {
  all,      // everything was written, or something was read
  blocked,  // the kernel takes or has no more now
  broken,   // the connection is over; errno says why, 0: the other side closed it
};

struct queued_frame;

class channel {
 public:
  channel() = default;
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel() { close(); }

  void use(int socket) { socket_ = socket; }
  [[nodiscard]] int socket() const { return socket_; }
  // Drops what was not written and closes the socket.
  void close();

  // Queues a frame: the parts are copied, or kept until release. False: no memory; release was
  // called.
  bool push(const frame_head& head, const frame_part* parts, unsigned count, void (*release)(void*), void* owner);
  // Queues a frame whose bytes are malloc's and become the channel's.
  bool push_received(const frame_head& head, std::byte* bytes);
  flow flush();
  [[nodiscard]] bool is_drained() const { return queued_.is_empty(); }
  [[nodiscard]] std::uint64_t backlog() const { return backlog_; }

  // Reads once what there is, into the parser.
  flow receive();
  frame_parser read;
  frame_counts* counts = nullptr;  // where calls and copies are counted; null: nowhere

 private:
  void append(queued_frame* last);
  void drop_first();
  void wrote(std::size_t bytes);

  int socket_ = -1;
  base::linked_queue<queued_frame> queued_;
  std::uint64_t backlog_ = 0;
};

// ---- sockets ------------------------------------------------------------------------------------

inline constexpr unsigned default_port = 9865;

// HOST:PORT, with [HOST]:PORT for IPv6 addresses; host is filled in. False: it is no such text.
bool split_address(const char* text, char (&host)[256], char (&port)[8]);
// A connected socket that does not block; less than 0: a line on stderr, which begins with `whose`,
// has told the address, why, and what helps.
int connect_to(const char* whose, const char* address, std::uint64_t patience_ns);
// For every socket of a channel: no delay, a silent host is noticed within a minute.
void prepare_socket(int socket);

}  // namespace weft::net
