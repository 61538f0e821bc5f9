// See machine.hpp.
#include <unistd.h>
#include <cstdio>
#include <utility>

#include "machine/machine.hpp"
#include "machine/picture.hpp"

namespace many {

costs cost;
settings set;
totals total;
constinit cpu cpus[most_cpus];
constinit thread threads[most_threads];
unsigned thread_count = 1;
cpu* current = &cpus[0];
picoseconds next_clock = never;
bool is_on = false;

namespace {

thread* context = &threads[0];  // that the real OS thread is in
unsigned live = 1;              // OS threads of the program that run, wait for a CPU or sleep until a time

// ---- events in the order of their time: a binary heap -------------------------------------------
event* heap[most_cpus + most_threads];
int heap_count = 0;

bool is_before(const event* a, const event* b) { return a->clock < b->clock || (a->clock == b->clock && a->order < b->order); }

void put(event* one, int place) {
  heap[place] = one;
  one->place = place;
}

void move_up(int place) {
  event* const one = heap[place];
  for (; place > 0 && is_before(one, heap[(place - 1) / 2]); place = (place - 1) / 2) put(heap[(place - 1) / 2], place);
  put(one, place);
}

void move_down(int place) {
  event* const one = heap[place];
  for (;;) {
    int child = 2 * place + 1;
    if (child >= heap_count) break;
    if (child + 1 < heap_count && is_before(heap[child + 1], heap[child])) ++child;
    if (!is_before(heap[child], one)) break;
    put(heap[child], place);
    place = child;
  }
  put(one, place);
}

void note_next() { next_clock = heap_count > 0 ? heap[0]->clock : never; }

void push(event* one) {
  put(one, heap_count++);
  move_up(one->place);
  note_next();
}

void take_out(event* one) {
  const int place = one->place;
  one->place = -1;
  event* const last = heap[--heap_count];
  if (last != one) {
    put(last, place);
    move_up(place);
    move_down(last->place);
  }
  note_next();
}

// ---- which OS thread a CPU runs ---------------------------------------------------------------
void set_speed(cpu* one) {
  const bool is_shared = one->sibling != nullptr && one->sibling->running != nullptr;
  const double factor = is_shared ? cost.sibling : 1;
  one->access = static_cast<picoseconds>(static_cast<double>(cost.access) * factor);
  one->call = static_cast<picoseconds>(static_cast<double>(cost.call) * factor);
}

void note_look(cpu* one) { one->look_at = one->first != nullptr ? one->slice_ends : first_clock + set.limit; }

void run_on(cpu* where, thread* what) {
  where->running = what;
  if (where->sibling != nullptr) set_speed(where->sibling);
  if (what == nullptr) return;
  what->on = where;
  where->slice_began = where->clock;
  where->slice_ends = where->clock + cost.slice;
  note_look(where);
}

void enqueue(cpu* where, thread* what) {
  what->next = nullptr;
  (where->first != nullptr ? where->last->next : where->first) = what;
  where->last = what;
  ++where->waiting;
  note_look(where);
}

// The first that waits for `from` and may run on `to`; null: none.
thread* dequeue(cpu* from, const cpu* to) {
  thread* before = nullptr;
  for (thread* one = from->first; one != nullptr; before = one, one = one->next) {
    if (one->bound != nullptr && one->bound != to) continue;
    (before != nullptr ? before->next : from->first) = one->next;
    if (from->last == one) from->last = before;
    --from->waiting;
    note_look(from);
    return one;
  }
  return nullptr;
}

thread* pull(const cpu* to) {
  cpu* longest = nullptr;
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    if (cpus[i].waiting > 0 && (longest == nullptr || cpus[i].waiting > longest->waiting)) longest = &cpus[i];
  }
  return longest != nullptr ? dequeue(longest, to) : nullptr;
}

// `where` is left by what ran on it.
void run_next(cpu* where) {
  thread* next = dequeue(where, where);
  if (next == nullptr) next = pull(where);
  run_on(where, nullptr);
  if (next == nullptr) return;
  if (next->ready_at > where->clock) where->clock = next->ready_at;
  where->clock += cost.switch_;
  where->spent[of_switch] += cost.switch_;
  ++total.thread_switches;
  run_on(where, next);
  push(where);
}

// How good an idle CPU is for `what`: the core that is wholly idle first, then the socket of before.
unsigned worth_of(const cpu* one, const thread* what) {
  const bool has_idle_core = one->sibling == nullptr || one->sibling->running == nullptr;
  const bool is_near = what->on == nullptr || what->on->socket == one->socket;
  return 1 + 2 * has_idle_core + is_near;
}

cpu* idle_cpu_for(const thread* what) {
  if (what->bound != nullptr) return what->bound->running == nullptr ? what->bound : nullptr;
  cpu* best = nullptr;
  unsigned best_worth = 0;
  if (what->on != nullptr && what->on->running == nullptr) {
    best = what->on;
    best_worth = worth_of(best, what);
  }
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    if (cpus[i].running != nullptr) continue;
    if (const unsigned worth = worth_of(&cpus[i], what); worth > best_worth) {
      best = &cpus[i];
      best_worth = worth;
    }
  }
  return best;
}

