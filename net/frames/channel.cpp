#include "net/frames/channel.hpp"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace weft::net {

// A frame that waits, in one block: behind it the parts, and behind these the bytes if they were
// copied.
struct queued_frame {
  queued_frame* next;
  void (*release)(void* owner);
  void* owner;
  std::uint64_t left, bytes;  // of head, body and padding: to be written, all
  unsigned count;             // of parts, the head and the padding among them
  frame_head head;

  iovec* parts() { return reinterpret_cast<iovec*>(this + 1); }
};

namespace {

constexpr unsigned most_at_once = 64;  // parts a call of the kernel
constexpr std::byte zeros[8] = {};

void free_bytes(void* bytes) { free(bytes); }

}  // namespace

// ---- writing ------------------------------------------------------------------------------------

void channel::append(queued_frame* last) {
  queued_.push_back(last);
  backlog_ += last->left;
}

bool channel::push(const frame_head& head, const frame_part* parts, unsigned count, void (*release)(void*), void* owner) {
  const std::size_t copied = release == nullptr ? static_cast<std::size_t>(head.bytes) : 0;
  auto* const made =
      static_cast<queued_frame*>(socket_ < 0 ? nullptr : malloc(sizeof(queued_frame) + (count + 2) * sizeof(iovec) + copied));
  if (made == nullptr) {
    if (release != nullptr) release(owner);
    return false;
  }
  *made = {nullptr, release, owner, sizeof head + padded(head.bytes), sizeof head + padded(head.bytes), 1, head};
  made->parts()[0] = {&made->head, sizeof head};
  auto* copy = reinterpret_cast<std::byte*>(made->parts() + count + 2);
  for (unsigned i = 0; i < count; ++i) {
    if (parts[i].bytes == 0) continue;
    void* at = const_cast<void*>(parts[i].at);
    if (release == nullptr) {
      memcpy(copy, at, parts[i].bytes);
      if (counts != nullptr) add_count(&counts->copied, parts[i].bytes);
      at = copy;
      copy += parts[i].bytes;
    }
    made->parts()[made->count++] = {at, parts[i].bytes};
  }
  if (const auto padding = static_cast<std::size_t>(padded(head.bytes) - head.bytes); padding != 0)
    made->parts()[made->count++] = {const_cast<std::byte*>(zeros), padding};
  append(made);
  return true;
}

bool channel::push_received(const frame_head& head, std::byte* bytes) {
  const frame_part part{bytes, static_cast<std::size_t>(head.bytes)};
  return push(head, &part, bytes == nullptr ? 0 : 1, free_bytes, bytes);
}

void channel::drop_first() {
  queued_frame* const gone = queued_.pop_front();
  backlog_ -= gone->left;
  if (gone->release != nullptr) gone->release(gone->owner);
  free(gone);
}

void channel::wrote(std::size_t bytes) {
  while (!queued_.is_empty() && bytes >= queued_.front()->left) {
    bytes -= static_cast<std::size_t>(queued_.front()->left);
    drop_first();
  }
  if (bytes == 0) return;
  queued_.front()->left -= bytes;
  backlog_ -= bytes;
}

flow channel::flush() {
  while (!queued_.is_empty()) {
    iovec parts[most_at_once];
    unsigned count = 0;
    for (queued_frame* each = queued_.front(); each != nullptr && count < most_at_once; each = queued_.after(each)) {
      std::uint64_t skipped = each->bytes - each->left;
      for (unsigned i = 0; i < each->count && count < most_at_once; ++i) {
        const iovec& part = each->parts()[i];
        if (skipped >= part.iov_len) {
          skipped -= part.iov_len;
          continue;
        }
        parts[count++] = {static_cast<std::byte*>(part.iov_base) + skipped, part.iov_len - static_cast<std::size_t>(skipped)};
        skipped = 0;
      }
    }
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    const ssize_t written = sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (counts != nullptr) add_count(&counts->calls, 1);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? flow::blocked : flow::broken;
    wrote(static_cast<std::size_t>(written));
  }
  return flow::all;
}

