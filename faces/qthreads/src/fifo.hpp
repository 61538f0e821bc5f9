// A queue of pointers that grows, in segments: what qlfqueue and qdqueue are made of. Every caller
// may use it at any time.
#pragma once

#include <cstddef>

#include "base/atomic.hpp"
#include "faces/common/object.hpp"
#include "faces/common/spinlock.hpp"

namespace weft::qthreads {

class fifo {
 public:
  fifo() = default;
  fifo(const fifo&) = delete;
  fifo& operator=(const fifo&) = delete;
  ~fifo() {
    while (first_ != nullptr) {
      segment* const next = first_->next;
      face::free_object(first_);
      first_ = next;
    }
    if (spare_ != nullptr) face::free_object(spare_);
  }

  // False: no memory.
  bool put(void* element) {
    segment* fresh = nullptr;
    while (!try_put(element, &fresh)) {
      fresh = face::make_object<segment>(0);
      if (fresh == nullptr) return false;
    }
    if (fresh != nullptr) face::free_object(fresh);
    return true;
  }

  // Null: it is empty.
  void* take() {
    if (is_empty()) return nullptr;  // consumers that poll leave the lock to the others
    segment* emptied = nullptr;
    void* const element = take_locked(&emptied);
    if (emptied != nullptr) face::free_object(emptied);
    return element;
  }

  bool is_empty() const { return count_.load(base::relaxed) == 0; }

 private:
  struct segment {
    static constexpr std::size_t size = 62;
    segment* next = nullptr;
    void* elements[size];
  };

  // False: there is no room, and no fresh segment. One that is used is no longer in *fresh.
  bool try_put(void* element, segment** fresh) {
    const face::guard held{lock_};
    if (last_ == nullptr || put_at_ == segment::size) {
      segment* const added = spare_ != nullptr ? spare_ : *fresh;
      if (added == nullptr) return false;
      (added == spare_ ? spare_ : *fresh) = nullptr;
      append(added);
    }
    last_->elements[put_at_++] = element;
    count_.store(count_.load(base::relaxed) + 1, base::relaxed);
    return true;
  }

  void append(segment* added) {
    added->next = nullptr;
    if (last_ == nullptr) {
      first_ = added;
      take_at_ = 0;
    } else {
      last_->next = added;
    }
    last_ = added;
    put_at_ = 0;
  }

  void* take_locked(segment** emptied) {
    const face::guard held{lock_};
    if (is_empty()) return nullptr;
    count_.store(count_.load(base::relaxed) - 1, base::relaxed);
    void* const element = first_->elements[take_at_++];
    if (take_at_ == segment::size) *emptied = drop_first();
    return element;
  }

  // Null: it stays as the spare one.
  segment* drop_first() {
    segment* const dropped = first_;
    first_ = dropped->next;
    if (first_ == nullptr) last_ = nullptr;
    take_at_ = 0;
    if (spare_ != nullptr) return dropped;
    spare_ = dropped;
    return nullptr;
  }

  face::spinlock lock_;
  base::atomic<std::size_t> count_{0};
  segment* first_ = nullptr;
  segment* last_ = nullptr;
  segment* spare_ = nullptr;
  std::size_t take_at_ = 0;  // in the first segment
  std::size_t put_at_ = 0;   // in the last one
};

}  // namespace weft::qthreads
