// qarray_iter and the like: a task for each shepherd that has segments in the range.
#include <cstdlib>
#include <cstring>

#include <weft/weft.h>

#include "array.hpp"

using namespace weft;
using weft::qthreads::array;
using weft::qthreads::array_of;

namespace {

struct share;

// What a call of the program has asked for. Each share is counted down from `done`.
struct iteration {
  const array* a;
  std::size_t startat;
  std::size_t stopat;
  void* arg;
  void (*call)(share* mine, std::size_t from, std::size_t to);  // one range
  union {
    qthread_f each;
    qa_loop_f loop;
    qa_cloop_f constloop;
    qa_loopr_f accum;
  } function;
  qt_accum_f acc;
  weft_event done;

  std::size_t first_segment() const { return startat / a->segment_size; }
  std::size_t end_segment() const { return (stopat - 1) / a->segment_size + 1; }
};

// A shepherd's part of it.
struct share {
  iteration* of;
  qthread_shepherd_id_t shepherd;
  bool has_segments;
  bool has_result;
  void* result;  // of all calls so far
  void* latest;  // of one more call
};

bool is_valid(const qarray* a, std::size_t startat, std::size_t stopat, bool has_function) {
  return a != nullptr && has_function && startat < stopat && stopat <= a->count;
}

iteration make_iteration(const qarray* a, std::size_t startat, std::size_t stopat, void* arg,
                         void (*call)(share*, std::size_t, std::size_t)) {
  return {array_of(a), startat, stopat, arg, call, {nullptr}, nullptr, WEFT_EVENT_INIT};
}

// Neighbouring segments are one range if no gap lies between them.
void call_for_ranges(share* mine) {
  const iteration& all = *mine->of;
  const array& a = *all.a;
  const std::size_t end = all.end_segment();
  for (std::size_t i = a.next_of(mine->shepherd, all.first_segment(), end); i < end;) {
    const std::size_t from = i * a.segment_size;
    std::size_t next = a.next_of(mine->shepherd, i + 1, end);
    while (!a.has_gaps() && next == i + 1 && next < end) {
      i = next;
      next = a.next_of(mine->shepherd, i + 1, end);
    }
    const std::size_t to = (i + 1) * a.segment_size;
    all.call(mine, from < all.startat ? all.startat : from, to > all.stopat ? all.stopat : to);
    i = next;
  }
}

// When the last one has counted down, the shares may be gone.
aligned_t run_share(void* argument) {
  share* const mine = static_cast<share*>(argument);
  call_for_ranges(mine);
  weft_latch_count_down(&mine->of->done, 1);
  return 0;
}

// Returns: how many shepherds have segments.
std::uint32_t mark_shares(iteration* all, share* shares) {
  const array& a = *all->a;
  std::uint32_t marked = 0;
  for (std::size_t i = all->first_segment(); i < all->end_segment() && marked < a.shepherds; ++i) {
    share& one = shares[a.shepherd_of(i)];
    if (one.has_segments) continue;
    one.has_segments = true;
    one.of = all;
    one.shepherd = a.shepherd_of(i);
    ++marked;
  }
  return marked;
}

void run_shares(iteration* all, share* shares, std::uint32_t marked) {
  const qthread_shepherd_id_t shepherds = all->a->shepherds;
  all->done = WEFT_LATCH_INIT(marked);
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) {
    if (!shares[i].has_segments) continue;
    if (qthread_fork_to(run_share, &shares[i], nullptr, i) != QTHREAD_SUCCESS) run_share(&shares[i]);
  }
  while (weft_event_wait(&all->done) != WEFT_OK) qthread_yield();
}

void run(iteration* all) {
  share* const shares = static_cast<share*>(std::calloc(all->a->shepherds, sizeof(share)));
  if (shares != nullptr) {
    run_shares(all, shares, mark_shares(all, shares));
    std::free(shares);
    return;
  }
  for (qthread_shepherd_id_t i = 0; i < all->a->shepherds; ++i) {
    share mine{all, i, true, false, nullptr, nullptr};
    call_for_ranges(&mine);
  }
}

// ---- results ----

constexpr std::size_t results_apart = 64;  // bytes, a cache line

