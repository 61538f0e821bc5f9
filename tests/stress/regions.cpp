// Threads that go in and out of blocking regions, of every length and kind, while others fork,
// wait, move, while workers come and go, and while an idle one sleeps in a source. A worker that no
// OS thread runs is a hang; one that two run breaks what the threads of a pinned group count without
// a lock. Usage: regions WORKERS.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <vector>

#include <weft/ext.h>
#include <weft/blocking.hpp>
#include <weft/weft.hpp>

#include "stress.hpp"

namespace {

using weft::stress::dice;

[[gnu::noinline]] int os_thread_now() { return gettid(); }

void sleep_us(unsigned us) {
  if (us == 0) return;
  usleep(us);
}

// Shorter than WEFT_BLOCKING, about as long, or longer.
unsigned some_length(dice* from) {
  switch (from->below(4)) {
    case 0: return 0;
    case 1: return 1 + from->below(40);
    case 2: return from->below(300);
    default: return from->below(3000);
  }
}

void be_in_region(dice* from) {
  OK(weft_blocking_begin());
  const int before = os_thread_now();
  MUST(weft_worker_self() == -1);
  const bool is_nested = from->one_in(4);
  if (is_nested) OK(weft_blocking_begin());
  sleep_us(some_length(from));
  if (from->one_in(8)) {  // as an OS thread outside
    weft_thread* other = nullptr;
    std::atomic<int> ran{0};
    OK(weft_thread_create([](void* count) { static_cast<std::atomic<int>*>(count)->fetch_add(1); }, &ran, nullptr, &other));
    OK(weft_thread_join(other));
    MUST(ran.load() == 1);
  }
  if (is_nested) OK(weft_blocking_end());
  MUST(os_thread_now() == before);
  OK(weft_blocking_end());
  MUST(weft_worker_self() >= 0);
}

long fib(long n, dice from) {
  if (n < 2) return n;
  const dice inner(from.next());
  auto left = weft::fork([=] { return fib(n - 1, inner); });
  if (from.one_in(20)) be_in_region(&from);
  const long right = fib(n - 2, dice(from.next()));
  return left.join() + right;
}

// ---- threads of one worker, which count without a lock ----

struct group {
  int worker = 0;
  long inside = 0;  // plain: the worker's
  std::atomic<long> steps{0};
};

void count_on_worker(group* all, dice from) {
  weft::this_thread::pin(all->worker);
  const bool stays = from.one_in(2);
  for (unsigned step = 0; step < 10; ++step) {
    const int before = os_thread_now();
    if (stays && from.one_in(3)) {
      const weft::pinned scope;
      be_in_region(&from);
      MUST(os_thread_now() == before);
    } else {
      be_in_region(&from);
      MUST(os_thread_now() == before);
    }
    MUST(weft_worker_self() == all->worker);
    const long was = all->inside;
    if (from.one_in(4)) sched_yield();
    all->inside = was + 1;
    all->steps.fetch_add(1);
    if (from.one_in(3)) weft_yield();
  }
}

void check_group(unsigned workers, dice from) {
  group all;
  all.worker = static_cast<int>(from.below(workers));
  std::vector<weft::thread> threads;
  for (unsigned count = 2 + from.below(5); count > 0; --count) {
    threads.emplace_back([&all, inner = dice(from.next())] { count_on_worker(&all, inner); });
  }
  for (weft::thread& each : threads) each.join();
  MUST(all.inside == all.steps.load());
}

// ---- threads that wait for each other between regions ----

void check_mutex(dice from) {
  weft::mutex mutex;
  long count = 0;
  const unsigned threads_wanted = 2 + from.below(20);
  std::vector<weft::thread> threads;
  for (unsigned each = 0; each < threads_wanted; ++each) {
    threads.emplace_back([&, inner = dice(from.next())]() mutable {
      for (unsigned round = 0; round < 5; ++round) {
        be_in_region(&inner);
        const std::scoped_lock hold(mutex);
        const long was = count;
        if (inner.one_in(4)) be_in_region(&inner);
        count = was + 1;
      }
    });
  }
  for (weft::thread& each : threads) each.join();
  MUST(count == 5L * threads_wanted);
}

void check_moves(unsigned workers, dice from) {
  std::vector<weft::thread> threads;
  for (unsigned each = 0; each < 6; ++each) {
    threads.emplace_back([&, inner = dice(from.next())]() mutable {
      for (unsigned round = 0; round < 6; ++round) {
        OK(weft_thread_migrate_to_worker(weft_self(), inner.below(workers)));
        be_in_region(&inner);
        weft_yield();
      }
    });
  }
  for (weft::thread& each : threads) each.join();
}

void adopt_and_go(dice from) {
  weft_event left = WEFT_EVENT_INIT;
  std::thread other([&] {
    OK(weft_worker_adopt(nullptr));
    const int before = os_thread_now();
    for (unsigned round = 0; round < 4; ++round) {
      weft::thread one([inner = dice(from.next())]() mutable { be_in_region(&inner); });
      be_in_region(&from);
      one.join();
    }
    OK(weft_worker_leave());
    MUST(os_thread_now() == before);
    OK(weft_event_set(&left));
  });
  OK(weft_event_wait(&left));
  other.join();
}

void add_and_remove(dice from) {
  unsigned added = 0;
  OK(weft_worker_add(&added));
  std::vector<weft::thread> threads;
  for (unsigned each = 0; each < 6; ++each) {
    threads.emplace_back([inner = dice(from.next())]() mutable {
      for (unsigned round = 0; round < 3; ++round) be_in_region(&inner);
    });
  }
  weft_status removed = WEFT_BUSY;
  while ((removed = weft_worker_remove(added)) == WEFT_BUSY) weft_yield();
  OK(removed);
  for (weft::thread& each : threads) each.join();
}

// ---- a pipe in which an idle worker sleeps ----

class inlet {
 public:
  inlet() {
    MUST(pipe2(ends_, O_NONBLOCK | O_CLOEXEC) == 0);
    weft_source_ops ops{};
    ops.size = sizeof ops;
    ops.poll = [](void* self) { return static_cast<inlet*>(self)->poll(); };
    ops.wait = [](void* self, std::uint64_t deadline_ns) { static_cast<inlet*>(self)->wait(deadline_ns); };
    ops.wake = [](void* self) { static_cast<inlet*>(self)->ring(); };
    OK(weft_ext_source_add_with(&ops, this, &source_));
  }
  // Nothing is inside any more.
  ~inlet() {
    OK(weft_ext_source_remove(source_));
    MUST(inside_.load() == 0);
    for (const int each : {ends_[0], ends_[1], bell_}) MUST(close(each) == 0);
  }
  inlet(const inlet&) = delete;
  inlet& operator=(const inlet&) = delete;

