#include "harness/measure.hpp"

#include <chrono>
#include <exception>

#include "harness/memory.hpp"

namespace bench {

namespace {

class started {
 public:
  started(const runtime& with, unsigned workers) : with_(with), workers_(with.start(workers)) {}
  ~started() { with_.stop(); }
  started(const started&) = delete;
  started& operator=(const started&) = delete;

  [[nodiscard]] unsigned workers() const { return workers_; }

 private:
  const runtime& with_;
  unsigned workers_;
};

// An exception must not pass through the runtime that calls the body.
struct errand {
  kernel_body body;
  const kernel_input& input;
  stopwatch watch;
  kernel_run outcome;
  std::exception_ptr thrown;

  static void run(void* argument) {
    auto* const self = static_cast<errand*>(argument);
    try {
      self->outcome = self->body(self->input, self->watch);
    } catch (...) {
      self->thrown = std::current_exception();
    }
  }
};

kernel_run run_once(const order& order, const kernel_input& input, stopwatch& watch) {
  errand errand{order.body, input, {}, {}, nullptr};
  if (order.with->enter == nullptr)
    errand::run(&errand);
  else
    order.with->enter(errand::run, &errand);
  if (errand.thrown != nullptr) std::rethrow_exception(errand.thrown);
  watch = errand.watch;
  return errand.outcome;
}

// A wrong answer stays: it is the one to be shown.
void check_answer(measurement& into, const kernel_run& run, bool is_first) {
  if (!is_first && !into.is_correct) return;
  into.answer = run.answer;
  into.is_correct = run.answer == into.expected;
}

void record(measurement& into, const kernel_run& run, const stopwatch& watch) {
  into.units = run.units;
  into.seconds.push_back(watch.seconds());
  into.cpu_seconds.push_back(watch.cpu_seconds());
}

measurement prepare(const order& order) {
  measurement result;
  result.input.size = order.size.value_or(order.what->default_size);
  result.input.directory = order.directory;
  if (order.what->fit != nullptr) {
    fitted_size const fitted = order.what->fit(result.input.size);
    result.input.size = fitted.size;
    result.note = fitted.note;
  }
  return result;
}

void repeat(const order& order, measurement& into, bool is_first) {
  started const runtime(*order.with, order.workers);
  into.input.workers = runtime.workers();
  into.settings = order.with->settings(runtime.workers());
  for (unsigned warm_up = 0; warm_up <= order.warm_ups; ++warm_up) {
    stopwatch watch;
    kernel_run const run = run_once(order, into.input, watch);
    bool const is_process_fresh = is_first && warm_up == 0;
    check_answer(into, run, is_process_fresh);
    if (is_process_fresh) into.metrics = run.metrics;
    if (warm_up == order.warm_ups) record(into, run, watch);
  }
}

void run_repetitions(const order& order, measurement& into) {
  using clock = std::chrono::steady_clock;
  clock::time_point const begin = clock::now();
  for (unsigned repetition = 0; repetition < order.repetitions; ++repetition) {
    std::chrono::duration<double> const taken = clock::now() - begin;
    if (repetition > 0 && order.enough_seconds > 0 && taken.count() >= order.enough_seconds) return;
    repeat(order, into, repetition == 0);
  }
}

}  // namespace

measurement measure(const order& order) {
  measurement result = prepare(order);
  bool const is_expectation_given = order.expected.has_value() && result.note.empty();
  // Before the first run: the reference of the hash kernel brings the files into the page cache.
  result.expected = is_expectation_given ? *order.expected : order.what->expected(result.input);
  result.version = order.with->version();
  run_repetitions(order, result);
  result.peak_resident_bytes = read_process_memory().peak_resident_bytes;
  return result;
}

}  // namespace bench
