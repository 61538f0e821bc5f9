// Protocol N (docs/protocols/N.md): what a node's door and its workers share without the node's
// lock. Everything else of a node is under the lock, or the door's own.
#pragma once

#include <cstdint>

#include <weft_tascell/atomic.hpp>

namespace weft::tascell_runtime {

// Whether a request of another node is under way in its place. The door fills the place and begins;
// the victim that took the request reads the place and ends it; or the door does, which withdrew
// the request.
class place_word {
 public:
  // The door: the place may be filled.
  bool is_free() const {
    // [N1] acquire: the victim's last look at the place; pairs with [N2]
    return is_used_.load(base::acquire) == 0;
  }
  // The door, before it posts the request: protocol Y hands the place over.
  void begin() { is_used_.store(1, base::relaxed); }
  // The victim, after it has read the place.
  void end() {
    // [N2] release: the last look at the place; pairs with [N1]
    is_used_.store(0, base::release);
  }

 private:
  atomic<std::uint32_t> is_used_{0};
};

// Whether another node wants to be told of the next task that begins here, because there was none
// when it asked.
class hint_word {
 public:
  // The door, after it noted under the lock which node wants the hint. Afterwards it looks whether
  // a task runs, and says so in its answer.
  void want() {
    is_wanted_.store(1, base::relaxed);
    // [N3] fence: before the look whether a task runs; pairs with [N4]
    base::fence_seq_cst();
  }
  // A worker, after it said that it runs a task.
  bool is_wanted() const {
    // [N4] fence: after the word that a task runs; pairs with [N3]
    base::fence_seq_cst();
    return is_wanted_.load(base::relaxed) != 0;
  }
  // Under the lock, when all have been told.
  void settle() { is_wanted_.store(0, base::relaxed); }

 private:
  atomic<std::uint32_t> is_wanted_{0};
};

}  // namespace weft::tascell_runtime
