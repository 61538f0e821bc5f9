// An intrusive doubly linked list. A node derives from list_link; it knows whether it is linked,
// and can leave its list in O(1). Not synchronised: the owner of the list guards it.
#pragma once

#include <cstddef>

#include "base/debug_fields.hpp"

namespace weft::base {

struct list_link {
  list_link* next = nullptr;
  list_link* previous = nullptr;

  bool is_linked() const { return next != nullptr; }
};

template <class T>
class list {
 public:
  list() { clear(); }
  list(const list&) = delete;
  list& operator=(const list&) = delete;

  bool is_empty() const { return head_.next == &head_; }
  T* front() const { return is_empty() ? nullptr : node(head_.next); }
  T* back() const { return is_empty() ? nullptr : node(head_.previous); }
  T* before(const T* node) const { return node->previous == &head_ ? nullptr : static_cast<T*>(node->previous); }
  T* after(const T* node) const { return node->next == &head_ ? nullptr : static_cast<T*>(node->next); }

  void push_front(T* node) { insert(node, &head_, head_.next); }
  void push_back(T* node) { insert(node, head_.previous, &head_); }
  // Nodes that are linked to each other, from `first` to `last`, in that order.
  void push_front_chain(T* first, T* last) {
    first->previous = &head_;
    last->next = head_.next;
    head_.next->previous = last;
    head_.next = first;
  }

  T* pop_front() { return is_empty() ? nullptr : static_cast<T*>(take(head_.next)); }
  void remove(T* node) { take(node); }

  // As remove, for lists that never ask a node whether it is linked: its links stay as they were.
  void drop(T* node) {
    node->previous->next = node->next;
    node->next->previous = node->previous;
  }

 private:
  friend struct weft::debug_fields;

  static T* node(list_link* link) {
    if (link == nullptr) __builtin_unreachable();  // or the cast would test it
    return static_cast<T*>(link);
  }

  void clear() { head_.next = head_.previous = &head_; }

  static void insert(list_link* node, list_link* before, list_link* after) {
    node->previous = before;
    node->next = after;
    before->next = node;
    after->previous = node;
  }

  static list_link* take(list_link* node) {
    node->previous->next = node->next;
    node->next->previous = node->previous;
    node->next = node->previous = nullptr;
    return node;
  }

  list_link head_;
};

}  // namespace weft::base