// Two of each share. Null: no memory.
char* give_results(share* shares, qthread_shepherd_id_t shepherds, std::uint32_t marked, std::size_t bytes) {
  if (bytes > SIZE_MAX / 4) return nullptr;
  const std::size_t apart = (bytes + results_apart - 1) & ~(results_apart - 1);
  char* const results = static_cast<char*>(std::calloc(marked, 2 * apart + results_apart));
  char* next = results;
  for (qthread_shepherd_id_t i = 0; results != nullptr && i < shepherds; ++i) {
    if (!shares[i].has_segments) continue;
    shares[i].result = next;
    shares[i].latest = next + apart;
    next += 2 * apart;
  }
  return results;
}

void add_results(const share* shares, qthread_shepherd_id_t shepherds, qt_accum_f acc, void* ret, std::size_t bytes) {
  bool is_first = true;
  for (qthread_shepherd_id_t i = 0; i < shepherds; ++i) {
    if (!shares[i].has_segments) continue;
    if (is_first) {
      std::memcpy(ret, shares[i].result, bytes);
    } else {
      acc(ret, shares[i].result);
    }
    is_first = false;
  }
}

void call_and_add(share* mine, std::size_t from, std::size_t to) {
  const iteration& all = *mine->of;
  qarray* const a = const_cast<array*>(all.a);
  if (mine->has_result) {
    all.function.accum(from, to, a, all.arg, mine->latest);
    all.acc(mine->result, mine->latest);
  } else {
    all.function.accum(from, to, a, all.arg, mine->result);
    mine->has_result = true;
  }
}

// ---- calls that do not wait ----

struct later {
  qarray* a;
  std::size_t startat;
  std::size_t stopat;
  qa_loop_f func;
  void* arg;
};

aligned_t run_later(void* argument) {
  const later& wanted = *static_cast<const later*>(argument);
  qarray_iter_loop(wanted.a, wanted.startat, wanted.stopat, wanted.func, wanted.arg);
  return 0;
}

}  // namespace

void qarray_iter(qarray* a, const size_t startat, const size_t stopat, qthread_f func) {
  if (!is_valid(a, startat, stopat, func != nullptr)) return;
  iteration all = make_iteration(a, startat, stopat, nullptr, [](share* mine, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) mine->of->function.each(qarray_elem_nomigrate(mine->of->a, i));
  });
  all.function.each = func;
  run(&all);
}

void qarray_iter_loop(qarray* a, const size_t startat, const size_t stopat, qa_loop_f func, void* arg) {
  if (!is_valid(a, startat, stopat, func != nullptr)) return;
  iteration all = make_iteration(a, startat, stopat, arg, [](share* mine, std::size_t from, std::size_t to) {
    mine->of->function.loop(from, to, const_cast<array*>(mine->of->a), mine->of->arg);
  });
  all.function.loop = func;
  run(&all);
}

void qarray_iter_constloop(const qarray* a, const size_t startat, const size_t stopat, qa_cloop_f func, void* arg) {
  if (!is_valid(a, startat, stopat, func != nullptr)) return;
  iteration all = make_iteration(a, startat, stopat, arg, [](share* mine, std::size_t from, std::size_t to) {
    mine->of->function.constloop(from, to, mine->of->a, mine->of->arg);
  });
  all.function.constloop = func;
  run(&all);
}

void qarray_iter_loop_nb(qarray* a, const size_t startat, const size_t stopat, qa_loop_f func, void* arg, aligned_t* ret) {
  later wanted{a, startat, stopat, func, arg};
  if (qthread_fork_copyargs(run_later, &wanted, sizeof(wanted), ret) == QTHREAD_SUCCESS) return;
  run_later(&wanted);
  if (ret != nullptr) static_cast<void>(qthread_writeF_const(ret, 0));
}

void qarray_iter_loopaccum(qarray* a, const size_t startat, const size_t stopat, qa_loopr_f func, void* arg, void* ret,
                           const size_t retsize, qt_accum_f acc) {
  if (!is_valid(a, startat, stopat, func != nullptr && acc != nullptr && ret != nullptr)) return;
  iteration all = make_iteration(a, startat, stopat, arg, call_and_add);
  all.function.accum = func;
  all.acc = acc;
  const qthread_shepherd_id_t shepherds = all.a->shepherds;
  share* const shares = static_cast<share*>(std::calloc(shepherds, sizeof(share)));
  if (shares == nullptr) return;
  const std::uint32_t marked = mark_shares(&all, shares);
  char* const results = give_results(shares, shepherds, marked, retsize);
  if (results != nullptr) {
    run_shares(&all, shares, marked);
    add_results(shares, shepherds, acc, ret, retsize);
  }
  std::free(results);
  std::free(shares);
}
