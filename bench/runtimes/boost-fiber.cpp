// Boost.Fiber: a fiber starts at once (launch::dispatch), which keeps few of them alive, but for
// the parts of a loop, which other workers must be able to take (launch::post); stacks of 32 KiB,
// pooled where one worker makes them all. Several workers steal from each other; that scheduler
// counts its OS threads once in the life of a process, so that they stay from the first start on.
#include <boost/fiber/all.hpp>
#include <boost/version.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/bounded_channel.hpp"
#include "harness/processors.hpp"
#include "kernels/children.hpp"

namespace bench {

namespace {

constexpr std::size_t stack_bytes = std::size_t{32} << 10;

unsigned worker_count = 0;
boost::fibers::pooled_fixedsize_stack pooled(stack_bytes);

class fiber {
 public:
  template <class Part>
  void start(const Part& part) {
    create(launch::dispatch, [its = &part] { (*its)(); });
  }
  template <class Record>
  void start_record(Record* record) {
    constexpr bool is_for_another_worker = requires { Record::is_for_another_worker; };
    create(is_for_another_worker ? launch::post : launch::dispatch, [record] { record->run(); });
  }
  void join() { fiber_.join(); }

 private:
  using launch = boost::fibers::launch;

  template <class Function>
  void create(launch how, Function function) {
    if (worker_count == 1)
      fiber_ = boost::fibers::fiber(how, std::allocator_arg, pooled, function);
    else
      fiber_ = boost::fibers::fiber(how, std::allocator_arg, boost::fibers::fixedsize_stack(stack_bytes), function);
  }
  boost::fibers::fiber fiber_;
};

class promised_gate {
 public:
  void wait() { opened_.wait(); }
  void open() { promise_.set_value(); }

 private:
  boost::fibers::promise<void> promise_;
  boost::fibers::shared_future<void> opened_ = promise_.get_future().share();
};

// Boost's channels leave one place empty.
class number_channel {
 public:
  void send(std::uint64_t number) { numbers_.push(number); }
  std::uint64_t receive() { return numbers_.value_pop(); }

 private:
  boost::fibers::buffered_channel<std::uint64_t> numbers_{channel_places + 1};
};

struct threads {
  using thread = fiber;
  using gate = promised_gate;
  using mutex = boost::fibers::mutex;
  using condition = boost::fibers::condition_variable;
  using channel = number_channel;
  static void yield() { boost::this_fiber::yield(); }
};

constexpr auto cells = cells_of_threads<threads>();

// The OS threads other than the first, from the first start to the end of the process.
class crew {
 public:
  explicit crew(unsigned workers) {
    for (unsigned other = 1; other < workers; ++other) threads_.emplace_back([this, workers] { work(workers); });
    if (workers > 1) boost::fibers::use_scheduling_algorithm<boost::fibers::algo::work_stealing>(workers);
  }
  ~crew() {
    {
      std::unique_lock<boost::fibers::mutex> const lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

 private:
  void work(unsigned workers) {
    boost::fibers::use_scheduling_algorithm<boost::fibers::algo::work_stealing>(workers);
    std::unique_lock<boost::fibers::mutex> lock(mutex_);
    over_.wait(lock, [this] { return is_over_; });
  }

  boost::fibers::mutex mutex_;
  boost::fibers::condition_variable over_;
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

unsigned start(unsigned workers) {
  unsigned const count = workers == 0 ? usable_processors() : workers;
  if (worker_count == 0) worker_count = count;
  boost::this_fiber::get_id();       // makes Boost's own record of this OS thread, which then
  thread_local crew working(count);  // lives longer than the crew, whose end needs it
  if (count != worker_count) throw std::runtime_error("Boost.Fiber cannot change the number of its workers");
  return count;
}
void stop() {}

std::string version() {
  return "Boost " + std::to_string(BOOST_VERSION / 100000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
}
std::string settings(unsigned workers) {
  return workers == 1 ? "dispatch, pooled stacks of 32 KiB" : "dispatch, work_stealing, stacks of 32 KiB";
}

constexpr runtime runtimes[] = {{"boost-fiber", "Boost fibers", child_kind::thread, start, stop, cells, version, settings}};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

}  // namespace bench
