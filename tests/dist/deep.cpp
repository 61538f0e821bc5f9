// A recursion without end: the stack overflows, and a line says on which rank, how deep and in
// which function.
//
//   deep forks | deep calls | deep child, one that calls | deep moved, a child that calls once another rank has it
//   deep brought, one that calls once a third rank has brought it back | deep none, which ends
#include <cstring>

#include <weft/dist.hpp>

#include "dist/rank/engine.hpp"
#include "shared_words.hpp"

namespace {

shared_words words;
enum { is_root_gone, has_moved, child_has_moved, is_joining };

long sink(long depth) noexcept {
  volatile char frame[200];
  frame[0] = static_cast<char>(depth);
  auto child = weft::fork([=] { return sink(depth + 1); });
  return child.join() + frame[0];
}

[[gnu::noinline]] long call(long depth) {
  volatile char frame[2000];
  frame[0] = static_cast<char>(depth);
  return frame[0] == 0 && depth < 0 ? 0 : call(depth + 1) + frame[0];
}

// Its own child keeps the rank on which it began.
long call_where_moved() {
  words.wait_for(is_root_gone, 1);
  const int rank = weft::dist::rank();
  auto child = weft::fork([=] {
    words.wait_for(has_moved, 1);
    return 0L;
  });
  if (weft::dist::rank() != rank) call(0);
  words[has_moved].store(1);
  return child.join();
}

// ---- of three ranks one runs what keeps the others' stacks busy, one the forker, and one its child, which brings the forker back

long end_once_moved(int which) {
  words.wait_for(which, 1);
  return 0;
}

// Where it ends, its forker waits, with its frames on the rank to which it had moved. Its own child
// has ended before it joins: else that child's rank would bring it back, and the forker after it.
long end_once_forker_waits() {
  words.wait_for(has_moved, 1);
  auto child = weft::fork([] { return end_once_moved(child_has_moved); });
  const auto* const childs = static_cast<const weft::dist::join_record*>(weft::dist::all.mine->places[-1].taker);
  words[child_has_moved].store(1);
  while (!childs->has_ended()) sched_yield();
  words.wait_for(is_joining, 1);
  const auto& forker = weft::dist::all.mine->base[-1].record->state;
  while (forker.load(weft::base::relaxed) == weft::dist::join_record::running) sched_yield();
  return child.join();
}

long call_where_brought() {
  words.wait_for(is_root_gone, 1);
  auto child = weft::fork([] { return end_once_forker_waits(); });
  words[has_moved].store(1);
  words.wait_for(child_has_moved, 1);  // so that this rank does not take it
  words[is_joining].store(1);
  return child.join() + call(0);
}

}  // namespace

int main(int count, char** words_of_line) {
  if (count != 2) return 2;
  if (std::strcmp(words_of_line[1], "none") == 0) return weft::dist::root([] { return 0; });
  if (std::strcmp(words_of_line[1], "calls") == 0) return static_cast<int>(weft::dist::root([] { return call(0); }));
  if (std::strcmp(words_of_line[1], "child") == 0) {
    return static_cast<int>(weft::dist::root([] {
      auto child = weft::fork([] { return call(0); });
      return child.join();
    }));
  }
  if (std::strcmp(words_of_line[1], "moved") == 0) {
    return static_cast<int>(weft::dist::root([] {
      auto child = weft::fork([] { return call_where_moved(); });
      words[is_root_gone].store(1);
      return child.join();
    }));
  }
  if (std::strcmp(words_of_line[1], "brought") == 0) {
    return static_cast<int>(weft::dist::root([] {
      auto child = weft::fork([] { return call_where_brought(); });
      words[is_root_gone].store(1);
      return child.join();
    }));
  }
  return static_cast<int>(weft::dist::root([] { return sink(0); }));
}
