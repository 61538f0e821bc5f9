// A scene of a random program: some parties do something together, with an answer that the scene's
// seed gives beforehand.
#pragma once

#include <weft/weft.h>

#include "stress.hpp"

namespace weft::stress {

// Repeats a call that may time out or be refused for now, in one of its three forms, until it
// succeeds.
template <class Until, class Try>
void insist(dice* time, Until until, Try try_once) {
  for (;;) {
    const weft_status result = time->one_in(3) ? try_once() : until(some_deadline(time));
    if (result == WEFT_OK) return;
    MUST(result == WEFT_TIMEOUT || result == WEFT_BUSY);
    weft_yield();
  }
}

class scene {
 public:
  explicit scene(unsigned parties) : parties_(parties) {}
  virtual ~scene() = default;
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  unsigned parties() const { return parties_; }
  // time decides what does not matter for the answer.
  virtual void play(unsigned party, dice* time) = 0;
  virtual void check() = 0;  // when all have played

 private:
  unsigned parties_;
};

}  // namespace weft::stress