cpu* busy_cpu_for(const thread* what) {
  if (what->bound != nullptr) return what->bound;
  cpu* best = what->on != nullptr ? what->on : &cpus[0];
  for (unsigned i = 0; i < set.cpu_count; ++i) {
    if (cpus[i].waiting < best->waiting) best = &cpus[i];
  }
  return best;
}

// One that waits is preferred to one that has run for a quarter of its slice.
void preempt_soon(cpu* where, picoseconds at) {
  const picoseconds least = where->slice_began + cost.slice / 4;
  const picoseconds end = at > least ? at : least;
  if (end < where->slice_ends) where->slice_ends = end;
  note_look(where);
}

void make_ready(thread* what, picoseconds at, picoseconds latency) {
  what->is_asleep = false;
  what->waits_for = nullptr;
  cpu* const idle = idle_cpu_for(what);
  if (idle != nullptr) {
    if (idle->clock < at + latency) idle->clock = at + latency;
    run_on(idle, what);
    push(idle);
    return;
  }
  cpu* const busy = busy_cpu_for(what);
  what->ready_at = at;
  enqueue(busy, what);
  preempt_soon(busy, at);
}

// ---- sleepers, in lists by address --------------------------------------------------------------
constexpr unsigned list_count = 1024;
struct sleepers {
  thread* first = nullptr;
};
sleepers lists[list_count];

sleepers& list_of(const void* address) {
  return lists[(reinterpret_cast<std::uintptr_t>(address) >> 2) * 0x9e3779b97f4a7c15U >> 54];
}

void add_sleeper(thread* one) {
  one->next_waiter = nullptr;
  thread** end = &list_of(one->waits_for).first;
  while (*end != nullptr) end = &(*end)->next_waiter;
  *end = one;
}

void remove_sleeper(thread* one) {
  thread** place = &list_of(one->waits_for).first;
  while (*place != one) place = &(*place)->next_waiter;
  *place = one->next_waiter;
}

void end_sleep(thread* one, bool by_timer, picoseconds at) {
  remove_sleeper(one);
  if (one->place >= 0) {
    take_out(one);
  } else {
    if (!by_timer) ++live;
  }
  one->was_timed_out = by_timer;
  make_ready(one, at, cost.wake_latency);
}

// ---- the turn -----------------------------------------------------------------------------------
void take_stop(cpu* one) {
  if (__builtin_expect(one->stop == 0, 1)) return;
  one->clock += one->stop;
  one->spent[of_stop] += one->stop;
  one->stop = 0;
}

bool must_give_way(const cpu* one) { return one->first != nullptr && one->clock >= one->slice_ends; }

void put_back(cpu* where) {
  thread* const what = where->running;
  what->ready_at = where->clock;
  enqueue(where, what);
  run_next(where);
}

// Another program's thread, which computes all the time.
void run_neighbour(cpu* where) {
  constexpr picoseconds step = 100'000'000;
  where->clock += step;
  where->spent[of_neighbour] += step;
  if (must_give_way(where)) return put_back(where);
  push(where);
}

void go_to(cpu* where) {
  thread* const from = context;
  current = where;
  context = where->running;
  if (set.has_picture) draw(where);
  if (context == from) return;
  ++total.switches;
  many_switch(&from->stack_pointer, context->stack_pointer, context->thread_pointer);
}

// Runs the CPU that is behind all others. The caller's CPU is in the heap, or idle.
void give_turn() {
  for (;;) {
    if (live == 0) give_up("all its OS threads sleep, and nothing can wake them");
    event* const next = heap[0];
    take_out(next);
    if (next->clock - first_clock > set.limit) give_up("it has not ended within the limit of virtual time (MANY_LIMIT_MS)");
    if (next >= &threads[0] && next < &threads[most_threads]) {
      end_sleep(static_cast<thread*>(next), true, next->clock);
      continue;
    }
    cpu* const one = static_cast<cpu*>(next);
    if (one->stop != 0) {
      take_stop(one);
      push(one);
    } else if (one->running->is_neighbour) {
      run_neighbour(one);
    } else {
      return go_to(one);
    }
  }
}

}  // namespace

void settle() {
  take_stop(current);
  while (current->clock > next_clock || must_give_way(current)) {
    if (must_give_way(current)) {
      put_back(current);
    } else {
      push(current);
    }
    give_turn();
    take_stop(current);
  }
  if (current->clock - first_clock > set.limit) give_up("it has not ended within the limit of virtual time (MANY_LIMIT_MS)");
}

bool sleep_on(const void* address, picoseconds until) {
  thread* const self = context;
  self->waits_for = address;
  self->is_asleep = true;
  add_sleeper(self);
  if (until != never) {
    self->clock = until + cost.timer_slack;
    if (self->clock < current->clock) self->clock = current->clock;
    push(self);
  } else {
    --live;
  }
  run_next(current);
  give_turn();
  return !self->was_timed_out;
}

