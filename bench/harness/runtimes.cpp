#include "harness/runtimes.hpp"

#include <weft/weft.h>

#include <algorithm>
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

unsigned start_weft(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  check(weft_init(&config), "weft_init");
  return weft_worker_count();
}
void stop_weft() { must(weft_finalize(), "weft_finalize"); }

constexpr runtime runtimes[] = {
    {"sequential", "plain calls, no threads", false, start_nothing, stop_nothing},
    {"ult", "Weft threads", true, start_weft, stop_weft},
};

}  // namespace

std::span<const runtime> all_runtimes() { return runtimes; }

const runtime* find_runtime(std::string_view name) {
  auto const found = std::ranges::find(runtimes, name, &runtime::name);
  return found == std::ranges::end(runtimes) ? nullptr : &*found;
}

}  // namespace bench
