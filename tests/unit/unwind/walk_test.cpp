// Walks of suspended contexts: the compiler's own unwinder, asked from inside just before, says
// what is right. And of stacks that are damaged, which must end.
#include "unwind/walk.hpp"

#include <doctest/doctest.h>
#include <sys/auxv.h>
#include <unwind.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arch/context.hpp"
#include "arch/signal_registers.hpp"
#include "base/rng.hpp"
#include "fiber/sanitizer.hpp"
#include "frames.hpp"
#include "safe_read.hpp"

namespace {

namespace arch = weft::arch;
namespace unwind = weft::unwind;
using weft::test::safe_read;

using shape = void (*)(call_chain*);

struct scene {
  alignas(64) unsigned char stack[128 * 1024];
  void* own = nullptr;        // saved while the other runs
  void* suspended = nullptr;  // saved while the test runs
  std::vector<shape> shapes;
  std::vector<std::uintptr_t> wanted;  // return addresses, innermost first
  unsigned depth = 0;
};
scene* current = nullptr;

_Unwind_Reason_Code note(_Unwind_Context* context, void* found) {
  static_cast<std::vector<std::uintptr_t>*>(found)->push_back(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

[[gnu::noinline]] void leave(call_chain* chain) {
  _Unwind_Backtrace(note, &current->wanted);
  arch::switch_context(&current->suspended, current->own, nullptr);
  chain->keeps = chain->keeps + 1;
}

[[noreturn]] void entry(void*, void* argument) {
  auto* all = static_cast<scene*>(argument);
  call_chain chain{all->shapes.data(), all->depth};
  go_on(&chain);
  for (;;) arch::switch_context(&all->suspended, all->own, nullptr);
}

void forget_redzones(scene* all) {
  if constexpr (weft::config::address_sanitizer) __asan_unpoison_memory_region(all->stack, sizeof all->stack);
}

// The context stands suspended in the innermost function when this returns.
void suspend_in(scene* all, std::vector<shape> shapes, unsigned depth = 0) {
  all->shapes = std::move(shapes);
  all->shapes.push_back(leave);
  all->wanted.clear();
  all->depth = depth;
  current = all;
  forget_redzones(all);  // of what was left there for good
  arch::switch_context(&all->own, arch::make_context(all->stack + sizeof all->stack, entry, all), nullptr);
}

// With what earlier walks found, and without: no difference.
unwind::backtrace walk(const scene& all) {
  static unwind::known_rows known;
  unwind::backtrace found, fresh;
  unwind::walk_context(safe_read, &known, all.suspended, &found);
  unwind::walk_context(safe_read, nullptr, all.suspended, &fresh);
  CHECK(found.count == fresh.count);
  CHECK(found.why == fresh.why);
  CHECK(std::equal(found.code, found.code + found.count, fresh.code));
  return found;
}

// The innermost frame stands at the switch instead of the call of the unwinder; the last one that
// the unwinder names may be the end.
void check_same(const scene& all, const unwind::backtrace& found) {
  CHECK(found.why == unwind::ending::bottom);
  CHECK_FALSE(found.is_exact(0));
  std::vector<std::uintptr_t> wanted = all.wanted;
  if (!wanted.empty() && wanted.back() == 0) wanted.pop_back();
  REQUIRE(found.count == wanted.size());
  for (unsigned i = 1; i < found.count; ++i) CHECK(found.code[i] == wanted[i]);
}

scene* a_scene() {
  static scene all;
  return &all;
}

const shape shapes_without[] = {without_pointers::plain,
                                without_pointers::keeps_values,
                                without_pointers::has_array,
                                without_pointers::has_variable_array,
                                without_pointers::aligns_its_stack,
                                without_pointers::returns_early,
                                without_pointers::calls_itself,
                                without_pointers::never_returns};
const shape shapes_with[] = {with_pointers::plain,
                             with_pointers::keeps_values,
                             with_pointers::has_array,
                             with_pointers::has_variable_array,
                             with_pointers::aligns_its_stack,
                             with_pointers::returns_early,
                             with_pointers::calls_itself,
                             with_pointers::never_returns};

TEST_CASE("a context that leaves at once") {
  scene* all = a_scene();
  suspend_in(all, {});
  check_same(*all, walk(*all));
}

TEST_CASE("functions of every shape") {
  scene* all = a_scene();
  for (const auto& shapes : {shapes_without, shapes_with}) {
    for (unsigned which = 0; which < std::size(shapes_with); ++which) {
      suspend_in(all, {shapes[which]}, 2);
      check_same(*all, walk(*all));
    }
  }
}

TEST_CASE("any mixture of them") {
  weft::base::rng random(1);
  scene* all = a_scene();
  for (int round = 0; round < 300; ++round) {
    std::vector<shape> some;
    for (unsigned count = random.below(8); count > 0; --count) {
      some.push_back((random.below(2) == 0 ? shapes_without : shapes_with)[random.below(std::size(shapes_with))]);
    }
    suspend_in(all, some, random.below(3));
    if (all->wanted.size() > unwind::most_frames) continue;
    check_same(*all, walk(*all));
  }
}

TEST_CASE("a context that never ran has its first frame alone") {
  scene* all = a_scene();
  all->suspended = arch::make_context(all->stack + sizeof all->stack, entry, all);
  const unwind::backtrace found = walk(*all);
  CHECK(found.count == 1);
  CHECK(found.code[0] == reinterpret_cast<std::uintptr_t>(&weft_context_entry));
  CHECK(found.why == unwind::ending::bottom);
}

TEST_CASE("a deep recursion is cut") {
  scene* all = a_scene();
  suspend_in(all, {without_pointers::calls_itself}, 200);
  const unwind::backtrace found = walk(*all);
  CHECK(found.count == unwind::most_frames);
  CHECK(found.why == unwind::ending::limit);
  for (unsigned i = 1; i < found.count; ++i) CHECK(found.code[i] == all->wanted[i]);
}

call_chain* interrupted = nullptr;

void on_signal(int) {
  go_on(interrupted);
  interrupted->keeps = 1;
}

[[gnu::noinline]] void raises(call_chain* chain) {
  interrupted = chain;
  raise(SIGUSR1);
  chain->keeps = chain->keeps + 1;
}

// What was interrupted saved nothing for its caller's sake: the system's table tells by expressions
// where all registers are.
TEST_CASE("through a handler of a signal") {
  if (weft::config::thread_sanitizer) return;  // its handler comes before ours, and the walk through that is not ours to check
  struct sigaction ours = {}, before;
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_NODEFER;  // it is never left
  REQUIRE(sigaction(SIGUSR1, &ours, &before) == 0);
  scene* all = a_scene();
  suspend_in(all, {without_pointers::keeps_values, raises, with_pointers::plain});
  const unwind::backtrace found = walk(*all);
  const bool has_vdso =
      getauxval(AT_SYSINFO_EHDR) != 0;  // an emulator may lack it, and with it the table of what handlers return to
  if (has_vdso || found.why != unwind::ending::no_table) check_same(*all, found);
  REQUIRE(sigaction(SIGUSR1, &before, nullptr) == 0);
}

// ---- what did not leave its stack ----

unwind::backtrace seen_by_handler;

void look_at_interrupted(int, siginfo_t*, void* context) {
  unwind::memory from(safe_read);
  arch::registers registers;
  const std::uintptr_t code = arch::registers_of_signal(context, &registers);
  unwind::walk(&from, nullptr, registers, code, &seen_by_handler);
}

[[gnu::noinline]] void is_looked_at(call_chain* chain) {
  _Unwind_Backtrace(note, &current->wanted);
  raise(SIGUSR1);
  go_on(chain);
  chain->keeps = chain->keeps + 1;
}

// All callers of the function that was interrupted, from the registers that it had.
TEST_CASE("of what a signal interrupts") {
  if (weft::config::thread_sanitizer) return;  // as above
  struct sigaction ours = {}, before;
  ours.sa_sigaction = look_at_interrupted;
  ours.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGUSR1, &ours, &before) == 0);
  scene* all = a_scene();
  for (const auto& shapes : {shapes_without, shapes_with}) {
    suspend_in(all, {shapes[1], shapes[3], is_looked_at});
    const std::uintptr_t* const begin = seen_by_handler.code;
    const std::uintptr_t* const end = begin + seen_by_handler.count;
    const std::uintptr_t* at = std::find(begin, end, all->wanted[1]);
    REQUIRE(at != end);
    CHECK(seen_by_handler.why == unwind::ending::bottom);
    CHECK(seen_by_handler.exact == 1);
    for (unsigned i = 1; at != end; ++i, ++at) CHECK(*at == all->wanted[i]);
  }
  REQUIRE(sigaction(SIGUSR1, &before, nullptr) == 0);
}

TEST_CASE("without the frame pointer that its function uses") {
  scene* all = a_scene();
  suspend_in(all, {with_pointers::has_variable_array});
  unwind::memory from(safe_read);
  arch::registers registers;
  registers.set(arch::dwarf::stack_pointer, reinterpret_cast<std::uintptr_t>(all->suspended));
  unwind::backtrace found;
  unwind::walk(&from, nullptr, registers, all->wanted[1], &found);
  CHECK(found.count == 1);
  CHECK(found.why == unwind::ending::no_register);
}

// ---- what is damaged ----

TEST_CASE("a stack pointer that leads nowhere") {
  for (const std::uintptr_t at : {std::uintptr_t{0}, std::uintptr_t{8}, UINTPTR_MAX, UINTPTR_MAX - 15, std::uintptr_t{0x1000}}) {
    unwind::backtrace found;
    unwind::walk_context(safe_read, nullptr, reinterpret_cast<const void*>(at), &found);
    CHECK(found.count == 0);
    CHECK(found.why == unwind::ending::unreadable);
  }
}

TEST_CASE("a context that goes on where no code is") {
  scene* all = a_scene();
  suspend_in(all, {without_pointers::plain});
  for (const std::uintptr_t bad : {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{0x10}, UINTPTR_MAX}) {
    std::memcpy(all->suspended, &bad, sizeof bad);
    const unwind::backtrace found = walk(*all);
    CHECK(found.count == 1);
    CHECK(found.code[0] == bad);
    CHECK(found.why == unwind::ending::no_table);
  }
}

// The stack of a context is written over, a byte, a word or all of it: every walk ends, within its
// limit, and never goes down.
TEST_CASE("stacks that were written over") {
  weft::base::rng random(2);
  scene* all = a_scene();
  unsigned cut = 0;
  for (int round = 0; round < (IS_SLOW != 0 ? 200 : 2000); ++round) {
    suspend_in(all, {without_pointers::keeps_values, with_pointers::has_variable_array, without_pointers::aligns_its_stack,
                     with_pointers::plain});
    forget_redzones(all);
    const auto begin = static_cast<unsigned char*>(all->suspended);
    const auto size = static_cast<std::size_t>(all->stack + sizeof all->stack - begin);
    std::vector<std::uint64_t> words(size / sizeof(std::uint64_t));
    std::memcpy(words.data(), begin, size);
    const auto any = [&] { return &words[random.below(static_cast<std::uint32_t>(words.size()))]; };
    const unsigned most = round % 3 == 0 ? static_cast<unsigned>(words.size()) : 3;
    for (unsigned count = 1 + random.below(most); count > 0; --count) {
      switch (random.below(4)) {
        case 0: *any() = random.next(); break;
        case 1: *any() ^= std::uint64_t{1} << random.below(64); break;
        case 2: *any() = *any(); break;
        default: *any() = 0; break;
      }
    }
    std::memcpy(begin, words.data(), size);
    const unwind::backtrace found = walk(*all);
    REQUIRE(found.count >= 1);
    REQUIRE(found.count <= unwind::most_frames);
    cut += found.why != unwind::ending::bottom;
  }
  CHECK(cut > 0);
}

}  // namespace