int wake(const void* address, int most) {
  int count = 0;
  thread* one = list_of(address).first;
  while (one != nullptr && count < most) {
    thread* const next = one->next_waiter;
    if (one->waits_for == address) {
      ++count;
      spend(of_futex, cost.wake_call);
      end_sleep(one, false, current->clock);
    }
    one = next;
  }
  return count;
}

void begin_thread(thread* one, picoseconds at) {
  ++live;
  make_ready(one, at, cost.thread_latency);
}

void end_thread() {
  context->is_done = true;
  wake(&context->is_done, static_cast<int>(most_threads));
  --live;
  run_next(current);
  give_turn();
  __builtin_trap();
}

void yield_cpu() {
  spend(of_system_call, cost.yield);
  if (current->first != nullptr) {
    put_back(current);
    give_turn();
  }
  settle();
}

void bind_thread(thread* one, cpu* to) {
  one->bound = to;
  if (one != context || to == nullptr || to == current) return;
  run_next(current);
  make_ready(one, current->clock, cost.switch_);
  give_turn();
}

void full_fence() {
  if (current->drain > current->clock) spend(of_drain, current->drain - current->clock);
  spend(of_fence, cost.fence);
  settle();
}

// The kernel interrupts every CPU on which an OS thread of the process runs, and one caller waits
// for the one before.
void membarrier() {
  static picoseconds is_free = 0;
  settle();
  unsigned busy = 0;
  for (unsigned i = 0; i < set.cpu_count; ++i) busy += cpus[i].running != nullptr && !cpus[i].running->is_neighbour;
  ++total.heavy_fences;
  picoseconds start = current->clock;
  picoseconds takes = cost.membarrier_alone;
  if (busy > 1) {
    takes = cost.membarrier + cost.membarrier_more * (busy - 2);
    if (start < is_free) start = is_free;
    is_free = start + takes;
    for (unsigned i = 0; i < set.cpu_count; ++i) {
      cpu* const one = &cpus[i];
      if (one != current && one->running != nullptr && !one->running->is_neighbour) one->stop += cost.membarrier_stop;
    }
  }
  spend(of_membarrier, start + takes - current->clock);
  settle();
}

// A process has one lock for its memory map.
void mm_call() {
  static picoseconds is_free = 0;
  settle();
  ++total.mm_calls;
  const picoseconds start = current->clock > is_free ? current->clock : is_free;
  is_free = start + cost.mm_call;
  spend(of_mm_call, is_free - current->clock);
  settle();
}

picoseconds beside_sibling(picoseconds time) {
  const bool is_shared = current->sibling != nullptr && current->sibling->running != nullptr;
  return is_shared ? static_cast<picoseconds>(static_cast<double>(time) * cost.sibling) : time;
}

std::uint64_t layout_number(std::uint64_t use) {
  std::uint64_t x = (set.layout + 1) * 0x9e3779b97f4a7c15U + use * 0xbf58476d1ce4e5b9U;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

void give_up(const char* why) {
  is_on = false;
  std::fprintf(stderr, "many: the program is ended: %s\n", why);
  for (unsigned i = 0, told = 0; i < thread_count && told < 16; ++i) {
    const thread& one = threads[i];
    if (one.is_done || one.is_neighbour) continue;
    ++told;
    const char* state = one.is_asleep ? "sleeps" : one.on != nullptr && one.on->running == &one ? "runs" : "waits for a CPU";
    std::fprintf(stderr, "many:   OS thread %u %s, CPU %u at %.3f us\n", i, state, one.on != nullptr ? one.on->index : 0,
                 one.on != nullptr ? static_cast<double>(one.on->clock - first_clock) / 1e6 : 0.0);
  }
  write_report();
  _exit(4);
}

void start_cpus() {
  unsigned index = 0;
  unsigned core = 0;
  for (unsigned socket = 0; socket < set.socket_count; ++socket) {
    for (unsigned i = 0; i < set.socket_cpus[socket]; ++i, ++index) {
      cpu& one = cpus[index];
      one.index = one.order = index;
      one.socket = socket;
      const bool is_second = set.threads_a_core == 2 && i % 2 == 1;
      if (is_second) {
        one.sibling = &cpus[index - 1];
        cpus[index - 1].sibling = &one;
      }
      one.core = is_second ? core - 1 : core++;
      set_speed(&one);
    }
  }
  for (unsigned i = 0; i < most_threads; ++i) {
    threads[i].index = i;
    threads[i].order = most_cpus + i;
  }
  run_on(&cpus[0], &threads[0]);
  for (unsigned i = 0; i < set.neighbours; ++i) {  // on the last CPUs
    thread* const one = &threads[thread_count++];
    one->is_neighbour = true;
    one->bound = &cpus[set.cpu_count - 1 - i % set.cpu_count];
    make_ready(one, first_clock, 0);
  }
}

}  // namespace many
