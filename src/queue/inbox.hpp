// A many-to-one (or many-to-many) list: protocol B, docs/protocols/B.md. Any OS thread pushes one
// node; a taker takes all of them at once, so there is no ABA.
//
// Node has a member `list_link* next` that is free for use while the node is inside.
#pragma once

#include "base/atomic.hpp"

namespace weft::queue {

template <class Node>
class inbox {
 public:
  void push(Node* node) {
    Node* head = head_.load(base::relaxed);
    do {
      node->next = head;
      // [B1] release: publishes the node and its link; pairs with [B2]
    } while (!head_.compare_exchange_weak(head, node, base::release, base::relaxed));
  }

  // A hint: what was pushed meanwhile may be missed.
  bool is_empty() const { return head_.load(base::relaxed) == nullptr; }

  // All nodes, newest first, chained by next; null when there are none.
  Node* take_all() {
    if (is_empty()) return nullptr;
    // [B2] acquire: sees the nodes and their links; pairs with [B1]
    return head_.exchange(nullptr, base::acquire);
  }

 private:
  base::atomic<Node*> head_{nullptr};
};

}  // namespace weft::queue
