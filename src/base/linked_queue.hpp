// A queue of nodes that are linked to each other: first in, first out. A node has a pointer `next`,
// which belongs to the queue while the node is inside. Not synchronised: the owner of the queue
// guards it. It allocates nothing; zero-filled memory is an empty queue.
//
// base::list is for nodes that leave from the middle in O(1), or ask whether they are linked.
#pragma once

namespace weft::base {

// Link: the node's type, or a base class of it that has the pointer.
template <class Node, class Link = Node>
class linked_queue {
 public:
  bool is_empty() const { return first_ == nullptr; }
  Node* front() const { return static_cast<Node*>(first_); }
  // Null: it is the last.
  static Node* after(const Node* node) { return static_cast<Node*>(static_cast<const Link*>(node)->next); }

  void push_back(Node* node) {
    node->next = nullptr;
    *(first_ != nullptr ? &last_->next : &first_) = node;
    last_ = node;
  }
  void push_front(Node* node) {
    Link* const first = first_;
    if (first == nullptr) last_ = node;
    node->next = first;
    first_ = node;
  }
  // Nodes that are linked by next, from `first` to `last`, in that order.
  void push_back_chain(Node* first, Node* last) {
    last->next = nullptr;
    *(first_ != nullptr ? &last_->next : &first_) = first;
    last_ = last;
  }
  // Null: the queue is empty. The node keeps its pointer to the next one.
  Node* pop_front() {
    Link* const node = first_;
    if (node != nullptr) first_ = node->next;
    return static_cast<Node*>(node);
  }
  // All nodes, chained by next; null: the queue is empty.
  Node* take_all() {
    Link* const first = first_;
    first_ = nullptr;
    return static_cast<Node*>(first);
  }
  // In the time of a walk. False: the node is not inside.
  bool remove(Node* node) {
    return take_first([node](const Node* each) { return each == node; }) != nullptr;
  }
  // The first node of which is_wanted(node) is true; null: there is none.
  template <class Predicate>
  Node* take_first(Predicate is_wanted) {
    Link* before = nullptr;
    for (Link* each = first_; each != nullptr; before = each, each = each->next) {
      auto* const node = static_cast<Node*>(each);
      if (!is_wanted(node)) continue;
      *(before != nullptr ? &before->next : &first_) = each->next;
      if (last_ == each) last_ = before;
      return node;
    }
    return nullptr;
  }
  // All nodes of which is_wanted(node) is true, in their order. It is asked once of each.
  template <class Predicate>
  linked_queue take_each(Predicate is_wanted) {
    linked_queue kept, taken;
    while (Node* const node = pop_front()) (is_wanted(node) ? taken : kept).push_back(node);
    *this = kept;
    return taken;
  }

 private:
  Link* first_ = nullptr;
  Link* last_ = nullptr;  // what it says of an empty queue means nothing
};

}  // namespace weft::base
