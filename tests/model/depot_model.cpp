// The depot of stacks over src/mem/stack.cpp: two OS threads take and give back slots while the
// depot has memory given back, is short of guards that are mappings, and fails to make one. No slot
// is held by two; what lies on one is seen by no other; a slot's guard is the one that its stack
// names; a slot whose memory was given back comes back clean; nothing is lost.
#include "explorer/explorer.hpp"
#include "mem/mapped_guards.hpp"
#include "mem/stack.cpp"

namespace {

using namespace explorer::words;
using weft::mem::mapped_guards;
using weft::mem::stack;
using weft::mem::stack_depot;
namespace os = weft::os;

constexpr std::size_t page = 4096;
constexpr std::size_t stack_bytes = page;
constexpr unsigned most_slots = 4;
constexpr std::size_t guard_bytes = page;
constexpr std::size_t slot_bytes = stack_bytes + guard_bytes;
alignas(page) char chunk[64 * slot_bytes];

// What the system does: memory for the depot's arrays, guards, and pages that are given back.
struct system_state {
  alignas(page) unsigned char arrays[8 * page];
  std::size_t arrays_used = 0;
  char* slots = nullptr;
  os::guard_kind guards[most_slots] = {};  // of each slot; none: not yet
  int hot_ends[most_slots] = {};           // what frames write; two that hold a slot race here
  bool guards_may_fail = false;
};
system_state* the = nullptr;

unsigned slot_of(const void* base) {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(base) - the->slots);
  check(offset % slot_bytes == 0 && offset / slot_bytes < most_slots, "a slot that was made");
  return static_cast<unsigned>(offset / slot_bytes);
}

}  // namespace

namespace weft::os {

std::size_t page_bytes() { return page; }
void* reserve_unfilled(std::size_t) { return nullptr; }
void* reserve(std::size_t bytes, std::size_t) {
  check(the->arrays_used + bytes <= sizeof the->arrays, "the model has room for the depot's arrays");
  void* const memory = the->arrays + the->arrays_used;
  the->arrays_used += bytes;
  return memory;
}
void release(void*, std::size_t) {}
void no_huge_pages(void*, std::size_t) {}
void forget_frames(const void*, std::size_t) {}
bool is_touched(const void*, std::size_t) { return true; }
bool populate(const span*, unsigned) { return true; }

// Of neighbours, but for the first one's guard. The hot end goes: what still used it there raced.
status discard(void* base, std::size_t bytes) {
  const auto first = static_cast<std::size_t>(static_cast<char*>(base) - the->slots);
  for (unsigned slot = 0; slot < most_slots; ++slot) {
    if ((slot + 1) * slot_bytes <= first || (slot + 1) * slot_bytes > first + bytes) continue;
    if (slot * slot_bytes >= first) check(the->guards[slot] != guard_kind::canary, "a canary outlives what is given back");
    the->hot_ends[slot] = 0;
  }
  return status::ok;
}

status install_guard(void* base, std::size_t, guard_kind kind) {
  if (the->guards_may_fail && kind != guard_kind::canary && explorer::any_of(2) == 1) {
    return status::nomem;
  }
  guard_kind& here = the->guards[slot_of(base)];
  check(here == guard_kind::none, "a slot is guarded once");
  here = kind;
  return status::ok;
}
bool install_markers(const span*, unsigned) { return false; }
status remove_guard(void*, std::size_t, guard_kind) { return status::unsupported; }

}  // namespace weft::os

namespace {

// Thread 0 makes it, before the threads and after them.
struct scene {
  system_state system;
  mapped_guards guards;
  stack_depot depot;

  scene(os::guard_kind kind, std::size_t keep_bytes, std::size_t most_mapped) {
    for (os::guard_kind& each : system.guards) each = os::guard_kind::none;
    the = &system;
    the->slots = chunk;
    guards.start(most_mapped);
    weft::mem::stack_settings settings{};
    settings.stack_bytes = stack_bytes;
    settings.guard = kind;
    settings.keep_bytes = keep_bytes;
    settings.memory.map = [](void*, std::size_t) -> void* { return the->slots; };
    settings.memory.unmap = [](void*, void*, std::size_t) {};
    settings.most = most_slots;
    settings.guards = &guards;
    settings.guard_bytes = guard_bytes;
    depot.start(settings);
  }

