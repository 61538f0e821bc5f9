// A lock that is nearly free for its owner: protocol D, docs/protocols/D.md.
//
// One worker, the owner, enters and leaves with two plain stores and one load, without any fence.
// Others ("thieves") have one word, attention, through which they
//   ask     attention: 0 -> thief. The owner's next enter() returns the thief, and the owner answers it inside the lock. Cheap: this is
//           how work is normally stolen (receiver-initiated: Acar, Charguéraud, Rainey 2013, doi:10.1145/2442516.2442538);
//   raid    attention: thief -> thief|1, heavy fence, wait until the owner is not inside. Costs the thief a membarrier (about a
//           microsecond): this is how an owner that stays long in one unit is robbed (starvation is bounded by the thief's patience).
//
// Exclusion is Dekker's with an asymmetric fence (store buffering; the outcome "neither sees the
// other" is impossible):
//
//      owner                              thief
//      busy = 1                           attention = thief|1
//      light fence                        heavy fence
//      attention == 0 ?  -> inside        busy == 0 ?  -> inside
//
// Tried and dropped: a Chase-Lev deque (a fence a pop, or the same asymmetric fence, and no removal
// from the middle for yield_to; batches cannot be stolen safely while the owner pops without a
// CAS); a split deque (an owner in a long unit publishes nothing).
#pragma once

#include <cstdint>

#include "arch/cpu.hpp"
#include "base/atomic.hpp"
#include "os/fence.hpp"
#include "os/thread.hpp"

namespace weft::queue {

// Thief is a type whose addresses are even.
template <class Thief>
class biased_lock {
 public:
  // ---- owner ----

  // Enters. Returns null, or a thief that asked and must now be answered.
  [[gnu::always_inline]] Thief* enter() {
    busy_.store(1, base::relaxed);
    // [D1] light fence: busy before attention; pairs with [D5] [T8]
    base::light_fence();
    // [D2] acquire: sees what a raider left behind, or a thief prepared; pairs with [D7] [D16]
    // [D18]
    const std::uintptr_t seen = attention_.load(base::acquire);
    if (seen == 0) [[likely]]
      return nullptr;
    return enter_slow(seen);
  }

  // As enter, or false when a raider wants attention: then the owner is outside.
  bool try_enter() {
    busy_.store(1, base::relaxed);
    // [D14] light fence: as [D1]; pairs with [D5] [T8]
    base::light_fence();
    // [D15] acquire: as [D2]; pairs with [D7] [D18]
    if (attention_.load(base::acquire) == 0) [[likely]]
      return true;
    leave();
    return false;
  }

  // [D3] release: what the owner wrote inside is visible to a raider that sees it outside; pairs
  // with [D6] [D13]
  void leave() { busy_.store(0, base::release); }

  // ---- others ----

  // After a heavy fence: waits until the owner is not, or no more, inside a section that it entered
  // before the fence.
  void wait_until_left() const {
    // [D13] acquire: sees what the owner wrote inside; pairs with [D3] [D8]
    for (int round = 0; busy_.load(base::acquire) != 0; ++round) {
      if (round < owner_patience) {
        arch::pause();
      } else {
        os::yield_cpu();
      }
    }
  }

  // ---- thieves ----

  bool ask(Thief* thief) {
    std::uintptr_t expected = 0;
    // [D16] release: the owner sees what the thief prepared for the answer; pairs with [D2] [D10]
    // [D17]
    return attention_.compare_exchange_strong(expected, word(thief), base::release, base::relaxed);
  }

  // Takes the question back. False: the owner is answering it.
  bool retract(Thief* thief) {
    std::uintptr_t expected = word(thief);
    return attention_.compare_exchange_strong(expected, 0, base::relaxed, base::relaxed);
  }

  enum class raid_result { inside, owner_busy, answered };

  // Turns the thief's own unanswered question into a raid. inside: the thief holds the lock until
  // end_raid(); owner_busy: the question is withdrawn; answered: the owner was quicker.
  raid_result raid(Thief* thief) {
    std::uintptr_t expected = word(thief);
    // [D4] acquire: sees what the last raider left behind; pairs with [D7]
    if (!attention_.compare_exchange_strong(expected, expected | raided, base::acquire, base::relaxed)) {
      return raid_result::answered;
    }
    // [D5] heavy fence: attention before busy, on behalf of both; pairs with [D1] [D9] [D14]
    os::heavy_fence();
    for (int round = 0; round < raid_patience; ++round) {
      // [D6] acquire: sees what the owner wrote inside; pairs with [D3] [D8]
      if (busy_.load(base::acquire) == 0) return raid_result::inside;
      arch::pause();
    }
    // [D18] release: keeps what an earlier raider wrote visible to the side that enters next; pairs
    // with [D2] [D10] [D15] [D17]
    attention_.store(0, base::release);
    return raid_result::owner_busy;
  }

  // [D7] release: what the raider wrote inside is visible to the side that enters next; pairs with
  // [D2] [D4] [D10] [D15] [D17]
  void end_raid() { attention_.store(0, base::release); }

 private:
  static constexpr std::uintptr_t raided = 1;
  static constexpr int raid_patience = 200;
  static constexpr int owner_patience = 200;

  static std::uintptr_t word(Thief* thief) { return reinterpret_cast<std::uintptr_t>(thief); }

  [[gnu::noinline]] Thief* enter_slow(std::uintptr_t seen) {
    while (seen != 0) {
      if ((seen & raided) != 0) {
        seen = wait_for_raider();
        // [D17] acquire: as [D2], also when another question has come; pairs with [D7] [D16] [D18]
      } else if (attention_.compare_exchange_strong(seen, 0, base::acquire, base::acquire)) {
        return reinterpret_cast<Thief*>(seen);
      }
    }
    return nullptr;
  }

  // Stands back until the raider has left, then enters again.
  std::uintptr_t wait_for_raider() {
    // [D8] release: as [D3]; pairs with [D6] [D13]
    busy_.store(0, base::release);
    for (int round = 0; (attention_.load(base::relaxed) & raided) != 0; ++round) {
      if (round < owner_patience) {
        arch::pause();
      } else {
        os::yield_cpu();
      }
    }
    busy_.store(1, base::relaxed);
    // [D9] light fence: as [D1]; pairs with [D5] [T8]
    base::light_fence();
    // [D10] acquire: as [D2]; pairs with [D7] [D16] [D18]
    return attention_.load(base::acquire);
  }

  base::atomic<std::uint32_t> busy_{0};
  base::atomic<std::uintptr_t> attention_{0};
};

}  // namespace weft::queue
