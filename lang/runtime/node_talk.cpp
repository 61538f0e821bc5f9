// Sending: by the transport at once or, where only the door may, by the door.
#include <cstdlib>
#include <cstring>

#include "node_talk.hpp"

namespace weft::tascell_runtime {

// A frame that waits for the door; a copy of its head and, without release, of the rest behind it.
struct waiting_frame {
  waiting_frame* next;
  std::uint32_t to;
  message what;
  std::size_t head_bytes, rest_bytes;
  const void* rest;
  void (*release)(void*);
  void* owner;

  std::byte* head() { return reinterpret_cast<std::byte*>(this + 1); }
};

namespace {

void send_now(node* from, std::uint32_t to, message what, const void* head, std::size_t head_bytes, const void* rest,
              std::size_t rest_bytes, void (*release)(void*), void* owner) {
  // With release the head would have to stay, too: it is small, and copied behind what is released.
  const net::frame_part parts[] = {{head, head_bytes}, {rest, rest_bytes}};
  net::outgoing out;
  out.to = to;
  out.type = what;
  out.parts = parts;
  out.count = 2;
  out.release = release;
  out.owner = owner;
  from->by->send(from->group, out);
}

void free_waiting(void* waiting) {
  auto* const done = static_cast<waiting_frame*>(waiting);
  if (done->release != nullptr) done->release(done->owner);
  std::free(done);
}

bool is_door(const node* of) { return pthread_equal(pthread_self(), of->door) != 0; }

}  // namespace

void say(node* from, std::uint32_t to, message what, const void* head, std::size_t head_bytes, const void* rest,
         std::size_t rest_bytes, void (*release)(void*), void* owner) {
  const bool may_send = from->by->sends_from_any_thread || is_door(from);
  if (may_send && release == nullptr) {
    send_now(from, to, what, head, head_bytes, rest, rest_bytes, nullptr, nullptr);
    return;
  }
  const std::size_t copied = release == nullptr ? rest_bytes : 0;
  auto* const made = static_cast<waiting_frame*>(std::malloc(sizeof(waiting_frame) + head_bytes + copied));
  if (made == nullptr) die(nullptr, "no memory for a message to another node");
  *made = {nullptr, to, what, head_bytes, rest_bytes, rest, release, owner};
  if (head_bytes != 0) std::memcpy(made->head(), head, head_bytes);
  if (copied != 0) std::memcpy(made->head() + head_bytes, rest, rest_bytes);
  if (copied != 0) made->rest = made->head() + head_bytes;
  if (may_send) {
    send_now(from, to, what, made->head(), head_bytes, made->rest, rest_bytes, free_waiting, made);
    return;
  }
  {
    const node_lock locked(from);
    from->to_send.push_back(made);
  }
  from->by->wake(from->group);
}

static waiting_frame* take_waiting(node* from) {
  const node_lock locked(from);
  return from->to_send.take_all();
}

void send_waiting(node* from) {
  for (waiting_frame* each = take_waiting(from); each != nullptr;) {
    waiting_frame* const next = each->next;
    send_now(from, each->to, each->what, each->head(), each->head_bytes, each->rest, each->rest_bytes, free_waiting, each);
    each = next;
  }
}

void drop_waiting(node* from) {
  for (waiting_frame* each = take_waiting(from); each != nullptr;) {
    waiting_frame* const next = each->next;
    free_waiting(each);
    each = next;
  }
}

member* find_member(node* in, std::uint32_t number) {
  for (std::size_t i = 0; i < in->member_count; ++i)
    if (in->members[i].number == number) return in->members + i;
  return nullptr;
}

}  // namespace weft::tascell_runtime