  void send() const { MUST(write(ends_[1], "x", 1) == 1); }
  void receive() { arrived_.acquire(); }

 private:
  std::size_t poll() {
    MUST(inside_.fetch_add(1) == 0);
    char bytes[8];
    const ssize_t got = read(ends_[0], bytes, sizeof bytes);
    if (got > 0) arrived_.release(got);
    inside_.fetch_sub(1);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  void wait(std::uint64_t deadline_ns) {
    MUST(inside_.fetch_add(1) == 0);
    pollfd both[] = {{ends_[0], POLLIN, 0}, {bell_, POLLIN, 0}};
    const std::uint64_t now_ns = weft_now_ns();
    const std::uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    const timespec left{static_cast<time_t>(left_ns / 1'000'000'000), static_cast<long>(left_ns % 1'000'000'000)};
    static_cast<void>(ppoll(both, 2, deadline_ns == WEFT_FOREVER ? nullptr : &left, nullptr));
    std::uint64_t rings = 0;
    static_cast<void>(read(bell_, &rings, sizeof rings) == sizeof rings);
    inside_.fetch_sub(1);
  }
  void ring() const {
    const std::uint64_t one = 1;
    MUST(write(bell_, &one, sizeof one) == sizeof one);
  }

  int ends_[2];
  int bell_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::atomic<int> inside_{0};  // one worker at a time, in poll or wait
  weft::counting_semaphore<> arrived_{0};
  weft_source* source_ = nullptr;
};

// The senders are threads in regions, and an OS thread that knows nothing of Weft.
void check_source(dice from) {
  constexpr unsigned each_sends = 20;
  inlet here;
  std::vector<weft::thread> threads;
  const unsigned senders = 1 + from.below(4);
  for (unsigned each = 0; each < senders; ++each) {
    threads.emplace_back([&here, inner = dice(from.next())]() mutable {
      for (unsigned sent = 0; sent < each_sends; ++sent) {
        if (inner.one_in(2)) be_in_region(&inner);
        here.send();
        if (inner.one_in(4)) OK(weft_sleep_ns(inner.below(300'000)));
      }
    });
  }
  std::thread outside([&here, inner = dice(from.next())]() mutable {
    for (unsigned sent = 0; sent < each_sends; ++sent) {
      sleep_us(inner.below(500));
      here.send();
    }
  });
  const unsigned all = (senders + 1) * each_sends;
  const unsigned here_received = all / 2;
  threads.emplace_back([&here, received = all - here_received, inner = dice(from.next())]() mutable {
    for (unsigned each = 0; each < received; ++each) {
      here.receive();
      if (inner.one_in(4)) be_in_region(&inner);
    }
  });
  for (unsigned each = 0; each < here_received; ++each) here.receive();
  for (weft::thread& each : threads) each.join();
  outside.join();
}

// ---- an end that drops what is left, in regions or between them ----

weft_event never;

void go_from_region_to_region(void* seed) {
  dice from(reinterpret_cast<std::uintptr_t>(seed));
  for (;;) {
    OK(weft_blocking_begin());
    sleep_us(some_length(&from));
    OK(weft_blocking_end());
    if (from.one_in(2)) weft_yield();
    if (from.one_in(4)) OK(weft_sleep_ns(from.below(300'000)));
  }
}
void wait_for_ever(void*) {
  OK(weft_event_wait(&never));
  MUST(false);
}

// It may be there still when the drop begins.
void remove_some_worker(void* seed) {
  dice from(reinterpret_cast<std::uintptr_t>(seed));
  for (;;) {
    unsigned added = 0;
    if (weft_worker_add(&added) == WEFT_OK) static_cast<void>(weft_worker_remove(added));
    OK(weft_sleep_ns(from.below(300'000)));
  }
}

void end_dropping(unsigned workers, dice from) {
  never = weft_event WEFT_EVENT_INIT;
  constexpr weft_function what[] = {go_from_region_to_region, wait_for_ever, remove_some_worker};
  for (unsigned count = 1 + from.below(12); count > 0; --count) {
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    if (from.one_in(2)) attr.worker = static_cast<int>(from.below(workers));
    const std::uintptr_t seed = from.next();
    OK(weft_thread_create(what[from.below(3)], reinterpret_cast<void*>(seed), &attr, nullptr));
  }
  if (from.one_in(2)) sleep_us(some_length(&from));
  OK(weft_finalize_with(WEFT_DROP));
}

void run_program(unsigned workers, dice from) {
  switch (from.below(7)) {
    case 0: MUST(fib(12, dice(from.next())) == 144); break;
    case 1: check_group(workers, from); break;
    case 2: check_mutex(from); break;
    case 3: check_moves(workers, from); break;
    case 4: adopt_and_go(from); break;
    case 5: check_source(from); break;
    default: add_and_remove(from);
  }
  weft::stress::programs.fetch_add(1);
}

void live(unsigned workers, std::uint64_t seed) {
  dice from(seed);
  MUST(setenv("WEFT_BLOCKING", from.one_in(3) ? "0" : from.one_in(2) ? "20us" : "200us", 1) == 0);
  MUST(setenv("WEFT_BLOCKING_THREADS", from.one_in(4) ? "40" : "10000", 1) == 0);
  const weft_config config = weft::stress::some_config(workers, &from);
  OK(weft_init(&config));
  const int before = os_thread_now();
  std::vector<weft::thread> programs;
  const auto run_several = [&] {
    for (unsigned each = 0; each < 3; ++each) {
      programs.emplace_back([workers, inner = dice(from.next())] { run_program(workers, inner); });
    }
  };
  run_several();
  if (!config.caller_outside) run_program(workers, dice(from.next()));
  for (weft::thread& each : programs) each.join();
  if (from.one_in(4)) {
    end_dropping(workers, dice(from.next()));
  } else {
    OK(weft_finalize());
  }
  MUST(os_thread_now() == before);
}

}  // namespace

int main(int count, char** arguments) { return weft::stress::live_on("regions", count, arguments, live); }
