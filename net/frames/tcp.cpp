// See frames.hpp: frames over one TCP connection to a server, which passes them on
// (lang/server). Any OS thread may send: it writes at once what the kernel takes; the owner writes
// the rest in its waits.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <new>

#include "net/frames/choose.hpp"
#include "net/frames/handshake.hpp"

namespace weft::net {
namespace {

constexpr std::uint64_t close_patience_ns = 5000000000, close_look_ns = 100000000, ns_in_ms = 1000000;

struct peer {
  std::uint32_t number;
  bool is_gone;
  std::uint64_t sent, received;  // frames
};

struct tcp_group : frame_group {
  channel server;
  char address[280] = "";
  int waker = -1;                                    // an eventfd: a wake, or a sender that left something to write
  std::uint32_t is_woken = 0;                        // atomic
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // of what follows
  peer* peers = nullptr;                             // in order of number: later nodes have larger ones
  std::size_t count = 0, capacity = 0;
  bool is_over = false;
  // the owner's
  std::size_t there = 0, told = 0;  // peers at the start, and how many of them have been told
  bool has_told_end = false;
  char why[800] = "";
};

class guard {
 public:
  explicit guard(tcp_group* of) : of_(of) { pthread_mutex_lock(&of_->lock); }
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;
  ~guard() { pthread_mutex_unlock(&of_->lock); }

