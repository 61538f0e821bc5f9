// Argobots has no futures of C++; its eventuals are what they are made of: a ULT for every call,
// which sets one.
#include <abt.h>

#include <utility>

#include "fib_futures.hpp"

namespace {

void must(int code, const char* call) {
  if (code == ABT_SUCCESS) [[likely]]
    return;
  std::fprintf(stderr, "Argobots: %s returned %d\n", call, code);
  std::abort();
}

ABT_pool pool;

using function_of_n = std::uint64_t (*)(std::uint64_t n);

struct call {
  function_of_n function;
  std::uint64_t n;
  ABT_eventual result;
};

void run_call(void* argument) {
  auto* const self = static_cast<call*>(argument);
  std::uint64_t result = self->function(self->n);
  must(ABT_eventual_set(self->result, &result, sizeof result), "ABT_eventual_set");
}

class future {
 public:
  future(function_of_n function, std::uint64_t n) : call_(new call{function, n, ABT_EVENTUAL_NULL}) {
    must(ABT_eventual_create(sizeof(std::uint64_t), &call_->result), "ABT_eventual_create");
    must(ABT_thread_create(pool, run_call, call_, ABT_THREAD_ATTR_NULL, nullptr), "ABT_thread_create");
  }
  future(future&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  ~future() { delete call_; }

  std::uint64_t get() {
    void* value = nullptr;
    must(ABT_eventual_wait(call_->result, &value), "ABT_eventual_wait");
    const std::uint64_t result = *static_cast<std::uint64_t*>(value);
    must(ABT_eventual_free(&call_->result), "ABT_eventual_free");
    return result;
  }

 private:
  call* call_;
};

struct way {
  static future async(function_of_n function, std::uint64_t n) { return future(function, n); }
  static void start() {
    must(ABT_init(0, nullptr), "ABT_init");
    ABT_xstream self = ABT_XSTREAM_NULL;
    must(ABT_xstream_self(&self), "ABT_xstream_self");
    must(ABT_xstream_get_main_pools(self, 1, &pool), "ABT_xstream_get_main_pools");
  }
  static std::string version() { return "Argobots " ABT_VERSION; }
  static std::string settings() { return "ABT_thread_create and an eventual, one stream"; }
};

}  // namespace

int main(int count, char** words) { return bench::futures::run<way>(count, words); }
