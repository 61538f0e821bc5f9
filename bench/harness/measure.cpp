#include "harness/measure.hpp"

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

// A wrong answer stays: it is the one to be shown.
void record(measurement& into, const kernel_run& run, const stopwatch& watch) {
  if (into.seconds.empty() || into.is_correct) {
    into.answer = run.answer;
    into.is_correct = run.answer == into.expected;
  }
  if (into.seconds.empty()) into.metrics = run.metrics;
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

}  // namespace

measurement measure(const order& order) {
  measurement result = prepare(order);
  bool const is_expectation_given = order.expected.has_value() && result.note.empty();
  // Before the first run: the reference of the hash kernel brings the files into the page cache.
  result.expected = is_expectation_given ? *order.expected : order.what->expected(result.input);
  for (unsigned repetition = 0; repetition < order.repetitions; ++repetition) {
    started const runtime(*order.with, order.workers);
    result.input.workers = runtime.workers();
    stopwatch watch;
    kernel_run const run = order.body(result.input, watch);
    record(result, run, watch);
  }
  result.peak_resident_bytes = read_process_memory().peak_resident_bytes;
  return result;
}

}  // namespace bench
