// Loops whose tasks take their next indexes from one word.
#include <cstdint>
#include <cstdlib>
#include <new>

#include <weft/weft.h>

#include "base/atomic.hpp"
#include "loop.hpp"

namespace base = weft::base;
using namespace weft::qthreads;

struct qqloop_handle_s {
  qt_loop_f function;
  void* argument;
  std::size_t start, stop, step;
  std::size_t workers;
  std::size_t chunk;
  qt_loop_queue_type kind;
  base::atomic<std::size_t> next;
  qt_sinc_t runners;  // and the one that makes or runs the loop
};

namespace {

constexpr std::uint64_t short_time_ns = 750;

// What a task of a TIMED loop knows of its last indexes.
struct pace {
  std::size_t count;
  std::uint64_t took_ns;
};

struct range {
  std::size_t begin, end;
};

std::size_t left_at(const qqloop_handle_s* loop, std::size_t index) { return length_of(index, loop->stop); }

// Rows of as many equal pieces as there are workers, each of half of what the earlier ones left.
std::size_t factored(const qqloop_handle_s* loop, std::size_t index) {
  std::size_t row = loop->start;
  for (;;) {
    const std::size_t piece = std::max<std::size_t>(1, left_at(loop, row) / 2 / loop->workers);
    if (index - row < piece * loop->workers) return piece;
    row += piece * loop->workers;
  }
}

std::size_t timed(const qqloop_handle_s* loop, std::size_t index, const pace& last) {
  if (last.count != 0 && last.took_ns < short_time_ns) return last.count;
  return left_at(loop, index) / 2 / loop->workers + 1;
}

std::size_t wanted_at(const qqloop_handle_s* loop, std::size_t index, const pace& last) {
  switch (loop->kind) {
    case CHUNK: return loop->chunk;
    case GUIDED: return left_at(loop, index) / loop->workers;
    case FACTORED: return factored(loop, index);
    case TIMED: return timed(loop, index, last);
  }
  return 1;
}

// A multiple of the step, or all.
std::size_t count_at(const qqloop_handle_s* loop, std::size_t index, const pace& last) {
  const std::size_t left = left_at(loop, index), wanted = wanted_at(loop, index, last);
  if (wanted >= left) return left;
  const std::size_t missing = wanted % loop->step == 0 && wanted != 0 ? 0 : loop->step - wanted % loop->step;
  return missing >= left - wanted ? left : wanted + missing;
}

bool is_used_up(const qqloop_handle_s* loop) { return loop->next.load(base::relaxed) >= loop->stop; }

bool take(qqloop_handle_s* loop, const pace& last, range* out) {
  std::size_t begin = loop->next.load(base::relaxed), end;
  do {
    if (begin >= loop->stop) return false;
    end = begin + count_at(loop, begin, last);
  } while (!loop->next.compare_exchange_weak(begin, end, base::relaxed, base::relaxed));
  *out = {begin, end};
  return true;
}

bool is_shepherd_disabled() { return qthread_shep_ok() == 0; }

void run_here(qqloop_handle_s* loop) {
  pace last{0, 0};
  for (range mine; take(loop, last, &mine);) {
    const std::uint64_t before_ns = loop->kind == TIMED ? weft_now_ns() : 0;
    loop->function(mine.begin, mine.end, loop->argument);
    if (loop->kind == TIMED) last = {mine.end - mine.begin, weft_now_ns() - before_ns};
    if (is_shepherd_disabled()) return;
  }
}

aligned_t run_task(void* argument) {
  auto* const loop = static_cast<qqloop_handle_s*>(argument);
  run_here(loop);
  qt_sinc_submit(&loop->runners, nullptr);
  return 0;
}

void add_runner(qqloop_handle_s* loop, std::size_t shepherd) {
  qt_sinc_expect(&loop->runners, 1);
  if (!start_task(run_task, loop, 0, shepherd)) qt_sinc_submit(&loop->runners, nullptr);
}

void wait_for_runners(qqloop_handle_s* loop) {
  qt_sinc_submit(&loop->runners, nullptr);
  qt_sinc_wait(&loop->runners, nullptr);
}

// Indexes are left when all runners' shepherds were disabled, or when there was no runner at all.
void finish(qqloop_handle_s* loop) {
  wait_for_runners(loop);
  while (!is_used_up(loop)) {
    qt_sinc_reset(&loop->runners, 1);
    if (!start_task(run_task, loop, 0, anywhere)) {
      run_here(loop);
      qt_sinc_submit(&loop->runners, nullptr);
    }
    qt_sinc_wait(&loop->runners, nullptr);
  }
  std::free(loop);
}

bool is_kind(qt_loop_queue_type type) { return type == CHUNK || type == GUIDED || type == FACTORED || type == TIMED; }
bool is_shepherd(qthread_shepherd_id_t number) { return number < qthread_readstate(TOTAL_SHEPHERDS); }

}  // namespace

extern "C" {

qqloop_handle_t* qt_loop_queue_create(qt_loop_queue_type type, size_t start, size_t stop, size_t incr, qt_loop_f func,
                                      void* argptr) {
  if (func == nullptr || !is_kind(type)) return nullptr;
  void* const memory = std::malloc(sizeof(qqloop_handle_s));
  if (memory == nullptr) return nullptr;
  const std::size_t workers = std::max<std::size_t>(1, qthread_num_workers());
  const std::size_t chunk = std::max<std::size_t>(1, length_of(start, stop) / workers / 10);
  auto* const made =
      new (memory) qqloop_handle_s{func, argptr, start, stop, std::max<std::size_t>(1, incr), workers, chunk, type, {start}, {}};
  qt_sinc_init(&made->runners, 0, nullptr, nullptr, 1);
  return made;
}

void qt_loop_queue_setchunk(qqloop_handle_t* l, size_t chunk) {
  if (l != nullptr) l->chunk = std::max<std::size_t>(1, chunk);
}

void qt_loop_queue_run(qqloop_handle_t* loop) {
  if (loop == nullptr) return;
  for (std::size_t i = 0; i < loop->workers && !is_used_up(loop); ++i) add_runner(loop, i);
  finish(loop);
}

void qt_loop_queue_run_there(qqloop_handle_t* loop, qthread_shepherd_id_t shep) {
  if (loop == nullptr || !is_shepherd(shep)) return;
  add_runner(loop, shep);
  finish(loop);
}

void qt_loop_queue_addworker(qqloop_handle_t* loop, qthread_shepherd_id_t shep) {
  if (loop != nullptr && is_shepherd(shep) && !is_used_up(loop)) add_runner(loop, shep);
}
}
