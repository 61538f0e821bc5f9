// The os layer under its own fault seam.
#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "../support/child.hpp"
#include "fault_test.hpp"
#include "os/child.hpp"
#include "os/clock.hpp"
#include "os/cpus.hpp"
#include "os/fence.hpp"
#include "os/file.hpp"
#include "os/futex.hpp"
#include "os/peek.hpp"
#include "os/process.hpp"
#include "os/shared_memory.hpp"
#include "os/signal.hpp"
#include "os/tasks.hpp"
#include "os/thread.hpp"
#include "os/topology_sources.hpp"
#include "os/uring.hpp"
#include "os/vm.hpp"
#include "trace/output.hpp"

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

template <class Body>
void fail_once(call which, Body body) {
  os::fault::plan plan;
  plan.which = which;
  plan.nth = 1;
  os::fault::installed.store(&plan, base::relaxed);
  body();
  os::fault::installed.store(nullptr, base::relaxed);
  CHECK(plan.failed.load(base::relaxed) == 1);
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
    const status started = os::start_thread(&thread, wait, &word, 0);
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

TEST_CASE("between processes, too, a broken membarrier ends the program") {
  each_failure({call::membarrier}, [] {
    if (!os::register_fence_between_processes()) return;
    const os::fault::plan* plan = os::fault::installed.load(base::relaxed);
    if (plan == nullptr || plan->how == os::fault::repeat::once) os::heavy_fence_between_processes();
  });
  const test::child_end end = test::run_in_child([] {
    os::fault::plan plan;
    fail_for_ever(&plan, call::membarrier);
    os::heavy_fence_between_processes();
    return 0;
  });
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("weft: fatal: membarrier failed"));
}

TEST_CASE("shared memory is refused with an error, and leaves nothing") {
  each_failure({call::memory_file, call::write, call::mmap, call::lock_memory}, [] {
    const int file = os::make_memory_file("weft-test", 2 * page);
    if (!injecting()) REQUIRE(file >= 0);
    if (file < 0) return;
    void* const held = os::hold_addresses(nullptr, page);
    void* const mapped = held != nullptr ? os::map_memory_file(held, page, file, page) : nullptr;
    if (!injecting()) REQUIRE(mapped == held);
    if (mapped != nullptr && os::lock_memory(mapped, page) == status::ok) *static_cast<char*>(mapped) = 1;
    if (held != nullptr) os::unmap_addresses(held, page);
    os::close_memory_file(file);
  });
}

namespace {

long locked_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmLck:")) return std::strtol(line.c_str() + 6, nullptr, 10);
  }
  return -1;
}

}  // namespace

