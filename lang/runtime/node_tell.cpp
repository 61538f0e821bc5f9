// Broadcasts. The first node puts all of them in an order: another node publishes to it, and it
// sends them on, also to nodes that come later, before these may ask for work. A broadcast is done
// when every node that is there has unpacked it.
#include <cstdlib>
#include <cstring>

#include "kinds.hpp"
#include "node_talk.hpp"
#include "node_tell.hpp"
#include "task_bytes.hpp"

namespace weft::tascell_runtime {
namespace {

bool unpack_here(std::uint32_t kind, const std::byte* data, std::size_t size) {
  const weft_tascell_kind* const of = kind_at(kind);
  if (of == nullptr || of->unpack_in == nullptr) return false;
  task* const made = weft_tascell_task_make(nullptr, of);
  auto* const copy = static_cast<std::byte*>(std::malloc(size + 1));
  bool is_good = made != nullptr && copy != nullptr;
  if (is_good && size != 0) std::memcpy(copy, data, size);
  if (is_good)
    is_good = adopt_bytes(made, copy, 0, size) && fill_taken(made);
  else
    std::free(copy);
  weft_tascell_task_free(made);
  return is_good;
}

void send_one(node* self, std::uint32_t to, std::size_t which) {
  const broadcast_made& what = self->broadcasts[which];
  const broadcast_body head = {which + 1, what.kind, what.publisher};
  say(self, to, broadcast_message, &head, sizeof head, what.bytes, what.size);
}

// Keeps a broadcast, whose bytes become the node's, and sends it to all that have all earlier ones;
// also to its publisher, which counts it and does not unpack it.
void distribute(node* self, const broadcast_made& what) {
  if (self->broadcast_count == self->broadcast_capacity) {
    self->broadcast_capacity = self->broadcast_capacity == 0 ? 8 : 2 * self->broadcast_capacity;
    void* const grown = std::realloc(self->broadcasts, self->broadcast_capacity * sizeof(broadcast_made));
    if (grown == nullptr) die(nullptr, "no memory for a broadcast");
    self->broadcasts = static_cast<broadcast_made*>(grown);
  }
  const std::size_t which = self->broadcast_count++;
  self->broadcasts[which] = what;
  for (std::size_t i = 0; i < self->member_count; ++i)
    if (self->members[i].is_current) send_one(self, self->members[i].number, which);
}

std::byte* copy_of(const void* data, std::size_t size) {
  auto* const copy = static_cast<std::byte*>(std::malloc(size + 1));
  if (copy == nullptr) die(nullptr, "no memory for a broadcast");
  if (size != 0) std::memcpy(copy, data, size);
  return copy;
}

void finish_ticket(run* all, std::uint64_t ticket) {
  for (unsigned i = 0; i < all->count; ++i) {
    worker* const each = all->workers + i;
    if (each->ticket.load(base::relaxed) != ticket) continue;
    each->ticket.store(0, base::relaxed);
    wake(each);
  }
}

}  // namespace

bool broadcast_far(worker* self, task* what) {
  node* const all = self->all->far;
  const std::uint32_t kind = number_of(what->kind);
  if (kind == no_kind) return false;
  if (what->shipped == nullptr) pack_given(what);
  if (what->shipped == nullptr) return false;
  const void* data = nullptr;
  std::size_t size = 0;
  void* packed = nullptr;
  publish_body head = {0, kind, 0};
  {
    const node_lock locked(all);
    head.ticket = ++all->last_ticket;
  }
  self->ticket.store(head.ticket, base::relaxed);
  if (all->is_first()) {
    task* const kept = weft_tascell_task_make(nullptr, what->kind);  // the caller's goes
    if (kept == nullptr) return false;
    kept->shipped = what->shipped;
    what->shipped = nullptr;
    kept->tag = static_cast<std::int64_t>(head.ticket);
    const node_lock locked(all);
    all->to_publish.push_back(kept);
  } else {
    packed = detach_bytes(what, &data, &size);
    say(all, all->group->first, publish_message, &head, sizeof head, data, size, free_detached, packed);
  }
  all->by->wake(all->group);
  wait_for_ticket(self);
  return true;
}

void publish_own(node* self) {
  for (;;) {
    task* kept = nullptr;
    {
      const node_lock locked(self);
      kept = self->to_publish.pop_front();
    }
    if (kept == nullptr) return;
    const void* data = nullptr;
    std::size_t size = 0;
    void* const packed = detach_bytes(kept, &data, &size);
    distribute(self,
               {copy_of(data, size), size, number_of(kept->kind), self->group->self, static_cast<std::uint64_t>(kept->tag)});
    free_detached(packed);
    weft_tascell_task_free(kept);
  }
}

bool take_publish(node* self, std::uint32_t from, const publish_body& head, std::byte* bytes, std::size_t offset,
                  std::size_t size) {
  std::byte* const copy = copy_of(bytes + offset, size);
  std::free(bytes);
  if (!self->is_first() || !unpack_here(head.kind, copy, size)) {
    std::free(copy);
    return false;
  }
  distribute(self, {copy, size, head.kind, from, head.ticket});
  return true;
}

bool take_broadcast(node* self, std::uint32_t from, const broadcast_body& head, std::byte* bytes, std::size_t offset,
                    std::size_t size) {
  const bool is_next = from == self->group->first && head.index == self->heard + 1;
  const bool is_good = is_next && (head.publisher == self->group->self || unpack_here(head.kind, bytes + offset, size));
  std::free(bytes);
  if (!is_good) return false;
  const number_body body = {++self->heard};
  say(self, from, heard_message, &body, sizeof body);
  return true;
}

// A node unpacks them one by one.
bool take_heard(node* self, std::uint32_t from, std::uint64_t count) {
  member* const of = find_member(self, from);
  const bool is_good = self->is_first() && of != nullptr && count == of->heard + 1 && count <= self->broadcast_count;
  if (is_good) of->heard = count;
  return is_good;
}

bool take_published(node* self, std::uint32_t from, std::uint64_t ticket) {
  if (from != self->group->first || ticket == 0) return false;
  {
    const node_lock locked(self);
    if (ticket > self->last_ticket) return false;
  }
  finish_ticket(self->all, ticket);
  return true;
}

void settle_broadcasts(node* self) {
  for (; self->settled < self->broadcast_count; ++self->settled) {
    for (std::size_t i = 0; i < self->member_count; ++i)
      if (self->members[i].is_current && self->members[i].heard <= self->settled) return;
    const broadcast_made& done = self->broadcasts[self->settled];
    const number_body body = {done.ticket};
    if (done.publisher == self->group->self)
      finish_ticket(self->all, done.ticket);
    else
      say(self, done.publisher, published_message, &body, sizeof body);
  }
}

void tell_newcomer(node* self, member* to) {
  if (!self->is_first()) return;
  for (std::size_t i = 0; i < self->broadcast_count; ++i) send_one(self, to->number, i);
  to->is_current = true;
  say(self, to->number, ready_message, nullptr, 0);
}

void free_broadcasts(node* self) {
  for (std::size_t i = 0; i < self->broadcast_count; ++i) std::free(self->broadcasts[i].bytes);
  std::free(self->broadcasts);
}

}  // namespace weft::tascell_runtime
