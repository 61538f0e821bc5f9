// std::async: an OS thread for every call. The system refuses them at some number; here that number
// is one at which others still live well beside this program, and std::async throws what it throws
// when the system refuses.
#include <atomic>
#include <future>
#include <system_error>

#include "fib_futures.hpp"
#include "runtimes/os_thread_limit.hpp"

namespace {

long most_threads = 0;
std::atomic<long> living = 0;

struct way {
  template <class Function>
  static auto async(Function function, std::uint64_t n) {
    if (living.fetch_add(1, std::memory_order_relaxed) >= most_threads) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                              "more than " + std::to_string(most_threads) + " OS threads at once");
    }
    return std::async(std::launch::async, [function, n] {
      const std::uint64_t result = function(n);
      living.fetch_sub(1, std::memory_order_relaxed);
      return result;
    });
  }
  static void start() { most_threads = bench::find_most_os_threads(); }
  static std::string version() { return "the C++ library's"; }
  static std::string settings() { return "std::launch::async"; }
};

}  // namespace

int main(int count, char** words) { return bench::futures::run<way>(count, words); }
