// The os layer under its own fault seam.
#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <string>

#include "../support/child.hpp"
#include "fault_test.hpp"
#include "os/clock.hpp"
#include "os/cpus.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "os/topology_sources.hpp"
#include "os/vm.hpp"

using namespace weft;
using fault_test::each_failure;
using fault_test::injecting;
using os::call;

namespace {

const std::size_t page = os::page_bytes();

void fail_for_ever(os::fault::plan* plan, call which) {
  plan->which = which;
  plan->nth = 1;
  plan->how = os::fault::repeat::for_ever;
  os::fault::installed.store(plan, base::relaxed);
}

}  // namespace

TEST_CASE("a plan fails the chosen occurrence, and counts all calls") {
  os::fault::plan plan;
  plan.which = call::mmap;
  plan.nth = 2;
  os::fault::installed.store(&plan, base::relaxed);
  void* first = os::reserve(page, page);
  void* second = os::reserve(page, page);
  void* third = os::reserve(page, page);
  os::fault::installed.store(nullptr, base::relaxed);
  CHECK(first != nullptr);
  CHECK(second == nullptr);
  CHECK(third != nullptr);
  CHECK(plan.seen[static_cast<unsigned>(call::mmap)].load(base::relaxed) == 3);
  CHECK(plan.seen[static_cast<unsigned>(call::futex_wake)].load(base::relaxed) == 0);
  os::release(first, page);
  os::release(third, page);
}

TEST_CASE("memory and guards") {
  each_failure({call::mmap, call::madvise, call::mprotect}, [] {
    const os::guard_kind kind = os::best_guard_kind();
    auto* base = static_cast<char*>(os::reserve(4 * page, 4 * page));
    if (!injecting()) REQUIRE(base != nullptr);
    if (base == nullptr) return;
    for (os::guard_kind each : {kind, os::guard_kind::mprotect_page}) {
      const status installed = os::install_guard(base, page, each);
      CHECK((installed == status::ok || installed == status::nomem));
      CHECK((installed == status::ok || injecting()));
      CHECK((os::remove_guard(base, page, each) == status::ok || injecting()));
    }
    base[3 * page] = 1;
    const status discarded = os::discard(base, 4 * page);
    CHECK((discarded == status::ok || injecting()));
    os::no_huge_pages(base, 4 * page);
    os::release(base, 4 * page);
  });
}

TEST_CASE("an OS thread that cannot be had is a status; a wait that is disturbed is repeated") {
  each_failure({call::thread_start, call::futex_wake, call::futex_wait}, [] {
    base::atomic<std::uint32_t> word{0};
    const auto wait = [](void* argument) -> void* {
      auto* on = static_cast<base::atomic<std::uint32_t>*>(argument);
      while (on->load(base::relaxed) == 0) os::futex_wait(on, 0);
      return nullptr;
    };
    const os::fault::plan* plan = os::fault::installed.load(base::relaxed);
    if (plan != nullptr && plan->which == call::futex_wake && plan->how == os::fault::repeat::for_ever) return;
    os::os_thread thread;
    const status started = os::start_thread(&thread, wait, &word, 0, "weft-test");
    CHECK((started == status::ok || (injecting() && started == status::again)));
    if (started != status::ok) return;
    os::sleep_until(os::now_ns() + 100'000);
    word.store(1, base::relaxed);
    os::futex_wake(&word, 1);
    os::join_thread(thread);
  });
}

TEST_CASE("a wake-up that fails for ever ends the program and says so") {
  const auto end = test::run_in_child([] {
    os::fault::plan plan;
    fail_for_ever(&plan, call::futex_wake);
    base::atomic<std::uint32_t> word{0};
    os::futex_wake(&word, 1);
    return 0;
  });
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: fatal: futex wake failed"));
}

TEST_CASE("no membarrier is a no; one that breaks after its registration ends the program") {
  each_failure({call::membarrier}, [] {
    if (!os::register_asymmetric_fence()) return;
    const os::fault::plan* plan = os::fault::installed.load(base::relaxed);
    if (plan == nullptr || plan->how == os::fault::repeat::once) os::heavy_fence();
  });
  const auto end = test::run_in_child([] {
    os::fault::plan plan;
    fail_for_ever(&plan, call::membarrier);
    os::heavy_fence();
    return 0;
  });
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: fatal: membarrier failed"));
}

TEST_CASE("without any readable file there still is a machine, and a number of workers") {
  auto machine = std::make_unique<os::topology>();
  each_failure({call::open}, [&] {
    CHECK(os::default_worker_count() >= 1);
    (void)os::read_sysfs(machine.get(), "/sys/devices/system");
    REQUIRE(os::read_topology(machine.get(), nullptr) == status::ok);
    CHECK(machine->cpu_count >= 1);
  });
}
