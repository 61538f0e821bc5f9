// A spinlock that its most frequent taker takes without a locked instruction: protocol S,
// docs/protocols/S.md.
//
// A taker that comes often enough in a row becomes the owner. It enters and leaves by plain stores;
// others take the word as that of a spinlock, have a heavy fence run and wait until the owner is
// not inside: Dekker's with an asymmetric fence, as in biased_lock.hpp. That costs them a
// microsecond, so where they come too often the bias ends: then it is a spinlock, until the former
// owner has come alone for long. Another one never becomes the owner.
//
//      owner                              another
//      busy = 1                           word: free -> held
//      light fence                        heavy fence
//      word == free ?  -> inside          busy == 0 ?  -> inside
//
// It may be held across a context switch, as a spinlock; the taker that unlocks is the one that
// locked.
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "os/alone.hpp"
#include "os/fence.hpp"
#include "os/thread.hpp"

namespace weft::queue {

struct bias_limits {
  std::uint32_t times_before_bias;      // that one comes in a row; twice as often after each end of the bias
  std::uint32_t entries_worth_a_fence;  // of the owner: so many locked instructions cost what a heavy fence does
  std::uint32_t most_strikes;           // others that come before so many, one after the other
};
inline constexpr bias_limits usual_bias_limits{256, 2000, 4};

// Taker: whose address names one OS thread at a time; null: one that never becomes the owner.
template <class Taker, bias_limits Limits = usual_bias_limits>
class biased_spinlock {
 public:
  // ---- any OS thread ----

  bool try_lock(const Taker* taker) { return is_owner(taker) ? try_enter() : try_take(); }

  void lock(const Taker* taker) {
    while (!try_lock(taker)) wait_while_held();
  }

  void unlock(const Taker* taker) { is_owner(taker) ? leave() : give_back(taker); }
  // As unlock, by a taker that came for what only few should come for: one that does so often is
  // the owner next time.
  void unlock_and_lean_to(const Taker* taker) { is_owner(taker) ? leave() : give_back_and_lean_to(taker); }

  bool is_owner(const Taker* taker) const { return owner_.load(base::relaxed) == name_of(taker); }

  // ---- the owner ----

  // False: another one holds it, or the caller is the owner no more.
  [[gnu::always_inline]] bool try_enter() {
    busy_.store(1, base::relaxed);
    // [S6] light fence: busy before the word; pairs with [S10]
    base::light_fence();
    // [S7] acquire: sees what another one wrote inside; pairs with [S12]
    if (word_.load(base::acquire) == 0) [[likely]] {
      ++entries_;
      return true;
    }
    leave();
    return false;
  }

  // [S8] release: what the owner wrote inside is visible to a taker that sees it outside; pairs
  // with [S11]
  void leave() { busy_.store(0, base::release); }

  // ---- others ----

  bool try_take() {
    const std::uint32_t found = word_.load(base::relaxed);
    if ((found & is_held) != 0 || !take_word(found)) return false;
    if (owner_.load(base::relaxed) != nobody) [[unlikely]]
      wait_for_owner();
    return true;
  }

  void give_back(const Taker* taker) {
    note_taker(taker);
    free_word();
  }

  void give_back_and_lean_to(const Taker* taker) {
    note_taker(taker);
    if (++times_ >= times_wanted_ && may_own(taker)) [[unlikely]]
      begin_bias(taker);
    free_word();
  }

 private:
  static constexpr int patience = 100;
  static constexpr std::uint32_t is_held = 1;
  static constexpr std::uint32_t is_plain = 2;  // a spinlock for now
  static constexpr std::uintptr_t nobody = 1;
  static constexpr unsigned most_doublings = 8;

  static std::uintptr_t name_of(const Taker* taker) { return reinterpret_cast<std::uintptr_t>(taker); }

  void wait_while_held() const {
    for (int round = 0; (word_.load(base::relaxed) & is_held) != 0; ++round) pause(round);
  }

  static void pause(int round) {
    if (round < patience) {
      arch::pause();
    } else {
      os::yield_cpu();
    }
  }

  bool take_word(std::uint32_t found) {
    if (os::is_alone()) {
      word_.store(found | is_held, base::relaxed);
      return true;
    }
    // [S9] acquire: sees what the last holder wrote; pairs with [S12]
    return word_.compare_exchange_strong(found, found | is_held, base::acquire, base::relaxed);
  }

  [[gnu::noinline]] void wait_for_owner() {
    // [S10] heavy fence: the word before busy, on behalf of both; pairs with [S6]
    os::heavy_fence();
    // [S11] acquire: sees what the owner wrote inside; pairs with [S8]
    for (int round = 0; busy_.load(base::acquire) != 0; ++round) pause(round);
    const bool was_worth_it = entries_ - entries_seen_ >= Limits.entries_worth_a_fence;
    entries_seen_ = entries_;
    strikes_ = was_worth_it ? 0 : strikes_ + 1;
    if (strikes_ == Limits.most_strikes) end_bias();
  }

  // Inside, as the rest. An owner that has not heard of it finds the word.
  void end_bias() {
    owner_.store(nobody, base::relaxed);
    word_.store(is_held | is_plain, base::relaxed);
    strikes_ = 0;
    if (times_wanted_ < Limits.times_before_bias << most_doublings) times_wanted_ *= 2;
  }

  void note_taker(const Taker* taker) {
    if (taker == last_taker_) return;
    last_taker_ = taker;
    times_ = 0;
  }

  bool may_own(const Taker* taker) const {
    return taker != nullptr && owner_.load(base::relaxed) == nobody && (first_owner_ == nullptr || first_owner_ == taker);
  }

  void begin_bias(const Taker* taker) {
    first_owner_ = taker;
    owner_.store(name_of(taker), base::relaxed);
    word_.store(is_held, base::relaxed);
  }

  // [S12] release: publishes what this holder wrote; pairs with [S7] [S9]
  void free_word() { word_.store(word_.load(base::relaxed) & ~is_held, base::release); }

  base::atomic<std::uint32_t> word_{0};
  base::atomic<std::uint32_t> busy_{0};         // the owner is inside, or looks; written by the owner
  base::atomic<std::uintptr_t> owner_{nobody};  // this and the rest are written inside
  std::uint32_t entries_ = 0;                   // of the owner
  std::uint32_t entries_seen_ = 0;              // when another one came last
  std::uint32_t strikes_ = 0;                   // others that came too early, one after the other
  std::uint32_t times_ = 0;                     // that last_taker_ has left by give_back_and_lean_to, no other in between
  std::uint32_t times_wanted_ = Limits.times_before_bias;
  const Taker* last_taker_ = nullptr;
  const Taker* first_owner_ = nullptr;  // whose `busy_` it is
};

}  // namespace weft::queue
