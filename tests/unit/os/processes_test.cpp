// What processes share: memory, addresses, a futex, a fence; and a child's life.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "../../support/child.hpp"
#include "os/child.hpp"
#include "os/fence.hpp"
#include "os/futex.hpp"
#include "os/shared_memory.hpp"
#include "os/vm.hpp"

using namespace weft;

namespace {

const std::size_t page = os::page_bytes();

using word = base::atomic<std::uint32_t>;

// Two words that a process and its children share.
word* shared_words() {
  const int file = os::make_memory_file("weft-test", page);
  REQUIRE(file >= 0);
  void* const mapped = os::map_memory_file(nullptr, page, file, 0);
  os::close_memory_file(file);
  REQUIRE(mapped != nullptr);
  return static_cast<word*>(mapped);
}

}  // namespace

TEST_CASE("a memory file is seen at two addresses, and reads as zero") {
  const int file = os::make_memory_file("weft-test", 2 * page);
  REQUIRE(file >= 0);
  auto* const all = static_cast<char*>(os::map_memory_file(nullptr, 2 * page, file, 0));
  auto* const held = static_cast<char*>(os::hold_addresses(nullptr, page));
  REQUIRE(held != nullptr);
  CHECK(os::map_memory_file(held, page, file, page) == held);
  os::close_memory_file(file);
  CHECK(all[page] == 0);
  held[7] = 1;
  CHECK(all[page + 7] == 1);
  os::unmap_addresses(all, 2 * page);
  os::unmap_addresses(held, page);
}

TEST_CASE("addresses that are taken are refused, and can be held once they are free") {
  void* const held = os::hold_addresses(nullptr, page);
  REQUIRE(held != nullptr);
  CHECK(os::hold_addresses(held, page) == nullptr);
  CHECK(errno == EEXIST);
  os::unmap_addresses(held, page);
  CHECK(os::hold_addresses(held, page) == held);
  os::unmap_addresses(held, page);
}

TEST_CASE("a futex in shared memory wakes another process") {
  word* const words = shared_words();
  const test::running_child child = test::start_child([words] {
    words[1].store(1, base::relaxed);
    while (words[0].load(base::relaxed) == 0) os::futex_wait_shared(&words[0], 0);
    return 0;
  });
  while (words[1].load(base::relaxed) == 0) continue;
  words[0].store(1, base::relaxed);
  os::futex_wake_shared(&words[0], 1);
  CHECK(test::wait_for(child).exit_code == 0);
  os::unmap_addresses(words, page);
}

TEST_CASE("a process that has registered takes part in the fence of all") {
  if (!os::register_fence_between_processes()) return;  // this kernel cannot
  os::heavy_fence_between_processes();
}

TEST_CASE("a child's end is told once") {
  const int process = os::fork_child();
  if (process == 0) _exit(5);
  os::child_end end;
  while (!os::take_ended_child(&end)) continue;
  CHECK(end.process == process);
  CHECK((end.exit_status == 5 && end.signal == 0));
  CHECK_FALSE(os::take_ended_child(&end));
  const int other = os::fork_child();
  if (other == 0) {
    while (true) pause();
  }
  os::send_to_child(other, SIGKILL);
  while (!os::take_ended_child(&end)) continue;
  CHECK((end.process == other && end.signal == SIGKILL));
}

TEST_CASE("a child dies with its parent, and is told when the parent has died before") {
  word* const words = shared_words();
  const test::child_end end = test::run_in_child([words] {
    const int parent = getpid();
    if (os::fork_child() == 0) {
      const bool dies = os::die_with_parent(parent);
      words[0].store(dies ? 1 : 2, base::relaxed);
      while (dies) pause();  // its end of the pipe closes when it dies
    }
    if (os::fork_child() == 0) {
      while (getppid() == parent) continue;
      words[1].store(os::die_with_parent(parent) ? 1 : 2, base::relaxed);
      _exit(0);
    }
    while (words[0].load(base::relaxed) == 0) continue;
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(words[0].load(base::relaxed) == 1);
  CHECK(words[1].load(base::relaxed) == 2);
  os::unmap_addresses(words, page);
}

TEST_CASE("standard input becomes empty") {
  const test::child_end end = test::run_in_child([] {
    int ends[2];
    NEED(pipe(ends) == 0);
    NEED(write(ends[1], "x", 1) == 1);
    dup2(ends[0], STDIN_FILENO);
    NEED(os::close_standard_input());
    char byte = 0;
    return static_cast<int>(read(STDIN_FILENO, &byte, 1));
  });
  CHECK(end.exit_code == 0);
}

TEST_CASE("a wait for signals ends at its limit, or with the signal") {
  const test::child_end end = test::run_in_child([] {
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, nullptr);
    bool is_from_terminal = true;
    NEED(os::wait_for_signal(&usr1, 1000, &is_from_terminal) == 0);
    kill(getpid(), SIGUSR1);
    NEED(os::wait_for_signal(&usr1, UINT64_MAX, &is_from_terminal) == SIGUSR1);
    NEED(!is_from_terminal);
    return 0;
  });
  CHECK(end.exit_code == 0);
}
