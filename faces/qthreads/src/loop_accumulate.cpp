// qt_loopaccum_balance: each part has a place for its result, the first one the caller's.
#include <cstdlib>

#include "loop.hpp"

namespace weft::qthreads {

namespace {

constexpr std::size_t line_bytes = 64;

struct accumulating {
  const accumulation* how;
  parts range;
  unsigned char* results;  // of all parts but the first
  std::size_t stride;

  void* result_of(std::size_t number) const { return number == 0 ? how->out : results + (number - 1) * stride; }
};

void do_part(void* work, std::size_t number) {
  const auto* const all = static_cast<const accumulating*>(work);
  all->how->function(all->range.begin(number), all->range.end(number), all->how->argument, all->result_of(number));
}

}  // namespace

void accumulate(const accumulation& how, const parts& wanted) {
  accumulating all{&how, wanted, nullptr, (how.result_bytes + line_bytes - 1) / line_bytes * line_bytes};
  if (wanted.count > 1 && all.stride != 0) {
    all.results = static_cast<unsigned char*>(std::aligned_alloc(line_bytes, all.stride * (wanted.count - 1)));
    if (all.results == nullptr) all.range.count = 1;
  }
  crew doers{do_part, &all, all.range.count, how.is_placed, 0, reinterpret_cast<const void*>(how.function), {}};
  run_crew(&doers);
  for (std::size_t i = 1; i < all.range.count; ++i) how.combine(how.out, all.result_of(i));
  std::free(all.results);
}

namespace {

void accumulate_balanced(std::size_t start, std::size_t stop, std::size_t size, void* out, qt_loopr_f function, void* argument,
                         qt_accum_f combine) {
  accumulate({function, argument, combine, size, out, true}, part_a_worker(start, stop));
}

}  // namespace
}  // namespace weft::qthreads

using namespace weft::qthreads;

extern "C" {

void qt_loopaccum_balance(size_t start, size_t stop, size_t size, void* out, qt_loopr_f func, void* argptr, qt_accum_f acc) {
  accumulate_balanced(start, stop, size, out, func, argptr, acc);
}
void qt_loopaccum_balance_sv(size_t start, size_t stop, size_t size, void* out, qt_loopr_f func, void* argptr, qt_accum_f acc) {
  accumulate_balanced(start, stop, size, out, func, argptr, acc);
}
void qt_loopaccum_balance_dc(size_t start, size_t stop, size_t size, void* out, qt_loopr_f func, void* argptr, qt_accum_f acc) {
  accumulate_balanced(start, stop, size, out, func, argptr, acc);
}
void qt_loopaccum_balance_sinc(size_t start, size_t stop, size_t size, void* out, qt_loopr_f func, void* argptr, qt_accum_f acc) {
  accumulate_balanced(start, stop, size, out, func, argptr, acc);
}
}