 private:
  tcp_group* of_;
};

tcp_group* as_tcp(frame_group* of) { return static_cast<tcp_group*>(of); }

std::uint64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// ---- peers --------------------------------------------------------------------------------------

peer* find(tcp_group* in, std::uint32_t number) {
  std::size_t low = 0, high = in->count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (in->peers[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < in->count && in->peers[low].number == number ? in->peers + low : nullptr;
}

bool add(tcp_group* to, std::uint32_t number) {
  if (to->count != 0 && to->peers[to->count - 1].number >= number) return false;
  if (to->count == to->capacity) {
    const std::size_t capacity = to->capacity == 0 ? 16 : 2 * to->capacity;
    void* const grown = realloc(to->peers, capacity * sizeof(peer));
    if (grown == nullptr) return false;
    to->peers = static_cast<peer*>(grown);
    to->capacity = capacity;
  }
  to->peers[to->count++] = {number, false, 0, 0};
  return true;
}

// ---- what comes from the server -----------------------------------------------------------------

bool end(tcp_group* self, const char* what, const char* cure) {
  const guard locked(self);
  snprintf(self->why, sizeof self->why, "node %u: the server %s %s; %s", self->self, self->address, what, cure);
  self->is_over = true;
  self->server.close();
  return false;
}

bool end_by_damage(tcp_group* self, const char* what) {
  char text[200];
  snprintf(text, sizeof text, "sent a frame that cannot be: %s", what);
  return end(self, text, "start all sides again, of one version of Weft");
}

// True: *out is to be told.
bool take_membership(tcp_group* self, const frame_head& head, const std::byte* bytes, incoming* out) {
  membership got;
  if (head.bytes != sizeof got) return end_by_damage(self, "a wrong size of what joins or leaves");
  memcpy(&got, bytes, sizeof got);
  out->from = got.node;
  out->what = got.is_death != 0 ? happening::died : happening::left;
  if (got.node == 0 || got.node == self->self)
    return end_by_damage(self, "a number of what joins or leaves that is no other node's");
  const guard locked(self);
  if (head.type == is_joined) {
    out->what = happening::joined;
    return add(self, got.node);
  }
  peer* const of = find(self, got.node);
  if (of == nullptr || of->is_gone) return false;
  return of->is_gone = true;
}

bool take_frame(tcp_group* self, const frame_head& head, std::byte* bytes, incoming* out) {
  const char* problem = nullptr;
  {
    const guard locked(self);
    peer* const from = find(self, head.from);
    if (head.to != self->self) problem = "it is for another node";
    if (problem == nullptr && (from == nullptr || from->is_gone)) problem = "no such node sent it";
    if (problem == nullptr && ++from->received != head.sequence) problem = "a wrong sequence number";
  }
  if (problem != nullptr) return end_by_damage(self, problem);
  add_count(&self->counts.received, 1);
  add_count(&self->counts.copied, sizeof head + padded(head.bytes));  // by the parser
  *out = {happening::frame, head.type, head.from, head.sequence, bytes, static_cast<std::size_t>(head.bytes), nullptr};
  return true;
}

bool take(tcp_group* self, const frame_head& head, std::byte* bytes, incoming* out) {
  if (head.type >= first_free_type) {
    if (take_frame(self, head, bytes, out)) return true;
    free(bytes);
    return false;
  }
  bool is_told = false;
  if (head.type == is_joined || head.type == is_left)
    is_told = take_membership(self, head, bytes, out);
  else if (head.type == is_refused)
    end(self, "ends this group", "look at its messages");
  else
    end_by_damage(self, "an unknown type");
  free(bytes);
  return is_told;
}

bool next(tcp_group* self, incoming* out) {
  *out = {};
  if (self->told < self->there) {
    out->what = happening::joined;
    out->from = self->peers[self->told++].number;
    return true;
  }
  frame_head head;
  std::byte* bytes = nullptr;
  while (!self->is_over) {
    const parsed found = self->server.read.next(&head, &bytes);
    if (found == parsed::nothing) return false;
    if (found == parsed::damage) end_by_damage(self, self->server.read.problem());
    if (found == parsed::frame && take(self, head, bytes, out)) return true;
  }
  if (self->has_told_end) return false;
  self->has_told_end = true;
  out->what = happening::ended;
  out->why = self->why;
  return true;
}

void receive(tcp_group* self) {
  if (self->server.receive() != flow::broken) return;
  const int error = errno;
  char text[200];
  snprintf(text, sizeof text, "went away: %s", strerror(error));
  if (error == 0)
    end(self, "closed the connection", "it ended or was killed: start it and all nodes again");
  else
    end(self, text, "it was killed, or the network failed: start it and all nodes again");
}

void flush(tcp_group* self) {
  const guard locked(self);
  if (!self->is_over) (void)self->server.flush();  // if it is broken, reading tells so, after all that came before
}

// ---- what the server says at the beginning ------------------------------------------------------

// The numbers of the others grow, and the first node is one of them or this one.
const char* problem_of(const welcome& at, const std::uint32_t* others) {
  if (at.self == 0) return "this node has no number";
  bool has_first = at.first == at.self;
  for (std::uint32_t i = 0; i < at.count; ++i) {
    if (others[i] <= (i == 0 ? 0 : others[i - 1]) || others[i] == at.self) return "the numbers of the nodes are wrong";
    has_first |= others[i] == at.first;
  }
  return has_first ? nullptr : "the node that runs main is not there";
}

// False: a line has told why.
bool take_welcome(tcp_group* self, const welcome& at, const std::uint32_t* others) {
  self->self = at.self;
  self->first = at.first;
  const char* problem = problem_of(at, others);
  for (std::uint32_t i = 0; problem == nullptr && i < at.count; ++i)
    if (!add(self, others[i])) problem = "there is no memory for its nodes";
  self->there = self->count;
  if (problem == nullptr) return true;
  fprintf(stderr, "weft: tascell: %s sent a welcome that cannot be: %s; check that a weft tascell-server listens there\n",
          self->address, problem);
  return false;
}

// ---- the table ----------------------------------------------------------------------------------

void free_group(tcp_group* self) {
  self->server.close();
  if (self->waker >= 0) ::close(self->waker);
  free(self->peers);
  self->~tcp_group();
  free(self);
}

frame_group* open(const frame_options& options) {
  void* const memory = malloc(sizeof(tcp_group));
  if (memory == nullptr) return nullptr;
  auto* const self = new (memory) tcp_group();
  self->by = &tcp;
  self->server.counts = &self->counts;
  snprintf(self->address, sizeof self->address, "%s", options.address == nullptr ? "" : options.address);
  self->waker = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  welcome at = {};
  std::uint32_t* others = nullptr;
  if (self->waker < 0) fprintf(stderr, "weft: tascell: no descriptor is left: %s; raise ulimit -n\n", strerror(errno));
  const bool is_good = self->waker >= 0 &&
                       connect_as("weft: tascell", is_node, self->address, {options.key_file, options.is_keyless},
                                  options.program, &self->server, &at, &others) &&
                       take_welcome(self, at, others);
  free(others);
  if (is_good) return self;
  free_group(self);
  return nullptr;
}

void send(frame_group* group, const outgoing& what) {
  tcp_group* const self = as_tcp(group);
  const guard locked(self);
  peer* const to = find(self, what.to);
  if (self->is_over || to == nullptr || to->is_gone) {
    if (what.release != nullptr) what.release(what.owner);
    return;
  }
  frame_head head = {frame_magic, frame_version, what.type, 0, what.to, self->self, 0};
  for (unsigned i = 0; i < what.count; ++i) head.bytes += what.parts[i].bytes;
  head.sequence = ++to->sent;
  const bool was_drained = self->server.is_drained();
  if (!self->server.push(head, what.parts, what.count, what.release, what.owner)) return;
  add_count(&self->counts.sent, 1);
  if (was_drained && self->server.flush() == flow::blocked) {  // the owner writes the rest
    const std::uint64_t one = 1;
    (void)!write(self->waker, &one, sizeof one);
  }
}

bool poll(frame_group* group, incoming* out) {
  tcp_group* const self = as_tcp(group);
  if (next(self, out)) return true;
  if (self->is_over) return false;
  flush(self);
  receive(self);
  return next(self, out);
}

int timeout_ms(std::uint64_t deadline_ns) {
  if (deadline_ns == UINT64_MAX) return -1;
  const std::uint64_t now = now_ns();
  if (now >= deadline_ns) return 0;
  const std::uint64_t ms = (deadline_ns - now + ns_in_ms - 1) / ns_in_ms;
  return ms > 1000000 ? 1000000 : static_cast<int>(ms);
}

bool wait(frame_group* group, incoming* out, std::uint64_t deadline_ns) {
  tcp_group* const self = as_tcp(group);
  for (;;) {
    if (next(self, out)) return true;
    flush(self);
    bool is_drained = true;
    {
      const guard locked(self);
      is_drained = self->server.is_drained();
    }
    pollfd at[2] = {{self->waker, POLLIN, 0},
                    {self->server.socket(), static_cast<short>(is_drained ? POLLIN : POLLIN | POLLOUT), 0}};
    const int ready = ::poll(at, self->is_over ? 1 : 2, timeout_ms(deadline_ns));
    add_count(&self->counts.calls, 1);
    if (ready == 0) add_count(&self->counts.empty, 1);
    if (ready == 0) return false;
    if (ready < 0) continue;
    if ((at[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive(self);
    std::uint64_t count = 0;
    if (at[0].revents != 0) (void)!read(self->waker, &count, sizeof count);
    if (__atomic_exchange_n(&self->is_woken, 0, __ATOMIC_RELAXED) != 0) return next(self, out);
  }
}

void wake(frame_group* group) {
  tcp_group* const self = as_tcp(group);
  __atomic_store_n(&self->is_woken, 1, __ATOMIC_RELAXED);  // before the write, by which the owner looks
  const std::uint64_t one = 1;
  (void)!write(self->waker, &one, sizeof one);
}

std::uint64_t backlog(const frame_group* group) {
  tcp_group* const self = as_tcp(const_cast<frame_group*>(group));
  const guard locked(self);
  return self->server.backlog();
}

// Writes what is queued, and bye, and then waits until the server has read it and closed; not for a
// server that has taken nothing for some seconds.
void close(frame_group* group) {
  tcp_group* const self = as_tcp(group);
  std::uint64_t until = now_ns() + close_patience_ns, left = 0;
  {
    const guard locked(self);
    if (!self->is_over) self->server.push(control_head(is_bye, 0), nullptr, 0, nullptr, nullptr);
  }
  incoming got;
  for (std::uint64_t now = now_ns(); !self->is_over && now < until; now = now_ns()) {
    if (const std::uint64_t waits = backlog(self); waits != left) {
      left = waits;
      until = now + close_patience_ns;
    }
    if (wait(self, &got, now + close_look_ns) && got.what == happening::frame) free(got.bytes);
  }
  free_group(self);
}

}  // namespace

const frames tcp = {"tcp", true, true, open, send, poll, wait, wake, backlog, close};

}  // namespace weft::net
