// A run of C++ and of compiled Tascell together: tasks of both are made on request, and winds of
// both are undone on the way to an older construct of either.
#include "mixed.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <weft/tascell.hpp>
#include <weft/weft.hpp>

namespace tascell = weft::tascell;
using tascell::context;

namespace {

// Counts subsets of the pieces whose squares have an even sum; each piece is taken or left.
long subsets(context c, const workspace& w, int depth, int sum) {
  if (depth == 0) return sum % 2 == 0;
  long with = 0;
  long without = 0;
  tascell::do_two(
      c, [&](context inner) { with = subsets(inner, w, depth - 1, sum + w.square[depth]); },
      [&](context inner) { without = subsets(inner, w, depth - 1, sum); });
  return with + without;
}

}  // namespace

// A worker function for C: an exception that leaves enter goes on as an unwinding of the C frames.
extern "C" long visit(weft_tascell_worker* worker, weft_tascell_record* up, workspace* w, int depth) {
  long result = 0;
  tascell::enter(context(worker, up), [&] {
    const context c(worker, up);
    if (w->square[pieces - 1] >= squares) throw std::out_of_range("a piece stands beside the board");
    if (depth == 0) {
      result = w->square[0] == 2 && w->square[pieces - 1] == 6;
      return;
    }
    result = subsets(c, *w, depth, w->square[0]);
  });
  return result;
}

int main() {
  weft::runtime runtime;
  tascell::run([](context c) {
    workspace w = {};
    std::printf("%ld subsets\n", tascell::call(c, search, &w, 0));

    const bool ended = tascell::catch_tag(c, found, [&](context inner) { tascell::call(inner, find, &w, 0); });
    std::printf("%s, %d pieces left\n", ended ? "none found" : "found", w.count);

    try {  // from a frame of C++, through frames of C, to C++
      tascell::wind(
          c, [&] { w.square[w.count++] = squares; },
          [&](context inner) {
            workspace far = {pieces, {0, 1, 2, squares}};
            tascell::call(inner, search, &far, 0);
          },
          [&] { w.square[--w.count] = 0; });
    } catch (const std::out_of_range& error) {
      std::printf("%s, %d pieces left\n", error.what(), w.count);
    }
  });
}
