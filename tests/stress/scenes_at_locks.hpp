// Scenes at mutexes, conditions, readers-writer locks and semaphores.
#pragma once

#include <weft/weft.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "scene.hpp"

namespace weft::stress {

// ---- a buffer between makers and takers ----

class buffer_scene : public scene {
 public:
  explicit buffer_scene(dice from) : scene(2 + 2 * from.below(4)), each_(1 + from.below(40)), places_(1 + from.below(5)) {}

  void play(unsigned party, dice* time) override {
    for (unsigned i = 0; i < each_; ++i) {
      if (party % 2 == 0) {
        put(party * 1000 + i, time);
      } else {
        taken_ += take(time);
      }
    }
  }
  void check() override {
    std::uint64_t sum = 0;
    for (unsigned party = 0; party < parties(); party += 2)
      sum += each_ * (party * std::uint64_t{1000}) + each_ * (each_ - 1) / 2;
    MUST(taken_ == sum && items_.empty());
  }

 private:
  void lock(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_mutex_lock_until(&mutex_, deadline); },
        [&] { return weft_mutex_try_lock(&mutex_); });
  }
  void wait(weft_cond* cond, dice* time) {
    const weft_status result = weft_cond_wait_until(cond, &mutex_, some_deadline(time));
    MUST(result == WEFT_OK || result == WEFT_TIMEOUT);
  }
  void put(std::uint64_t item, dice* time) {
    lock(time);
    while (items_.size() == places_) wait(&has_room_, time);
    items_.push_back(item);
    OK(time->one_in(2) ? weft_cond_signal(&has_items_) : weft_cond_broadcast(&has_items_));
    OK(weft_mutex_unlock(&mutex_));
  }
  std::uint64_t take(dice* time) {
    lock(time);
    while (items_.empty()) wait(&has_items_, time);
    const std::uint64_t item = items_.back();
    items_.pop_back();
    OK(time->one_in(2) ? weft_cond_signal(&has_room_) : weft_cond_broadcast(&has_room_));
    OK(weft_mutex_unlock(&mutex_));
    return item;
  }

  unsigned each_;
  std::size_t places_;
  weft_mutex mutex_ = WEFT_MUTEX_INIT;
  weft_cond has_room_ = WEFT_COND_INIT, has_items_ = WEFT_COND_INIT;
  std::vector<std::uint64_t> items_;  // guarded by mutex_
  std::atomic<std::uint64_t> taken_{0};
};

// ---- readers and writers, with a recursive mutex and tokens among them ----

class shelf_scene : public scene {
 public:
  explicit shelf_scene(dice from) : scene(2 + from.below(6)), each_(1 + from.below(40)), tokens_{{tokens, 0, 0, 0}} {}

  void play(unsigned party, dice* time) override {
    for (unsigned i = 0; i < each_; ++i) {
      if ((party + i) % 3 == 0) {
        write(time);
      } else {
        read(time);
      }
      hold_token(time);
      nest(time);
    }
  }
  void check() override {
    unsigned writes = 0;
    for (unsigned party = 0; party < parties(); ++party) {
      for (unsigned i = 0; i < each_; ++i) writes += (party + i) % 3 == 0;
    }
    MUST(pages_[0] == writes && pages_[1] == writes && nested_ == std::uint64_t{parties()} * each_);
  }

 private:
  static constexpr int tokens = 3;

  void write(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_rwlock_write_lock_until(&lock_, deadline); },
        [&] { return weft_rwlock_try_write_lock(&lock_); });
    ++pages_[0];
    if (time->one_in(4)) weft_yield();
    ++pages_[1];
    OK(weft_rwlock_unlock(&lock_));
  }
  void read(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_rwlock_read_lock_until(&lock_, deadline); },
        [&] { return weft_rwlock_try_read_lock(&lock_); });
    const std::uint64_t first = pages_[0];
    if (time->one_in(4)) weft_yield();
    MUST(pages_[1] == first);
    OK(weft_rwlock_unlock(&lock_));
  }
  void hold_token(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_semaphore_acquire_until(&tokens_, deadline); },
        [&] { return weft_semaphore_try_acquire(&tokens_); });
    MUST(holders_.fetch_add(1) < tokens);
    if (time->one_in(4)) weft_yield();
    holders_.fetch_sub(1);
    OK(weft_semaphore_release(&tokens_, 1));
  }
  void nest(dice* time) {
    const unsigned depth = 1 + time->below(3);
    for (unsigned level = 0; level < depth; ++level) {
      insist(
          time, [&](std::uint64_t deadline) { return weft_mutex_lock_until(&recursive_, deadline); },
          [&] { return weft_mutex_try_lock(&recursive_); });
    }
    ++nested_;
    for (unsigned level = 0; level < depth; ++level) OK(weft_mutex_unlock(&recursive_));
  }

  unsigned each_;
  weft_rwlock lock_ = WEFT_RWLOCK_INIT;
  std::uint64_t pages_[2] = {0, 0};  // guarded by lock_
  weft_semaphore tokens_;
  std::atomic<int> holders_{0};
  weft_mutex recursive_ = WEFT_MUTEX_RECURSIVE_INIT;
  std::uint64_t nested_ = 0;  // guarded by recursive_
};

}  // namespace weft::stress
