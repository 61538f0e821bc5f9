// See timer.hpp. The pairing heap; every call is inside the lock of the timers.
#include "unit/timer.hpp"

namespace weft::sched {

timer* timer_heap::meld(timer* left, timer* right) {
  if (left == nullptr) return right;
  if (right == nullptr) return left;
  if (right->deadline_ns < left->deadline_ns) {
    timer* other = left;
    left = right;
    right = other;
  }
  right->previous = left;
  right->sibling = left->child;
  if (left->child != nullptr) left->child->previous = right;
  left->child = right;
  return left;
}

timer* timer_heap::meld_pairs(timer* first) {
  timer* pairs = nullptr;  // melded pairs, last one first, by sibling
  while (first != nullptr) {
    timer* second = first->sibling;
    timer* rest = second != nullptr ? second->sibling : nullptr;
    first->sibling = first->previous = nullptr;
    if (second != nullptr) second->sibling = second->previous = nullptr;
    timer* pair = meld(first, second);
    pair->sibling = pairs;
    pairs = pair;
    first = rest;
  }
  timer* all = nullptr;
  while (pairs != nullptr) {
    timer* rest = pairs->sibling;
    pairs->sibling = nullptr;
    all = meld(all, pairs);
    pairs = rest;
  }
  return all;
}

void timer_heap::insert(timer* one) {
  one->child = one->sibling = one->previous = nullptr;
  root_ = meld(root_, one);
}

void timer_heap::remove(timer* one) {
  if (one == root_) {
    root_ = meld_pairs(one->child);
  } else {
    if (one->previous->child == one) {
      one->previous->child = one->sibling;
    } else {
      one->previous->sibling = one->sibling;
    }
    if (one->sibling != nullptr) one->sibling->previous = one->previous;
    root_ = meld(root_, meld_pairs(one->child));
  }
  if (root_ != nullptr) root_->sibling = root_->previous = nullptr;
  one->child = one->sibling = one->previous = nullptr;
}

bool timers::insert(timer* one) {
  one->is_armed = true;
  heap_.insert(one);
  note_first();
  return heap_.first() == one;
}

bool timers::arm(timer* one) {
  const queue::guard hold(lock_);
  return insert(one);
}

bool timers::arm_unless_closed(timer* one, bool* is_first) {
  const queue::guard hold(lock_);
  if (is_closed_) return false;
  had_closable_ = true;
  *is_first = insert(one);
  return true;
}

void timers::cancel(timer* one) {
  const queue::guard hold(lock_);
  if (!one->is_armed) return;
  heap_.remove(one);
  one->is_armed = false;
  note_first();
}

}  // namespace weft::sched
