// See second_init.hpp.
#include "life/second_init.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/assert.hpp"
#include "life/workers.hpp"
#include "os/cpus.hpp"
#include "os/env.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

// A C program may have put any number there, which as an enumerator must not even be read.
bool is_one_of(const char* name, const void* enumerator, int last) {
  int number = 0;
  std::memcpy(&number, enumerator, sizeof number);
  if (number >= 0 && number <= last) return true;
  base::report("%s %d of weft_config is none of weft_%s", name, number, name);
  const bool is_policy = std::strcmp(name, "wait_policy") == 0;
  static_cast<void>(because(status::invalid, "config",
                            is_policy ? "wait_policy %d is none of weft_wait_policy" : "locality %d is none of weft_locality",
                            static_cast<std::uint64_t>(number)));
  return false;
}

// What differs, separated by commas.
class difference {
 public:
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    if (used_ != 0) append(", ");
    va_list arguments;
    va_start(arguments, format);
    const int written = std::vsnprintf(text_ + used_, sizeof text_ - used_, format, arguments);
    va_end(arguments);
    if (written > 0) used_ += static_cast<std::size_t>(written);
    if (used_ >= sizeof text_) used_ = sizeof text_ - 1;
  }
  bool is_empty() const { return used_ == 0; }
  const char* text() const { return text_; }

 private:
  void append(const char* words) {
    const std::size_t length = std::strlen(words);
    if (used_ + length >= sizeof text_) return;
    std::memcpy(text_ + used_, words, length + 1);
    used_ += length;
  }

  char text_[512] = {};
  std::size_t used_ = 0;
};

}  // namespace

status check_config(const weft_config* config) {
  if (config == nullptr) return status::ok;
  if (config->size != sizeof(weft_config)) {
    base::report("weft_config has size %zu, this library knows %zu: set it with WEFT_CONFIG_INIT", config->size, sizeof *config);
    return because(status::invalid, "config", is_wrong_size, config->size);
  }
  if (!is_one_of("wait_policy", &config->wait_policy, WEFT_WAIT_ACTIVE)) return status::invalid;
  if (!is_one_of("locality", &config->locality, WEFT_LOCALITY_DOMAIN)) return status::invalid;
  return status::ok;
}

status read_environment(os::settings* out) {
  if (os::read_settings(out) == status::ok) return status::ok;
  return because(status::invalid, nullptr,
                 "a variable of the environment has a value that cannot be used, which a line on stderr names");
}

status refuse_workers(unsigned wanted) {
  base::report("%u workers asked for; at most %u are possible", wanted, most_workers);
  static_assert(most_workers == 1024);
  return because(status::invalid, nullptr, "%u workers were asked for; at most 1024 are possible", wanted);
}

status grow(runtime* rt, const weft_config* config) {
  os::settings environment;
  if (const status result = read_environment(&environment); result != status::ok) return result;
  unsigned wanted = config != nullptr && config->workers != 0 ? config->workers : environment.workers;
  if (wanted == 0) wanted = os::default_worker_count();
  if (wanted > most_workers) {
    return refuse_workers(wanted);
  }
  weft_locality locality = config != nullptr ? config->locality : WEFT_LOCALITY_STEAL;
  if (environment.is_given(os::variable::locality)) locality = environment.locality;
  if (locality == WEFT_LOCALITY_STEAL) rt->steals_by_now.store(true, base::relaxed);
  while (rt->worker_count.load(base::relaxed) < wanted) {
    unsigned added = 0;
    if (const status result = add_worker(&added); result != status::ok) return result;
  }
  return status::ok;
}

bool tell_ignored(runtime* rt, const weft_config* config) {
  if (config == nullptr) return false;
  const os::settings& now = rt->settings;
  const unsigned workers = rt->worker_count.load(base::relaxed);
  difference all;
  if (config->workers != 0 && config->workers != workers) all.add("workers %u (there are %u)", config->workers, workers);
  if (config->stack_bytes != 0 && config->stack_bytes != now.stack_bytes)
    all.add("stack_bytes %zu (they are %zu)", config->stack_bytes, now.stack_bytes);
  if (config->caller_outside && rt->has_adopted_caller) all.add("caller_outside");
  if (config->bind && !now.bind) all.add("bind");
  if (config->wait_policy != WEFT_WAIT_HYBRID && config->wait_policy != now.wait_policy) all.add("wait_policy");
  if (config->locality != WEFT_LOCALITY_STEAL && config->locality != now.locality) all.add("locality");
  if (config->topology != nullptr && (now.topology == nullptr || std::strcmp(config->topology, now.topology) != 0))
    all.add("topology");
  if (all.is_empty()) return false;
  base::report("weft_init: the runtime runs already, and ignores of this weft_config: %s; start it with these settings first",
               all.text());
  return true;
}

}  // namespace weft::sched