// Or else a mapping under mlockall(MCL_FUTURE) would be filled as soon as it may be touched.
TEST_CASE("what cannot be locked as it is touched is not locked at all") {
  const auto end = test::run_in_child([] {
    if (mlockall(MCL_FUTURE) != 0) return 0;  // this user may not
    os::fault::plan plan;
    plan.which = call::lock_memory;
    plan.nth = 1;
    plan.how = os::fault::repeat::for_ever;
    os::fault::installed.store(&plan, base::relaxed);
    constexpr std::size_t bytes = std::size_t{16} << 20;
    const long before = locked_kib();
    void* const base = os::reserve_unfilled(bytes);
    if (base == nullptr) return 1;
    if (locked_kib() - before >= long{bytes / 1024}) return 2;
    os::release(base, bytes);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("a child that cannot be forked, or would outlive its parent") {
  each_failure({call::fork, call::parent_death, call::open}, [] {
    const int parent = getpid();
    const int process = os::fork_child();
    if (process == 0) _exit(os::die_with_parent(parent) ? (os::close_standard_input() ? 0 : 3) : 2);
    if (process < 0) {
      CHECK(injecting());
      return;
    }
    os::child_end end;
    while (!os::take_ended_child(&end)) os::yield_cpu();
    CHECK(end.process == process);
    CHECK((end.exit_status == 0 || injecting()));
  });
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

TEST_CASE("every call has a name of its own") {
  for (unsigned i = 0; i < os::call_count; ++i) {
    const std::string name = os::fault::call_name(static_cast<os::call>(i));
    CHECK(!name.empty());
    for (unsigned k = 0; k < i; ++k) CHECK(name != os::fault::call_name(static_cast<os::call>(k)));
  }
}

TEST_CASE("a wait that is disturbed for ever ends at its deadline") {
  os::fault::plan plan;
  fail_for_ever(&plan, call::futex_wait);
  base::atomic<std::uint32_t> word{0};
  const std::uint64_t deadline = os::now_ns() + 1'000'000;
  while (os::futex_wait_until(&word, 0, deadline)) {
  }
  os::fault::installed.store(nullptr, base::relaxed);
  CHECK(os::now_ns() >= deadline);
}

TEST_CASE("a file that cannot be opened or read is no file, one that cannot be written says so") {
  each_failure({call::open, call::read, call::write, call::heap}, [] {
    char text[4096] = "";
    CHECK((os::read_text(text, sizeof text, "/proc/self/%s", "status") || injecting()));
    char* whole = os::read_whole("/proc/self/exe");
    CHECK((whole != nullptr || injecting()));
    std::free(whole);
    const int file = os::open_for_writing("/dev/null", false);
    if (file >= 0) {
      CHECK((os::write_all(file, "line\n", 5) || injecting()));
      close(file);
    } else {
      CHECK(injecting());
    }
    unsigned tasks = 0;
    const bool are_all = os::walk_tasks([](void* count, const os::task&) { ++*static_cast<unsigned*>(count); }, &tasks);
    CHECK((are_all ? tasks == 1 : injecting()));
  });
}

TEST_CASE("a file in whose place another cannot be put stays as it is") {
  char folder[] = "/tmp/weft-fault-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/file";
  const auto write_earlier = [&] { std::ofstream(path) << "earlier"; };
  const auto read = [&] {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  write_earlier();
  each_failure({call::open, call::read, call::write}, [&] {
    os::whole_file whole;
    const int file = whole.start(path.c_str());
    bool is_there = false;
    if (file >= 0) {
      const bool is_written = os::write_all(file, "later", 5);
      close(file);
      is_there = is_written && whole.finish();
      if (!is_written) whole.give_up();
    }
    CHECK((is_there || injecting()));
    const std::string text = read();
    CHECK((text == (is_there ? "later" : "earlier") || (!is_there && text.empty())));  // written in place
    CHECK(access((path + "." + std::to_string(getpid()) + ".part").c_str(), F_OK) != 0);
    write_earlier();
  });
  unlink(path.c_str());
  rmdir(folder);
}

TEST_CASE("a callback that nobody can keep is a lack of memory") {
  fail_once(call::callback, [] { CHECK(os::call_in_children([] {}) == status::nomem); });
  CHECK(os::call_in_children([] {}) == status::ok);
  fail_once(call::callback, [] { CHECK(os::call_before_forks([] {}) == status::nomem); });
  CHECK(os::call_before_forks([] {}) == status::ok);
}

TEST_CASE("a trace's file that cannot be emptied says why; a pipe has no beginning") {
  char path[] = "/tmp/weft-fault-XXXXXX";
  close(mkstemp(path));
  trace::output file;
  REQUIRE(file.start(path));
  file.begin_anew();
  CHECK(file.error() == 0);
  fail_once(call::write, [&] { file.begin_anew(); });
  CHECK(file.error() == ENOSPC);
  CHECK_FALSE((file << "text").flush());
  file.stop();
  unlink(path);
  trace::output nowhere;
  REQUIRE(nowhere.start("/dev/null"));
  nowhere.begin_anew();
  CHECK((nowhere << "text").flush());
  nowhere.stop();
}

TEST_CASE("what the system does not tell is unknown, and nothing worse") {
  each_failure({call::affinity, call::thread_stack, call::peek, call::io_uring}, [] {
    std::uint16_t cpus[os::max_cpus];
    CHECK(os::allowed_cpus(cpus, os::max_cpus) >= 1);
    void* low = &low;
    std::size_t bytes = 1;
    os::stack_bounds(&low, &bytes);
    CHECK((low == nullptr) == (bytes == 0));
    CHECK((low != nullptr || injecting()));
    const int here = 7;
    int copy = 0;
    CHECK((os::peek(&here, &copy, sizeof copy) ? copy == 7 : injecting()));
    static_cast<void>(os::can_use_io_uring());  // containers forbid it as well
  });
  os::fault::plan plan;
  fail_for_ever(&plan, call::io_uring);
  CHECK_FALSE(os::can_use_io_uring());
  os::fault::installed.store(nullptr, base::relaxed);
}

TEST_CASE("what is not known of an OS thread is not taken from it") {
  each_failure({call::affinity, call::timer}, [] {
    os::inheritance here;
    os::read_inheritance(&here);
    CHECK((here.knows_cpus || injecting()));
    CHECK((here.policy >= 0 || injecting()));
    CHECK((here.timer_slack_ns != 0 || injecting()));
    os::take_inheritance(here);
  });
  os::fault::plan plan;
  fail_for_ever(&plan, call::affinity);
  os::inheritance unknown;
  os::read_inheritance(&unknown);
  os::fault::installed.store(nullptr, base::relaxed);
  CHECK((!unknown.knows_cpus && unknown.policy < 0));
  os::inheritance before;
  os::read_inheritance(&before);
  os::take_inheritance(unknown);
  os::inheritance after;
  os::read_inheritance(&after);
  CHECK(after.policy == before.policy);
  CHECK(std::memcmp(&after.cpus, &before.cpus, sizeof after.cpus) == 0);
}

TEST_CASE("a kernel that cannot be asked about guard markers is taken for one without") {
  os::fault::plan plan;
  fail_for_ever(&plan, call::getrandom);
  CHECK(os::best_guard_kind() == os::guard_kind::mprotect_page);
  os::fault::installed.store(nullptr, base::relaxed);
}

// Address space is lost by it: not for each_failure.
TEST_CASE("memory that cannot be unmapped reads as zero, and costs address space alone") {
  os::fault::plan plan;
  auto* base = static_cast<char*>(os::reserve(2 * page, page));
  REQUIRE(base != nullptr);
  base[0] = 1;
  fail_for_ever(&plan, call::munmap);
  os::release(base, 2 * page);
  os::fault::installed.store(nullptr, base::relaxed);
  CHECK(base[0] == 0);
  os::release(base, 2 * page);
}

TEST_CASE("a signal's action or stack that cannot be set is a no, and changes nothing") {
  each_failure({call::sigaction, call::sigaltstack}, [] {
    struct sigaction before = {};
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    stack_t stack;
    CHECK((os::set_signal_stack(nullptr, &stack) || injecting()));
    if (os::set_signal_action(SIGWINCH, &ignore, &before)) {
      while (!os::set_signal_action(SIGWINCH, &before, nullptr)) {
        if (os::fault::installed.load(base::relaxed)->how == os::fault::repeat::for_ever) break;
      }
    } else {
      CHECK(injecting());
    }
  });
}
