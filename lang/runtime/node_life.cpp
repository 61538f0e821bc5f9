// A node's life: it joins, its door receives until main has ended, and it leaves.
#include "node_life.hpp"
#include "kinds.hpp"
#include "lazy.hpp"
#include "node_give.hpp"
#include "node_take.hpp"
#include "node_talk.hpp"
#include "node_tell.hpp"

#include <signal.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "net/frames/choose.hpp"
#include "net/frames/kept_node.hpp"
#include "net/frames/standard_descriptors.hpp"

namespace weft::tascell_runtime {
namespace {

constexpr std::uint64_t looks_after = ms, longest_wait = 100 * ms;

// By SIGTERM a node leaves in order; main's node ends by it, as every program does.
volatile sig_atomic_t is_asked_to_leave = 0;
void ask_to_leave(int) { is_asked_to_leave = 1; }

// ---- members ------------------------------------------------------------------------------------

void add_member(node* self, std::uint32_t number) {
  member* added = nullptr;
  {
    const node_lock locked(self);
    if (self->member_count == self->member_capacity) {
      self->member_capacity = self->member_capacity == 0 ? 8 : 2 * self->member_capacity;
      void* const grown = std::realloc(self->members, self->member_capacity * sizeof(member));
      if (grown == nullptr) die(nullptr, "no memory for a node that joins");
      self->members = static_cast<member*>(grown);
    }
    added = self->members + self->member_count++;
    *added = {};
    added->number = number;
    added->may_have_work = number == self->group->first;
    self->nodes.fetch_add(1, base::relaxed);
  }
  tell_newcomer(self, added);
}

void remove_member(node* self, std::uint32_t number) {
  lose_member(self, number);
  drop_taken(self, number);
  lose_lazies(number);
}

// ---- ends ---------------------------------------------------------------------------------------

void end_run(node* self, std::int32_t status) {
  self->status = status;
  self->all->has_ended.store(1, base::relaxed);
  wake_workers(self->all);
}

// No other node can be reached. What they held runs here, and what is theirs is dropped.
void cut_off(node* self) {
  self->is_cut_off.store(1, base::relaxed);
  lose_member(self, 0);
  drop_taken(self, 0);
  lose_lazies(0);
  wake_workers(self->all);
}

void take_end_of_group(node* self, const char* why) {
  const bool goes_on = self->is_first();
  std::fprintf(stderr, "weft: tascell: %s%s\n", why, goes_on ? ". Main goes on here alone" : "");
  cut_off(self);
  if (!goes_on) end_run(self, failed_status);
}

void take_death(node* self, std::uint32_t from) {
  remove_member(self, from);
  if (from != self->group->first || self->all->has_ended.load(base::relaxed) != 0) return;
  std::fprintf(stderr, "weft: tascell: node %u: node %u, which ran main, died; start the program again\n", self->group->self,
               from);
  cut_off(self);
  end_run(self, failed_status);
}

// Main has ended. Its status comes before, except to a node that joined at that moment.
void take_leaving_of_first(node* self) {
  if (self->all->has_ended.load(base::relaxed) != 0) return;
  cut_off(self);
  end_run(self, 0);
}

void fail_by(node* self, std::uint32_t from, const char* what, unsigned type) {
  std::fprintf(stderr, "weft: tascell: node %u: node %u sent %s (message %u); all nodes must run the same build\n",
               self->group->self, from, what, type);
  std::fflush(nullptr);
  std::_Exit(failed_status);  // the others run again what this node held
}

// ---- messages -----------------------------------------------------------------------------------

template <class Body>
bool read_body(const net::incoming& got, Body* out) {
  if (got.size < sizeof *out) return false;
  std::memcpy(out, got.bytes, sizeof *out);
  return true;
}

// Of messages that carry a task or results: the bytes become the callee's.
template <class Body>
bool take_large(node* self, const net::incoming& got,
                bool (*take)(node*, std::uint32_t, const Body&, std::byte*, std::size_t, std::size_t)) {
  Body head;
  if (!read_body(got, &head)) {
    std::free(got.bytes);
    return false;
  }
  return take(self, got.from, head, got.bytes, sizeof head, got.size - sizeof head);
}

// What `take` refuses, by false, changes nothing.
template <class Body, class Take>
bool take_small(const net::incoming& got, const Take& take) {
  Body head;
  const bool is_good = got.size == sizeof head && read_body(got, &head);
  std::free(got.bytes);
  if constexpr (std::is_same_v<decltype(take(head)), bool>) return is_good && take(head);
  if (is_good) (void)take(head);
  return is_good;
}

// Main has ended: its node alone says so, and once. Nothing that still runs here is wanted.
bool take_end(node* self, std::uint32_t from, const end_body& what) {
  if (from != self->group->first) return false;
  if (self->all->has_ended.load(base::relaxed) != 0) return true;
  cut_off(self);
  end_run(self, what.status);
  return true;
}

// The first node has sent all earlier broadcasts, which it says once.
bool take_ready(node* self, std::uint32_t from) {
  if (from != self->group->first) return false;
  {
    const node_lock locked(self);
    if (self->is_ready) return false;
    self->is_ready = true;
  }
  wake_an_idle(self->all, 0);
  return true;
}

bool take_empty(const net::incoming& got) {
  std::free(got.bytes);
  return got.size == 0;
}

bool take_message(node* self, const net::incoming& got) {
  switch (got.type) {
    case ask_message: return take_small<ask_body>(got, [&](const ask_body& what) { serve_ask(self, got.from, what); });
    case none_message: return take_small<none_body>(got, [&](const none_body& what) { take_none(self, got.from, what); });
    case give_message: return take_large(self, got, take_given);
    case result_message: return take_large(self, got, take_result);
    case cancel_message:
      return take_small<number_body>(got, [&](const number_body& what) { take_cancel(self, got.from, what.number); });
    case back_message:
      return take_small<number_body>(got, [&](const number_body& what) { take_back(self, got.from, what.number); });
    case hint_message:
      if (!take_empty(got)) return false;
      take_hint(self, got.from);
      return true;
    case end_message: return take_small<end_body>(got, [&](const end_body& what) { return take_end(self, got.from, what); });
    case publish_message: return take_large(self, got, take_publish);
    case broadcast_message: return take_large(self, got, take_broadcast);
    case heard_message:
      return take_small<number_body>(got, [&](const number_body& what) { return take_heard(self, got.from, what.number); });
    case published_message:
      return take_small<number_body>(got, [&](const number_body& what) { return take_published(self, got.from, what.number); });
    case fetch_message: return take_small<fetch_body>(got, [&](const fetch_body& what) { serve_fetch(self, got.from, what); });
    case data_message: return take_large(self, got, take_data);
    case ready_message: return take_empty(got) && take_ready(self, got.from);
    default: std::free(got.bytes); return false;
  }
}

void take(node* self, const net::incoming& got) {
  switch (got.what) {
    case net::happening::frame:
      if (!take_message(self, got)) fail_by(self, got.from, "what cannot be", got.type);
      break;
    case net::happening::joined: add_member(self, got.from); break;
    case net::happening::left:
      remove_member(self, got.from);
      if (got.from == self->group->first) take_leaving_of_first(self);
      break;
    case net::happening::died: take_death(self, got.from); break;
    case net::happening::ended: take_end_of_group(self, got.why); break;
  }
}

// ---- leaving in order ---------------------------------------------------------------------------

// What has begun here goes on, and others may still take parts of it; the node goes when it holds
// nothing of others, and nothing that it gave is out.
void look_after_leaving(node* self) {
  if (is_asked_to_leave == 0 || self->is_first()) return;
  self->is_leaving.store(1, base::relaxed);
  look_after_inbox(self, true);
  bool is_empty = false;
  {
    const node_lock locked(self);
    is_empty = self->running.is_empty() && self->inbox.is_empty() && self->given.is_empty();
  }
  if (!is_empty || self->all->has_ended.load(base::relaxed) != 0) return;
  end_run(self, 0);
}

void* door(void* argument) {
  auto* const self = static_cast<node*>(argument);
  while (self->must_stop.load(base::relaxed) == 0) {
    send_waiting(self);
    send_fetches(self);
    publish_own(self);
    settle_broadcasts(self);
    const bool has_requests = look_after_requests(self);
    const bool has_inbox = look_after_inbox(self, false);
    look_after_leaving(self);
    const bool is_soon = has_requests || has_inbox;
    net::incoming got;
    if (self->by->wait(self->group, &got, weft_now_ns() + (is_soon ? looks_after : longest_wait))) take(self, got);
  }
  send_waiting(self);
  return nullptr;
}

}  // namespace

void pass_state(node* self, node_state which) {
  const death& dies = self->all->how.dies;
  if (dies.n == 0 || dies.state != which || self->is_first()) return;
  if (self->passed.fetch_add(1, base::relaxed) + 1 == dies.n) (void)raise(SIGKILL);
}

bool start_door(node* self, run* all) {
  self->all = all;
  self->is_ready = self->is_first();
  begin_lazies(self);
  if (!self->is_first()) {
    struct sigaction how = {};
    how.sa_handler = ask_to_leave;
    how.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);  // the second one ends the node at once
    (void)sigaction(SIGTERM, &how, nullptr);
  }
  return pthread_create(&self->door, nullptr, door, self) == 0;
}