void channel::close() {
  while (!queued_.is_empty()) drop_first();
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

// ---- reading ------------------------------------------------------------------------------------

flow channel::receive() {
  std::size_t bytes = 0;
  std::byte* const room = read.room(&bytes);
  if (room == nullptr) {
    errno = ENOMEM;
    return flow::broken;
  }
  for (;;) {
    const ssize_t got = recv(socket_, room, bytes, 0);
    if (counts != nullptr) add_count(&counts->calls, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? flow::blocked : flow::broken;
    if (got == 0) errno = 0;
    if (got == 0) return flow::broken;
    read.took(static_cast<std::size_t>(got));
    return flow::all;
  }
}

// ---- sockets ------------------------------------------------------------------------------------

bool split_address(const char* text, char (&host)[256], char (&port)[8]) {
  const bool is_bracketed = text[0] == '[';
  const char* const begin = is_bracketed ? text + 1 : text;
  const char* const end = is_bracketed ? strchr(begin, ']') : strrchr(begin, ':');
  if (end == nullptr || end == begin || static_cast<std::size_t>(end - begin) >= sizeof host) return false;
  const char* const digits = is_bracketed ? end + 2 : end + 1;
  if (is_bracketed && end[1] != ':') return false;
  const std::size_t length = strspn(digits, "0123456789");
  if (length == 0 || length > 5 || digits[length] != '\0' || atoi(digits) > 65535) return false;
  memcpy(host, begin, static_cast<std::size_t>(end - begin));
  host[end - begin] = '\0';
  memcpy(port, digits, length + 1);
  return true;
}

void prepare_socket(int socket) {
  const int on = 1, idle_s = 20, interval_s = 10, probes = 3, patience_ms = 60000;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, sizeof patience_ms);
}

static const char* cure_for(int error) {
  switch (error) {
    case ECONNREFUSED: return "start weft tascell-server there first, or name its port";
    case ENETUNREACH:
    case EHOSTUNREACH: return "there is no route to that host: check the network and its firewall";
    case ETIMEDOUT:
    case EINPROGRESS: return "the host does not answer: check its name, and that a firewall lets the port through";
    default: return "check the address and the network";
  }
}

// Connects one address. Returns the socket, or less than 0 with errno.
static int try_address(const addrinfo* to, int patience_ms) {
  const int made = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to->ai_protocol);
  if (made < 0) return -1;
  int error = connect(made, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd wanted = {made, POLLOUT, 0};
    int ready = 0;
    do ready = ::poll(&wanted, 1, patience_ms);
    while (ready < 0 && errno == EINTR);
    socklen_t size = sizeof error;
    error = ready == 0 ? ETIMEDOUT : getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }
  if (error == 0) return made;
  ::close(made);
  errno = error;
  return -1;
}

int connect_to(const char* whose, const char* address, std::uint64_t patience_ns) {
  char host[256], port[8];
  if (!split_address(address, host, port)) {
    fprintf(stderr, "%s: %s is no address: want HOST:PORT, as in localhost:%u\n", whose, address, default_port);
    return -1;
  }
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int problem = getaddrinfo(host, port, &hints, &found); problem != 0) {
    fprintf(stderr, "%s: %s: %s; check the host's name\n", whose, address, gai_strerror(problem));
    return -1;
  }
  int made = -1, error = 0;
  for (const addrinfo* each = found; each != nullptr && made < 0; each = each->ai_next) {
    made = try_address(each, static_cast<int>(patience_ns / 1000000));
    if (made < 0) error = errno;
  }
  freeaddrinfo(found);
  if (made < 0) {
    fprintf(stderr, "%s: no connection to %s: %s; %s\n", whose, address, strerror(error), cure_for(error));
    return -1;
  }
  prepare_socket(made);
  return made;
}

}  // namespace weft::net
