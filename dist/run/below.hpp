// A fork whose child runs below its forker on the same stack: shared by the files that fork so.
#pragma once

#include "arch/context.hpp"
#include "dist/rank/rank.hpp"

namespace weft::dist {

// The child's first frame: fork.cpp.
void run_child(void* run, void* work);

[[gnu::always_inline]] inline weft_forked* suspend_and_run(control* mine, weft_forked* place, run_function run,
                                                           void (*below)(void*, void*)) {
  slot* const forker = mine->top;
  forker->place = place;
  mine->top = forker + 1;
  mine->places = place + 1;
  place->run = run;  // for reports
  place->taker = nullptr;
  void* work = place->work;
  arch::call_below(reinterpret_cast<void**>(&forker->frame), below, reinterpret_cast<void*>(run), work);
  return place;
}

}  // namespace weft::dist