void stop_door(node* self) {
  self->must_stop.store(1, base::relaxed);
  self->by->wake(self->group);
  (void)pthread_join(self->door, nullptr);
}

void tell_transport(const node* self) {
  const net::frame_counts& of = self->group->counts;
  const std::uint64_t sent = net::read_count(&of.sent), received = net::read_count(&of.received);
  const std::uint64_t messages = sent + received, empty = net::read_count(&of.empty);
  const std::uint64_t of_messages = net::read_count(&of.calls) - empty;
  const double each = messages == 0 ? 0 : static_cast<double>(of_messages) / static_cast<double>(messages);
  std::fprintf(stderr,
               "weft: tascell: %s: %" PRIu64 " messages sent, %" PRIu64 " received, %" PRIu64
               " calls of the %s for them (%.1f each), %" PRIu64 " that found nothing, %" PRIu64 " bytes copied\n",
               self->by->name, sent, received, of_messages, net::network_of(self->by), each, empty, net::read_count(&of.copied));
}

void close_node(node* self, int status) {
  if (self->is_first()) {
    net::incoming late;  // the door may not have come to nodes that joined
    while (self->by->poll(self->group, &late)) {
      if (late.what == net::happening::joined) add_member(self, late.from);
      std::free(late.bytes);
    }
    const end_body body = {status, 0};
    for (std::size_t i = 0; i < self->member_count; ++i) {
      const net::frame_part part = {&body, sizeof body};
      net::outgoing out;
      out.to = self->members[i].number;
      out.type = end_message;
      out.parts = &part;
      out.count = 1;
      self->by->send(self->group, out);
    }
  }
  self->by->close(self->group);
  drop_waiting(self);
  free_broadcasts(self);
  std::free(self->members);
  self->~node();
  std::free(self);
}

