#include "harness/runtimes.hpp"

#include <weft/weft.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "harness/must.hpp"

namespace bench {

namespace {

void check(weft_status status, const char* call) {
  if (status != WEFT_OK) throw std::runtime_error(std::string(call) + ": " + weft_status_text(status));
}

unsigned start_nothing(unsigned) { return 1; }
void stop_nothing() {}

// stack_bytes 0: what the environment says.
unsigned start_weft(unsigned workers, std::size_t stack_bytes) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  config.stack_bytes = stack_bytes;
  check(weft_init(&config), "weft_init");
  return weft_worker_count();
}
unsigned start_for_threads(unsigned workers) { return start_weft(workers, 0); }

// A fork recurses on the stack of whoever runs it, as a call does, however deep: not only the main thread's has to suffice.
unsigned start_for_forks(unsigned workers) {
  constexpr std::size_t deep = std::size_t{1} << 20;
  return start_weft(workers, std::getenv("WEFT_STACK_SIZE") == nullptr ? deep : 0);
}
void stop_weft() { must(weft_finalize(), "weft_finalize"); }

constexpr runtime runtimes[] = {
    {"sequential", "plain calls, no threads", false, start_nothing, stop_nothing},
    {"ult", "Weft threads", true, start_for_threads, stop_weft},
    {"fork", "Weft forks", true, start_for_forks, stop_weft},
};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

const runtime* find_runtime(std::string_view name) {
  auto const found = std::ranges::find(runtimes, name, &runtime::name);
  return found == std::ranges::end(runtimes) ? nullptr : &*found;
}

}  // namespace bench
