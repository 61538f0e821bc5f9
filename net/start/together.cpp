// See net/job.hpp: the barrier of all ranks, what needs all of them, and how one that fails ends
// them. Ranks that an MPI's launcher has started do it otherwise than forks of ours.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/barrier.hpp"
#include "net/control.hpp"
#include "net/job.hpp"
#include "net/mpi/ranks.hpp"
#include "os/futex.hpp"

namespace weft::net {
namespace {

constexpr int looks_before_sleep = 1000;

const char* begin(const job& all, const char* what) {
  if (all.ranks == 1) return nullptr;
  rank_record& mine = all.common->of[all.rank];
  const char* const outer = mine.together.load(base::relaxed);
  // relaxed: the launcher looks again and again, and acts on no more than these two words.
  mine.together.store(outer != nullptr ? outer : what, base::relaxed);  // what the program called
  mine.begun.store(mine.begun.load(base::relaxed) + 1, base::relaxed);
  return outer;
}

}  // namespace

const char* begin_together(const job& all, const char* what) {
  note_exit_status();
  return begin(all, what);
}

void end_together(const job& all, const char* outer) {
  if (all.ranks != 1) all.common->of[all.rank].together.store(outer, base::relaxed);
}

void barrier(const job& all) {
  if (all.ranks == 1) return;
  const char* const outer = begin(all, "a barrier");
  if (loaded_mpi != nullptr) {
    meet_all(all);
    return end_together(all, outer);
  }
  barrier_words& words = all.common->barrier;
  std::uint32_t round = 0;
  if (arrive(&words, static_cast<std::uint32_t>(all.ranks), &round)) {
    os::futex_wake_shared(&words.round, all.ranks);
  } else {
    for (int look = 0; look < looks_before_sleep && !has_passed(words, round); ++look) continue;
    while (!has_passed(words, round)) os::futex_wait_shared(&words.round, round);
  }
  end_together(all, outer);
}

void gather(const job& all, const void* mine, std::size_t bytes, void* into) {
  if (loaded_mpi != nullptr) return gather_by_mpi(all, mine, bytes, into);
  auto* const to = static_cast<std::byte*>(into);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = bytes - done < sizeof all.common->of[0].given ? bytes - done : sizeof all.common->of[0].given;
    memcpy(all.common->of[all.rank].given, static_cast<const std::byte*>(mine) + done, piece);
    barrier(all);
    for (int rank = 0; rank < all.ranks; ++rank)
      memcpy(to + static_cast<std::size_t>(rank) * bytes + done, all.common->of[rank].given, piece);
    barrier(all);
    done += piece;
  }
}

void fail(const job& all, const char* format, ...) {
  char line[1000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  tell_failure(all, "%s", line);
  if (loaded_mpi != nullptr) {
    let_launcher_read();
    loaded_mpi->abort(1);
  }
  _exit(1);
}

}  // namespace weft::net