namespace {

// Null with *is_good: none is wanted. Null without: a line has told which words do not fit.
const net::frames* choose_transport(const node_options& options, bool* is_good) {
  const net::frames* by = net::launched_frames();
  if (options.server != nullptr) by = &net::tcp;
  if (options.transport != nullptr) by = net::find_frames(options.transport);
  const char* problem = nullptr;
  if (options.transport != nullptr && by == nullptr)
    std::fprintf(stderr, "weft: tascell: --transport %s: want one of %s\n", options.transport, net::known_frames);
  else if (by == &net::tcp && options.server == nullptr)
    problem = "--transport tcp wants --server HOST:PORT";
  else if (by != &net::tcp && options.server != nullptr)
    problem = "--server is for --transport tcp: leave one of them out";
  else if (by != &net::tcp && options.key_file != nullptr)
    problem = "--key-file is for a server: name it with --server HOST:PORT";
  else if (by != &net::tcp && options.is_keyless)
    problem = "--no-key is for a server: name it with --server HOST:PORT";
  else if (options.key_file != nullptr && options.is_keyless)
    problem = "--key-file and --no-key exclude each other: leave one of them out";
  else if (by == nullptr && options.nodes > 1)
    problem = "--nodes wants --server HOST:PORT, or weft launch with a launcher of nodes";
  if (problem != nullptr) std::fprintf(stderr, "weft: tascell: %s\n", problem);
  *is_good = problem == nullptr && (options.transport == nullptr || by != nullptr);
  return *is_good ? by : nullptr;
}

// False: main would wait for ever, which a line has told.
bool can_begin(const net::frame_group& group, const node_options& options) {
  if (group.self != group.first || group.nodes == 0 || options.nodes <= group.nodes) return true;
  std::fprintf(stderr, "weft: tascell: --nodes %u: the launcher has started %u, and none comes later\n", options.nodes,
               group.nodes);
  return false;
}

}  // namespace

void keep_launched_node(const node_options& options) {
  if (options.server != nullptr || net::launched_frames() != nullptr) net::open_standard_descriptors();
  if (options.server != nullptr || net::launched_frames() == nullptr) return;
  net::tell_binding(options.workers);
  net::keep_node();
}

node* open_node(const node_options& options, bool* is_good) {
  const net::frames* const by = choose_transport(options, is_good);
  if (by == nullptr) return nullptr;
  void* const memory = std::malloc(sizeof(node));
  net::frame_options where;
  where.address = options.server;
  where.key_file = options.key_file;
  where.is_keyless = options.is_keyless;
  where.program = program_hash();
  where.idle_sleep_ns = options.idle_sleep_ns;
  net::frame_group* const group = memory == nullptr ? nullptr : by->open(where);
  *is_good = group != nullptr && can_begin(*group, options);
  if (!*is_good) {
    if (group != nullptr) by->close(group);
    std::free(memory);
    return nullptr;
  }
  auto* const self = new (memory) node();
  self->by = by;
  self->group = group;
  self->nodes_wanted = options.nodes;
  return self;
}

}  // namespace weft::tascell_runtime
