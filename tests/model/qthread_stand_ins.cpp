// What a model over files of the Qthreads face does not include itself, beyond face_stand_ins.cpp:
// calls of Weft and of the face's other files, in the fewest words that keep the promise. All of it
// is weak: a model that includes the real file, or defines something of its own, replaces it. The
// linker leaves out functions that no model reaches, and what they call.
#include <qthread/qthread.h>
#include <weft/ext.h>

#include "children.hpp"
#include "feb.hpp"
#include "key.hpp"
#include "qthread_world.hpp"
#include "runtime.hpp"
#include "task.hpp"

#define STAND_IN [[gnu::weak]]

using explorer::check;
using qthread_world::running;
using qthread_world::the_waits;

// ---- weft.h -------------------------------------------------------------------------------------

extern "C" {

STAND_IN weft_thread* weft_self() { return running() != nullptr ? running()->handle() : nullptr; }
STAND_IN int weft_worker_self() { return running() != nullptr ? running()->worker : -1; }

STAND_IN weft_status weft_word_wait(const void* word, std::size_t size, std::uint64_t expected, std::uint64_t) {
  check(size == sizeof expected, "words of the face have 64 bits");
  the_waits.lock();
  const auto* const seen = static_cast<const weft::base::atomic<std::uint64_t>*>(word);
  if (seen->load(weft::base::relaxed) != expected) {
    the_waits.unlock();
    return WEFT_AGAIN;
  }
  check(the_waits.count < qthread_world::most_waits, "raise most_waits in qthread_world.hpp");
  qthread_world::wait_at_word& mine = the_waits.all[the_waits.count++];
  mine.word = word;
  the_waits.unlock();
  while (!mine.is_over.load(weft::base::relaxed)) weft::arch::pause();
  return WEFT_OK;
}
STAND_IN std::size_t weft_word_wake(const void* word, std::size_t count) {
  std::size_t woken = 0;
  the_waits.lock();
  for (int index = 0; index < the_waits.count && woken < count; ++index) {
    qthread_world::wait_at_word& each = the_waits.all[index];
    if (each.word != word) continue;
    each.word = nullptr;
    each.is_over.store(true, weft::base::relaxed);
    ++woken;
  }
  the_waits.unlock();
  return woken;
}

// ---- the face's public functions ----------------------------------------------------------------

STAND_IN std::size_t qthread_readstate(const enum introspective_state) { return 2; }
STAND_IN int qthread_readFE(aligned_t*, const aligned_t*) { explorer::fail("assertion", "the model has no full/empty words"); }
STAND_IN int qthread_readFE_nb(aligned_t*, const aligned_t*) { explorer::fail("assertion", "the model has no full/empty words"); }
STAND_IN int qthread_fill(const aligned_t*) { explorer::fail("assertion", "the model has no full/empty words"); }

}  // extern "C"

// ---- the face's other files ---------------------------------------------------------------------

namespace weft::qthreads {

STAND_IN std::ptrdiff_t distance_to_task = 0;
STAND_IN constinit thread_local task* acting_task = nullptr;
STAND_IN constinit atomic<runtime*> the_runtime{nullptr};

STAND_IN bool is_simple_task() { return false; }
STAND_IN void report(const char*, ...) {}
STAND_IN void run_child_of(const void*) {}
STAND_IN bool has_keys() { return false; }
STAND_IN void run_bottom(void*) { explorer::fail("assertion", "the model runs no unit"); }
STAND_IN void free_tasklocal(task*) {}

}  // namespace weft::qthreads
