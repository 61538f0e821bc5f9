// The ready units of one worker: protocol D, docs/protocols/D.md. Everything here happens inside
// the biased lock.
//
// Two lists. New and woken units go to the front of `recent` and come from there again (last in,
// first out: their data are hot). Units that yielded go to the back of `yielded` and come from its
// front. recent goes first; now and then the owner takes the unit that has waited longest instead,
// from the one list and the other in turn, so that nothing in either waits for ever. Thieves take
// from the old end of recent, then from yielded.
//
// Node: list_link, a public member `atomic<uint16_t> in` that this class alone writes, and
// may_be_stolen(), which does not change while the node is inside.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/atomic.hpp"
#include "base/list.hpp"

namespace weft::queue {

template <class Node>
class ready_queue {
 public:
  // number: not 0, and unique among the queues of a runtime.
  void start(std::uint16_t number) { number_ = number; }

  void push_recent(Node* node) {
    recent_.push_front(node);
    entered(node);
  }
  // As push_recent, for one that may be stolen.
  void push_stealable(Node* node) {
    node->in.store(number_, base::relaxed);
    push_new(node);
  }
  // The same for one that has been told by number() where it is.
  void push_new(Node* node) {
    recent_.push_front(node);
    count_stealable(1);
  }
  // As push_new for each node of a chain, from the oldest, which is its last one, to the newest.
  void push_new_chain(Node* newest, Node* oldest, int count) {
    recent_.push_front_chain(newest, oldest);
    count_stealable(count);
  }
  std::uint16_t number() const { return number_; }
  void push_yielded(Node* node) {
    yielded_.push_back(node);
    entered(node);
  }

  // The next unit to run, or null.
  Node* pop() {
    Node* node = recent_.front();
    if (node == nullptr) node = yielded_.front();
    return taken_if_any(node);
  }

  // What pop() returns next, unless all of recent have gone; null: they have.
  const Node* next_recent() const { return recent_.front(); }

  // The one that has waited longest, from the two lists in turn.
  Node* pop_longest_waiting() {
    is_turn_of_yielded_ = !is_turn_of_yielded_;
    Node* node = is_turn_of_yielded_ ? yielded_.front() : recent_.back();
    if (node == nullptr) node = is_turn_of_yielded_ ? recent_.back() : yielded_.front();
    return taken_if_any(node);
  }

  // The next node, if it is one that yielded; null: there is none, or recent ones go first.
  Node* next_yielded() const { return recent_.is_empty() ? yielded_.front() : nullptr; }

  // As taken(next) and push_yielded(self), for two nodes that may both be stolen.
  [[gnu::always_inline]] void exchange_yielded(Node* next, Node* self) {
    yielded_.drop(next);
    yielded_.push_back(self);
    next->in.store(0, base::relaxed);
    self->in.store(number_, base::relaxed);
  }

  // The unit that a thief should have: the one that has waited longest of those that may be stolen.
  // It looks past any number that may not, for its owner may never come to run what lies behind
  // them; when none may be stolen it does not look at all.
  Node* pop_oldest() {
    if (stealable() == 0) return nullptr;
    for (Node* node = recent_.back(); node != nullptr; node = recent_.before(node)) {
      if (node->may_be_stolen()) return taken(node);
    }
    for (Node* node = yielded_.front(); node != nullptr; node = yielded_.after(node)) {
      if (node->may_be_stolen()) return taken(node);
    }
    return nullptr;
  }

  // The first that `is_wanted`, in the order of pop().
  template <class Predicate>
  Node* pop_first(Predicate is_wanted) {
    for (base::list<Node>* list : {&recent_, &yielded_}) {
      for (Node* node = list->front(); node != nullptr; node = list->after(node)) {
        if (is_wanted(node)) return taken(node);
      }
    }
    return nullptr;
  }

  Node* taken(Node* node) {
    recent_.drop(node);  // a node leaves whichever list it is in
    node->in.store(0, base::relaxed);
    if (node->may_be_stolen()) [[likely]]
      count_stealable(-1);
    return node;
  }

  bool contains(const Node* node) const { return node->in.load(base::relaxed) == number_; }

  // Of those that may be stolen: a hint for any OS thread, exact inside the lock.
  std::uint32_t stealable() const { return stealable_.load(base::relaxed); }
  bool is_empty() const { return recent_.is_empty() && yielded_.is_empty(); }
  // Whether `node`, which is inside, is the one that pop_longest_waiting returns whatever the turn.
  bool has_waited_longest(const Node* node) const {
    if (recent_.is_empty()) return yielded_.front() == node;
    return yielded_.is_empty() && recent_.back() == node;
  }

 private:
  Node* taken_if_any(Node* node) { return node != nullptr ? taken(node) : nullptr; }

  void entered(Node* node) {
    node->in.store(number_, base::relaxed);
    if (node->may_be_stolen()) [[likely]]
      count_stealable(1);
  }

  void count_stealable(int change) {
    stealable_.store(stealable_.load(base::relaxed) + static_cast<std::uint32_t>(change), base::relaxed);
  }

  base::list<Node> recent_;
  base::list<Node> yielded_;
  base::atomic<std::uint32_t> stealable_{0};
  std::uint16_t number_ = 0;
  bool is_turn_of_yielded_ = false;
};

}  // namespace weft::queue
