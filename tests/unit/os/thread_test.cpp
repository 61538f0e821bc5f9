#include "os/thread.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "../../support/child.hpp"
#include "os/cpus.hpp"

using namespace weft;

namespace {

struct seen {
  int id = 0;
  char name[32] = {};
  void* stack_low = nullptr;
  std::size_t stack_bytes = 0;
  bool inside_stack = false;
};

void* look(void* argument) {
  auto* out = static_cast<seen*>(argument);
  out->id = os::thread_id();
  os::name_this_thread("weft-worker-name-too-long");
  pthread_getname_np(pthread_self(), out->name, sizeof out->name);
  os::stack_bounds(&out->stack_low, &out->stack_bytes);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto low = reinterpret_cast<std::uintptr_t>(out->stack_low);
  out->inside_stack = here > low && here < low + out->stack_bytes;
  return nullptr;
}

unsigned cpus_in_mask() {
  std::uint16_t cpus[os::max_cpus];
  return os::allowed_cpus(cpus, os::max_cpus);
}

}  // namespace

TEST_CASE("an OS thread runs, has its name cut to what fits, and knows its stack") {
  seen found;
  os::os_thread thread;
  REQUIRE(os::start_thread(&thread, look, &found, 512 * 1024) == status::ok);
  os::join_thread(thread);
  CHECK(found.id != os::thread_id());
  CHECK(std::strcmp(found.name, "weft-worker-nam") == 0);
  CHECK(found.inside_stack);
  CHECK(found.stack_bytes >= 500 * 1024);
}

TEST_CASE("a stack below the system's least is raised to it") {
  os::os_thread thread;
  REQUIRE(os::start_thread(&thread, [](void* argument) { return argument; }, nullptr, 1) == status::ok);
  os::join_thread(thread);
}

TEST_CASE("an impossible stack is a status") {
  os::os_thread thread{77};
  CHECK(os::start_thread(&thread, [](void* argument) { return argument; }, nullptr, std::size_t{1} << 60) == status::again);
  CHECK(thread.handle == 77);
}

TEST_CASE("the main OS thread has stack bounds too") {
  void* low;
  std::size_t bytes;
  os::stack_bounds(&low, &bytes);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  CHECK(here > reinterpret_cast<std::uintptr_t>(low));
  CHECK(here - reinterpret_cast<std::uintptr_t>(low) < bytes);
}

TEST_CASE("binding narrows the mask to one CPU, and the inherited one can be given back") {
  std::uint16_t cpus[os::max_cpus];
  const unsigned count = os::allowed_cpus(cpus, os::max_cpus);
  REQUIRE(os::bind_thread(cpus[count - 1]) == status::ok);
  CHECK(sched_getcpu() == cpus[count - 1]);
  CHECK(cpus_in_mask() == 1);
  REQUIRE(os::bind_thread_to(cpus, count) == status::ok);
  CHECK(cpus_in_mask() == count);
}

TEST_CASE("a CPU that is not there cannot be bound to") {
  const unsigned before = cpus_in_mask();
  CHECK(os::bind_thread(1023) == status::invalid);
  CHECK(os::bind_thread(5000) == status::invalid);
  CHECK(os::bind_thread(70000) == status::invalid);
  CHECK(os::bind_thread_to(nullptr, 0) == status::invalid);
  CHECK(cpus_in_mask() == before);
}