  // All that can be had, and no more than there are.
  void check_all() {
    stack* all[most_slots + 1];
    unsigned count = 0;
    while (count <= most_slots && depot.take(all + count, 1) == 1) check_shape(all[count++]);
    check(count == most_slots, "no slot is lost, none is there twice");
    for (unsigned i = 0; i < count; ++i) {
      for (unsigned j = 0; j < i; ++j) check(all[i]->base != all[j]->base, "each is another");
    }
    depot.stop();
  }

  static void check_shape(const stack* one) {
    check(one->guard == the->guards[slot_of(one->base)], "the guard that the slot has");
    check(one->is_special == (one->guard == os::guard_kind::canary), "its end looks at a canary");
    check(one->low == one->base + guard_bytes, "the usable part begins behind the guard");
    check(one->total_bytes == slot_bytes, "the whole slot");
  }

  unsigned use(stack** out, unsigned wanted) {
    const unsigned count = depot.take(out, wanted);
    for (unsigned i = 0; i < count; ++i) {
      check_shape(out[i]);
      ++the->hot_ends[slot_of(out[i]->base)];
    }
    return count;
  }
};

void two_take_and_give(os::guard_kind kind, std::size_t keep_bytes, std::size_t most_mapped, unsigned each) {
  scene here(kind, keep_bytes, most_mapped);
  const auto work = [&] {
    for (int round = 0; round < 2; ++round) {
      stack* mine[2];
      check(here.use(mine, each) == each, "there are enough for both");
      here.depot.give(mine, each);
    }
  };
  threads(thread{"a", work}, thread{"b", work});
  here.check_all();
}

// One's slot becomes the other's.
void one_gives_what_the_other_took() {
  scene here(os::guard_kind::marker, page, SIZE_MAX);
  weft::base::atomic<stack*> handed{nullptr};
  threads(thread{"a",
                 [&] {
                   stack* mine[2];
                   check(here.use(mine, 2) == 2, "there are enough");
                   handed.store(mine[0], weft::base::release);
                   here.depot.give(mine + 1, 1);
                 }},
          thread{"b", [&] {
                   stack* one = nullptr;
                   while ((one = handed.load(weft::base::acquire)) == nullptr) weft::arch::pause();
                   here.depot.give(&one, 1);
                   check(here.use(&one, 1) == 1, "there is one");
                   here.depot.give(&one, 1);
                 }});
  here.check_all();
}

// A guard that cannot be made: the slot goes back, is counted once, and is tried again.
void a_guard_fails() {
  scene here(os::guard_kind::marker, 0, SIZE_MAX);
  here.system.guards_may_fail = true;
  const auto work = [&] {
    stack* mine[2];
    const unsigned count = here.use(mine, 2);
    here.depot.give(mine, count);
  };
  threads(thread{"a", work}, thread{"b", work});
  here.system.guards_may_fail = false;
  here.check_all();
}

// Fewer slots than are wanted: each is held by one, and the caller that comes too late gets none.
void there_are_too_few() {
  scene here(os::guard_kind::marker, 0, SIZE_MAX);
  const auto work = [&] {
    stack* mine[3];
    const unsigned count = here.use(mine, 3);
    check(count != 0, "at least one of the four");
    here.depot.give(mine, count);
  };
  threads(thread{"a", work}, thread{"b", work});
  here.check_all();
}

constexpr bounds quick{.preemptions = 2, .weak = 1, .executions = 4'000};
constexpr bounds deep{.preemptions = 4, .weak = 2, .spurious = 1, .executions = 1'000'000};
constexpr explorer::expectations usual{.at_least = 20, .quick = quick, .deep = deep};

const model m1{"depot: all is given back", usual, [] { two_take_and_give(os::guard_kind::marker, 0, SIZE_MAX, 2); }};
const model m2{"depot: one is kept", usual, [] { two_take_and_give(os::guard_kind::marker, page, SIZE_MAX, 2); }};
const model m3{"depot: few mapped guards", usual, [] { two_take_and_give(os::guard_kind::mprotect_page, 0, 1, 2); }};
const model m4{"depot: few mapped guards, one is kept", usual,
               [] { two_take_and_give(os::guard_kind::mprotect_page, page, 2, 1); }};
const model m5{"depot: canaries", usual, [] { two_take_and_give(os::guard_kind::canary, 0, SIZE_MAX, 2); }};
const model m6{"depot: one gives what the other took", usual, one_gives_what_the_other_took};
const model m7{"depot: a guard fails", usual, a_guard_fails};
const model m8{"depot: there are too few", usual, there_are_too_few};

}  // namespace
