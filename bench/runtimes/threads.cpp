// The threads interface's implementations, each with the caller adopted as a thread and with the
// caller left outside.
#include "runtimes/threads.hpp"

#include <array>
#include <set>
#include <vector>

namespace bench {

namespace {

using threads::recipe;

// A fork recurses on the stack of the thread that runs it.
constexpr std::size_t deep = std::size_t{1} << 20;

constexpr recipe fifo{"fifo", false, true};
constexpr recipe fifo_outside{"fifo", true, true};
// Chapel's layer of 2011 is today's pool without its limit: a parent that waited ran its children.
constexpr recipe fifo_2011{"pool", false, true};
constexpr recipe fifo_2011_outside{"pool", true, true};
constexpr recipe pool{"pool"};
constexpr recipe pool_outside{"pool", true};
constexpr recipe weft{"weft"};
constexpr recipe weft_outside{"weft", true};
constexpr recipe weft_anonymous{"weft", false, false, deep};
constexpr recipe weft_anonymous_outside{"weft", true, false, deep};
constexpr recipe argobots{"argobots"};
constexpr recipe argobots_outside{"argobots", true};
constexpr recipe qthreads{"qthreads"};
constexpr recipe qthreads_outside{"qthreads", true};

struct choice {
  std::string_view implementation;
  runtime with;
};

template <const recipe& Of, threads::identity Identity = threads::identity::own>
constexpr choice choice_of(std::string_view name, std::string_view title) {
  return {Of.implementation, threads::runtime_for<Of, Identity>(name, title)};
}

constexpr std::array choices = {
    choice_of<fifo>("threads-fifo", "OS threads, a task each"),
    choice_of<fifo_outside>("threads-fifo-outside", "OS threads, a task each; caller outside"),
    choice_of<fifo_2011>("threads-fifo-2011", "OS threads, waiting parents run their children"),
    choice_of<fifo_2011_outside>("threads-fifo-2011-outside", "OS threads, waiting parents run their children; caller outside"),
    choice_of<pool>("threads-pool", "an OS thread a worker, waiting parents run their children"),
    choice_of<pool_outside>("threads-pool-outside", "an OS thread a worker, waiting parents run their children; caller outside"),
    choice_of<weft>("threads-weft", "Weft threads"),
    choice_of<weft_outside>("threads-weft-outside", "Weft threads; caller outside"),
    choice_of<weft_anonymous, threads::identity::any>("threads-weft-anonymous", "Weft forks"),
    choice_of<weft_anonymous_outside, threads::identity::any>("threads-weft-anonymous-outside", "Weft forks; caller outside"),
    choice_of<argobots>("threads-argobots", "Argobots ULTs"),
    choice_of<argobots_outside>("threads-argobots-outside", "Argobots ULTs; caller outside"),
    choice_of<qthreads>("threads-qthreads", "Qthreads"),
    choice_of<qthreads_outside>("threads-qthreads-outside", "Qthreads; caller outside"),
};

std::set<std::string_view> find_installed() {
  std::set<std::string_view> names;
  threads_walk(
      [](void* state, const char* name, bool installed) {
        if (installed) static_cast<std::set<std::string_view>*>(state)->insert(name);
      },
      &names);
  return names;
}

std::vector<runtime> find_runtimes() {
  std::set<std::string_view> const installed = find_installed();
  std::vector<runtime> found;
  for (const choice& each : choices) {
    if (installed.contains(each.implementation)) found.push_back(each.with);
  }
  return found;
}

}  // namespace

std::span<const runtime> all_runtimes() {
  static std::vector<runtime> const there = find_runtimes();
  return there;
}

}  // namespace bench
