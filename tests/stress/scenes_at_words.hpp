// Scenes at words with full/empty bits, in all their modes, and with awaiters.
#pragma once

#include <weft/ext.h>

#include <cstdint>
#include <vector>

#include "scene.hpp"

namespace weft::stress {

// ---- words that go round, emptied by one and filled by the next ----

class relay_scene : public scene {
 public:
  explicit relay_scene(dice from)
      : scene(2 + from.below(5)), rounds_(1 + from.below(30)), batons_(1 + from.below(parties())), words_(parties()) {
    for (unsigned i = batons_; i < parties(); ++i) OK(weft_feb_purge(&words_[i]));
  }
  ~relay_scene() override {  // their state must not outlive the words
    for (std::uint64_t& word : words_) OK(weft_feb_fill(&word));
  }
  relay_scene(const relay_scene&) = delete;
  relay_scene& operator=(const relay_scene&) = delete;

  void play(unsigned party, dice* time) override {
    std::uint64_t* const from = &words_[party];
    std::uint64_t* const to = &words_[(party + 1) % parties()];
    for (unsigned round = 0; round < rounds_; ++round) {
      std::uint64_t value = 0;
      insist(
          time, [&](std::uint64_t deadline) { return weft_feb_read_fe_until(from, deadline, &value); },
          [&] { return weft_feb_try_read_fe(from, &value); });
      value += party + 1;
      if (time->one_in(4)) weft_yield();
      insist(
          time, [&](std::uint64_t deadline) { return weft_feb_write_ef_until(to, value, deadline); },
          [&] { return weft_feb_try_write_ef(to, value); });
    }
  }
  // Each word was emptied as often as it was filled.
  void check() override {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < parties(); ++i) {
      MUST(weft_feb_is_full(&words_[i]) == (i < batons_));
      if (i < batons_) sum += words_[i];
    }
    MUST(sum == std::uint64_t{rounds_} * parties() * (parties() + 1) / 2);
  }

 private:
  unsigned rounds_;
  unsigned batons_;  // words that are full at first
  std::vector<std::uint64_t> words_;
};

// ---- a word that one writes, in all ways, and the others read ----

class notice_scene : public scene {
 public:
  explicit notice_scene(dice from) : scene(2 + from.below(6)), rounds_(1 + from.below(40)) {}
  ~notice_scene() override { OK(weft_feb_fill(&word_)); }
  notice_scene(const notice_scene&) = delete;
  notice_scene& operator=(const notice_scene&) = delete;

  void play(unsigned party, dice* time) override { party == 0 ? write(time) : read(time); }
  void check() override { MUST(word_ == rounds_ && weft_feb_is_full(&word_)); }

 private:
  void write(dice* time) {
    for (std::uint64_t round = 1; round <= rounds_; ++round) {
      switch (time->below(4)) {
        case 0:
          OK(weft_feb_purge(&word_));
          OK(weft_feb_write_f(&word_, round));
          break;
        case 1:
          OK(weft_feb_empty(&word_));
          MUST(!weft_feb_is_full(&word_));
          if (time->one_in(2)) weft_yield();
          OK(weft_feb_fill(&word_));
          OK(weft_feb_write_f(&word_, round));
          break;
        case 2:
          OK(weft_feb_read_fe(&word_, nullptr));
          if (time->one_in(2)) weft_yield();
          OK(weft_feb_write_ef(&word_, round));
          break;
        default: OK(weft_feb_write_f(&word_, round));
      }
      if (time->one_in(3)) OK(weft_sleep_ns(time->below(20000)));
    }
  }
  void read(dice* time) {
    for (std::uint64_t seen = 0, value = 0; seen < rounds_; seen = value) {
      insist(
          time, [&](std::uint64_t deadline) { return weft_feb_read_ff_until(&word_, deadline, &value); },
          [&] { return weft_feb_try_read_ff(&word_, &value); });
      MUST(value >= seen && value <= rounds_);
      if (value == seen) weft_yield();
    }
  }

  std::uint64_t rounds_;
  std::uint64_t word_ = 0;
};

// ---- awaiters: tokens that threads give, taken by the threads that are told of them ----

// Each taker wants so many tokens out of two semaphores, one at a time, by an awaiter at both,
// which it cancels now and then.
class taking_scene : public scene {
 public:
  explicit taking_scene(dice from) : scene(2 * (1 + from.below(3))), each_(1 + from.below(60)) {}

  void play(unsigned party, dice* time) override { party % 2 == 0 ? give(time) : take(time); }
  void check() override {
    for (weft_semaphore& tokens : tokens_) MUST(weft_semaphore_try_acquire(&tokens) == WEFT_BUSY);
  }

 private:
  struct taking {
    weft_awaiter awaiter;  // first: ready has its address
    weft_event is_over;
    weft_status how;
  };
  static void note(weft_awaiter* awaiter, weft_status how) {
    auto* const mine = reinterpret_cast<taking*>(awaiter);
    mine->how = how;
    OK(weft_event_set(&mine->is_over));  // the last access: the taker goes on
  }

  void give(dice* time) {
    for (unsigned count = 0; count < each_; ++count) {
      OK(weft_semaphore_release(&tokens_[time->below(2)], 1));
      if (time->one_in(3)) weft_yield();
    }
  }
  bool take_one(dice* time) {
    taking mine{WEFT_AWAITER_INIT(note), WEFT_EVENT_INIT, WEFT_OK};
    if (time->one_in(3)) mine.awaiter.deadline_ns = some_deadline(time);
    weft_await_case cases[2] = {{&tokens_[0], WEFT_AWAIT_SEMAPHORE, 0, {}}, {&tokens_[1], WEFT_AWAIT_SEMAPHORE, 0, {}}};
    bool waits = false;
    const weft_status armed = weft_ext_await_any(&mine.awaiter, cases, time->one_in(4) ? 1 : 2, &waits);
    MUST(armed == WEFT_OK || armed == WEFT_TIMEOUT);
    if (!waits) return armed == WEFT_OK;
    if (time->one_in(2)) weft_yield();
    if (time->one_in(3) && weft_ext_await_cancel(&mine.awaiter)) return false;
    // The token may have come to the semaphore at which it does not wait.
    const bool is_late = weft_event_wait_until(&mine.is_over, weft_deadline_in(1'000'000)) == WEFT_TIMEOUT;
    if (is_late && weft_ext_await_cancel(&mine.awaiter)) return false;
    OK(weft_event_wait(&mine.is_over));
    return mine.how == WEFT_OK;
  }
  void take(dice* time) {
    for (unsigned count = 0; count < each_;) {
      if (take_one(time)) {
        ++count;
      } else {
        weft_yield();
      }
    }
  }

  unsigned each_;
  weft_semaphore tokens_[2] = {WEFT_SEMAPHORE_INIT(0), WEFT_SEMAPHORE_INIT(0)};
};

}  // namespace weft::stress
