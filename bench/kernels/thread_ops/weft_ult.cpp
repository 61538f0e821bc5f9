#include "harness/must.hpp"
#include "kernels/thread_ops/children.hpp"

namespace bench::thread_ops {

namespace {

class ult {
 public:
  template <class Record>
  void start_record(Record* record) {
    thread_ = create([](void* argument) { static_cast<Record*>(argument)->run(); }, record);
  }
  void join() { bench::join(thread_); }

 private:
  weft_thread* thread_ = nullptr;
};

struct threads {
  using thread = ult;
  static void yield() { weft_yield(); }
};

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) { return run_by<threads, no_yields>(input, watch); }
kernel_run run_ult_yields(const kernel_input& input, stopwatch& watch) { return run_by<threads, yields>(input, watch); }

}  // namespace bench::thread_ops
