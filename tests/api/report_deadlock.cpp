// The deadlock report: said when nothing can ever run again, and never otherwise. Each scene runs
// in a child.
#include <doctest/doctest.h>

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <weft/ext.h>
#include <weft/hot.h>
#include <weft/weft.h>

#include "../support/scene.hpp"

using scene::make;
using scene::sleep_ms;
using weft::test::child_end;
using weft::test::run_in_child;
using weft::test::running_child;
using weft::test::start_child;

namespace {

constexpr long quiet_ms = 1500;  // several looks

struct setting {
  unsigned workers;
  bool outside;
};
constexpr setting settings[] = {{1, false}, {4, false}, {1, true}, {4, true}};

void start(const setting& how) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = how.workers;
  config.caller_outside = how.outside;
  NEED(weft_init(&config) == WEFT_OK);
}

// Runs a scene that stands still for ever; abort ends it after the report.
template <class Scene>
child_end end_of_deadlock(const setting& how, Scene scene) {
  child_end end = run_in_child([&] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    alarm(100);
    start(how);
    scene();
    return 0;
  });
  INFO(how.workers, " workers, caller outside: ", how.outside, "\n", end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("deadlock: "));
  CHECK(!end.says(": SIGABRT"));  // the report has said why
  return end;
}

// Scenes that last long and about which nothing is to be said, side by side.
class silence {
 public:
  silence() = default;
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;
  ~silence() {
    for (const auto& [how, child] : scenes_) {
      const child_end end = wait_for(child);
      INFO(how.workers, " workers, caller outside: ", how.outside, "\n", end.errors);
      CHECK(end.exit_code == 0);
      CHECK(end.errors == "");
    }
  }

  template <class Scene>
  void during(const setting& how, Scene scene) {
    scenes_.emplace_back(how, start_child([&] {
                           alarm(100);
                           start(how);
                           scene();
                           return weft_finalize() == WEFT_OK ? 0 : 1;
                         }));
  }

 private:
  std::vector<std::pair<setting, running_child>> scenes_;
};

// ---- what waits ----

struct two_locks {
  weft_mutex locks[2] = {WEFT_MUTEX_INIT, WEFT_MUTEX_INIT};
  weft_event held[2] = {WEFT_EVENT_INIT, WEFT_EVENT_INIT};

  void take_both(int first) {
    NEED(weft_mutex_lock(&locks[first]) == WEFT_OK);
    NEED(weft_event_set(&held[first]) == WEFT_OK);
    NEED(weft_event_wait(&held[1 - first]) == WEFT_OK);
    static_cast<void>(weft_mutex_lock(&locks[1 - first]));
  }
};

struct ring {
  weft_thread* next[2] = {};
  weft_event are_made = WEFT_EVENT_INIT;
};

weft_event never = WEFT_EVENT_INIT;

// A fork that another worker takes while its forker stays away from its join.
struct taken_fork {
  std::atomic<bool> has_begun{false};
  weft_thread* forker = nullptr;
  weft_mutex* wanted = nullptr;

  weft_forked* fork(weft_function child) {
    forker = weft_self();
    void* self = this;
    weft_forked* made = weft_fork(child, &self, sizeof self);
    while (!has_begun) sched_yield();
    return made;
  }
  void join(weft_forked* made, weft_function child) {
    void* self = this;
    weft_fork_join(made, child, &self, sizeof self);
  }
};

bool dump_says(const char* text) {
  FILE* file = std::tmpfile();
  NEED(file != nullptr && weft_dump(fileno(file)) == WEFT_OK);
  std::string all;
  char line[512];
  std::rewind(file);
  while (std::fgets(line, sizeof line, file) != nullptr) all += line;
  std::fclose(file);
  return all.find(text) != std::string::npos;
}

std::string line_with(const std::string& text, const char* what) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

// What follows `before` until a blank.
std::string word_after(const std::string& text, const char* before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "(nothing)";
  const std::size_t begin = at + std::strlen(before);
  return text.substr(begin, text.find(' ', begin) - begin);
}

}  // namespace

extern "C" {
void takes_left_first(void* locks) { static_cast<two_locks*>(locks)->take_both(0); }
void takes_right_first(void* locks) { static_cast<two_locks*>(locks)->take_both(1); }
void joins_second(void* memory) {
  auto* all = static_cast<ring*>(memory);
  static_cast<void>(weft_event_wait(&all->are_made));
  static_cast<void>(weft_thread_join(all->next[1]));
}
void joins_first(void* memory) {
  auto* all = static_cast<ring*>(memory);
  static_cast<void>(weft_event_wait(&all->are_made));
  static_cast<void>(weft_thread_join(all->next[0]));
}
void child_waits_for_ever(void* work) {
  (*static_cast<taken_fork**>(work))->has_begun = true;
  static_cast<void>(weft_event_wait(&never));
}
void joins_what_never_ends(void*) {
  taken_fork taken;
  taken.join(taken.fork(child_waits_for_ever), child_waits_for_ever);
}
void child_locks_after_its_forker(void* work) {
  taken_fork* taken = *static_cast<taken_fork**>(work);
  taken->has_begun = true;
  while (weft_thread_get_state(taken->forker) != WEFT_THREAD_BLOCKED) sched_yield();
  static_cast<void>(weft_mutex_lock(taken->wanted));
}
void locks_what_its_fork_waits_for(void* mutex) {
  taken_fork taken;
  taken.wanted = static_cast<weft_mutex*>(mutex);
  weft_forked* made = taken.fork(child_locks_after_its_forker);
  NEED(weft_mutex_lock(taken.wanted) == WEFT_OK);
  taken.join(made, child_locks_after_its_forker);
}
void waits_for_event(void* event) { static_cast<void>(weft_event_wait(static_cast<weft_event*>(event))); }
}

TEST_CASE("two mutexes in opposite order") {
  for (const setting& how : settings) {
    const child_end end = end_of_deadlock(how, [] {
      two_locks locks;
      weft_thread* left = make(takes_left_first, &locks, "left");
      make(takes_right_first, &locks, nullptr);
      static_cast<void>(weft_thread_join(left));
    });
    CHECK(end.says("weft: deadlock: "));
    CHECK(end.says("\"left\" (takes_left_first): waits for mutex at 0x"));
    CHECK(end.says("(takes_right_first): waits for mutex at 0x"));
    CHECK(end.says_for_how_long("(takes_left_first): waits for mutex at 0x"));
    const std::string held = ", held by thread " + word_after(end.errors, ", held by thread ");
    CHECK(held != ", held by thread (nothing)");
    // On a busy machine the watchdog may have told of the circle before.
    const std::string report = end.errors.substr(end.errors.find("weft: deadlock: "));
    const std::string circle = line_with(report, "circle: ");
    CHECK(report.find("circle: ") == report.rfind("circle: "));  // not one for each member
    CHECK(circle.find("(takes_left_first), which waits for mutex at 0x") != std::string::npos);
    CHECK(circle.find("(takes_right_first), which waits for mutex at 0x") != std::string::npos);
    CHECK(end.says("made in "));
    CHECK(end.says(how.outside ? "OS thread " : "main: waits for the end of thread "));
  }
}

TEST_CASE("threads that join each other") {
  for (const setting& how : settings) {
    const child_end end = end_of_deadlock(how, [] {
      ring all;
      all.next[0] = make(joins_second, &all, "first");
      all.next[1] = make(joins_first, &all, "second");
      static_cast<void>(weft_event_set(&all.are_made));
      static_cast<void>(weft_event_wait(&never));
    });
    CHECK(end.says("\"first\" (joins_second): waits for the end of thread "));
    CHECK(end.says("\"second\" (joins_first): waits for the end of thread "));
    const std::string circle = line_with(end.errors, "circle: ");
    CHECK(circle.find("\"first\" (joins_second), which joins thread ") != std::string::npos);
    CHECK(circle.find("\"second\" (joins_first), which joins thread ") != std::string::npos);
    CHECK(end.says("waits for event"));
  }
}

TEST_CASE("a forker that joins a fork of another worker's") {
  for (const setting& how : {setting{2, false}, setting{4, true}}) {
    const child_end end = end_of_deadlock(how, [] {
      weft_thread* forker = make(joins_what_never_ends, nullptr, "forker");
      static_cast<void>(weft_thread_join(forker));
    });
    const std::string number = word_after(end.errors, "\"forker\" (joins_what_never_ends): waits for the end of fork ");
    const std::string fork = "fork " + number + " (child_waits_for_ever)";
    CHECK(end.says_for_how_long(("waits for the end of " + fork).c_str()));
    CHECK(end.says_for_how_long((fork + ": waits for event at 0x").c_str()));
  }
}

// As hot.h says, a forker that holds a recursive mutex while it joins a fork that locks it must
// have held it when it forked. Here a third thread holds it until both wait, and gives it to the
// forker, which was first.
TEST_CASE("a recursive mutex that was locked after the fork and is held at its join") {
  const child_end end = end_of_deadlock({4, false}, [] {
    weft_mutex mutex = WEFT_MUTEX_RECURSIVE_INIT;
    NEED(weft_mutex_lock(&mutex) == WEFT_OK);
    weft_thread* forker = make(locks_what_its_fork_waits_for, &mutex, "forker");
    while (!dump_says("(child_locks_after_its_forker): waits for mutex at 0x")) sched_yield();
    NEED(weft_mutex_unlock(&mutex) == WEFT_OK);
    static_cast<void>(weft_thread_join(forker));
  });
  CHECK(end.says("\"forker\" (locks_what_its_fork_waits_for): waits for the end of fork "));
  CHECK(end.says_for_how_long("(child_locks_after_its_forker): waits for mutex at 0x"));
  const std::string circle = line_with(end.errors, "circle: ");
  CHECK(circle.find("\"forker\" (locks_what_its_fork_waits_for), which joins fork ") != std::string::npos);
}

TEST_CASE("main waits for what nobody does") {
  for (const setting& how : settings) {
    const child_end end = end_of_deadlock(how, [] { static_cast<void>(weft_event_wait(&never)); });
    CHECK(end.says(how.outside ? "OS thread " : "main: waits for event at 0x"));
    CHECK(!end.says("circle"));
    CHECK(end.says("waits for event"));
  }
}

TEST_CASE("weft_finalize waits for threads that never end") {
  for (const setting& how : settings) {
    const child_end end = end_of_deadlock(how, [] {
      make(waits_for_event, &never, "forgotten");
      static_cast<void>(weft_finalize());
    });
    CHECK(end.says("weft_finalize waits for the end of 1 thread"));
    CHECK(end.says("\"forgotten\" (waits_for_event): waits for event"));
  }
}

TEST_CASE("suspended for ever") {
  const child_end end = end_of_deadlock({2, false}, [] {
    weft_thread* made = make([](void*) { static_cast<void>(weft_suspend()); }, nullptr, "sleeper");
    static_cast<void>(weft_thread_join(made));
  });
  CHECK(end.says("waits for weft_resume"));
}

TEST_CASE("asleep for ever") {
  const child_end end = end_of_deadlock({2, false}, [] {
    weft_thread* made = make([](void*) { static_cast<void>(weft_sleep_until(WEFT_FOREVER)); }, nullptr, "sleeper");
    static_cast<void>(weft_thread_join(made));
  });
  CHECK(end.says("waits for sleep"));
}

TEST_CASE("the first OS thread has left") {
  const child_end end = run_in_child([] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    alarm(100);
    pthread_t other;
    NEED(pthread_create(
             &other, nullptr,
             [](void*) -> void* {
               start({2, false});
               static_cast<void>(weft_event_wait(&never));
               return nullptr;
             },
             nullptr) == 0);
    syscall(SYS_exit, 0);  // as pthread_exit, which would unwind the test
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("deadlock: "));
}

TEST_CASE("OS threads that wait for each other in joins of their own make it possible, not certain") {
  const child_end end = end_of_deadlock({2, true}, [] {
    pthread_t other;
    NEED(pthread_create(
             &other, nullptr,
             [](void*) -> void* {
               static_cast<void>(weft_event_wait(&never));
               return nullptr;
             },
             nullptr) == 0);
    pthread_join(other, nullptr);
  });
  CHECK(end.says("weft: possible deadlock: "));
  CHECK(end.says("waits for event"));
}

TEST_CASE("many threads are summed up") {
  const child_end end = end_of_deadlock({2, false}, [] {
    for (int i = 0; i < 1000; ++i) make(waits_for_event, &never, nullptr);
    static_cast<void>(weft_event_wait(&never));
  });
  CHECK(end.lines() < 60);
  CHECK(end.says("1000 wait for event in waits_for_event"));
  CHECK(end.says("1 waits for event in main"));
}

TEST_CASE("report goes on, off and WEFT_WAIT_POLICY=active are silent") {
  // After the report the program goes on: a signal's handler, which Weft does not know, ends it.
  const auto scene = [](const char* variable, const char* value) {
    return start_child([variable, value] {
      alarm(100);
      if (variable != nullptr) setenv(variable, value, 1);
      struct sigaction on_alarm = {};
      on_alarm.sa_handler = [](int) { _exit(0); };
      sigaction(SIGALRM, &on_alarm, nullptr);
      start({2, false});
      make(waits_for_event, &never, "stuck");
      alarm(3);
      static_cast<void>(weft_event_wait(&never));
      return 1;
    });
  };
  const running_child quiet[] = {scene("WEFT_DEADLOCK", "off"), scene("WEFT_WAIT_POLICY", "active")};
  for (const running_child& telling : {scene(nullptr, nullptr), scene("WEFT_DEADLOCK", "report")}) {
    const child_end end = wait_for(telling);
    CHECK(end.exit_code == 0);
    CHECK(end.says("weft: deadlock: "));
    const std::size_t first = end.errors.find("deadlock: ");
    CHECK(end.errors.find("deadlock: ", first + 1) == std::string::npos);  // said once
  }
  for (const running_child& each : quiet) {
    const child_end silent = wait_for(each);
    CHECK(silent.exit_code == 0);
    CHECK(silent.errors == "");
  }
}

// ---- silence ----

namespace {

// What an OS thread outside does before it sets the event.
void* sleep_and_set(void* event) {
  sleep_ms(quiet_ms);
  NEED(weft_event_set(static_cast<weft_event*>(event)) == WEFT_OK);
  return nullptr;
}
void* compute_and_set(void* event) {
  timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1'000'000 < quiet_ms);
  NEED(weft_event_set(static_cast<weft_event*>(event)) == WEFT_OK);
  return nullptr;
}
struct told_by_pipe {
  weft_event* event;
  int end;
};
void* read_and_set(void* memory) {
  auto* told = static_cast<told_by_pipe*>(memory);
  char byte;
  NEED(read(told->end, &byte, 1) == 1);
  NEED(weft_event_set(told->event) == WEFT_OK);
  return nullptr;
}

}  // namespace

TEST_CASE("silence while an OS thread may still do something") {
  silence expected;
  for (const setting& how : {setting{4, false}, setting{1, true}}) {
    for (auto* helper : {sleep_and_set, compute_and_set}) {
      expected.during(how, [helper] {
        weft_event event = WEFT_EVENT_INIT;
        pthread_t other;
        NEED(pthread_create(&other, nullptr, helper, &event) == 0);
        weft_thread* waits = make(waits_for_event, &event, nullptr);
        NEED(weft_thread_join(waits) == WEFT_OK);
        NEED(pthread_join(other, nullptr) == 0);
      });
    }
  }
}

TEST_CASE("silence while an OS thread waits for a descriptor") {
  silence expected;
  expected.during({2, false}, [] {
    int ends[2];
    NEED(pipe(ends) == 0);
    weft_event event = WEFT_EVENT_INIT;
    told_by_pipe told{&event, ends[0]};
    pthread_t reader, writer;
    NEED(pthread_create(&reader, nullptr, read_and_set, &told) == 0);
    NEED(pthread_create(
             &writer, nullptr,
             [](void* end) -> void* {
               sleep_ms(quiet_ms);
               NEED(write(*static_cast<int*>(end), "x", 1) == 1);
               return nullptr;
             },
             &ends[1]) == 0);
    NEED(weft_event_wait(&event) == WEFT_OK);
    NEED(pthread_join(reader, nullptr) == 0 && pthread_join(writer, nullptr) == 0);
  });
}

TEST_CASE("silence while the caller outside is busy itself") {
  silence expected;
  expected.during({2, true}, [] {
    weft_event event = WEFT_EVENT_INIT;
    weft_thread* waits = make(waits_for_event, &event, nullptr);
    sleep_and_set(&event);
    NEED(weft_thread_join(waits) == WEFT_OK);
  });
}

TEST_CASE("silence while a deadline is set") {
  silence expected;
  for (const setting& how : {setting{4, false}, setting{1, true}}) {
    expected.during(how, [] {
      weft_event event = WEFT_EVENT_INIT;
      NEED(weft_event_wait_until(&event, weft_deadline_in(quiet_ms * 1'000'000)) == WEFT_TIMEOUT);
    });
    expected.during(how, [] {
      weft_thread* sleeper = make([](void*) { NEED(weft_sleep_ns(quiet_ms * 1'000'000) == WEFT_OK); }, nullptr, nullptr);
      NEED(weft_thread_join(sleeper) == WEFT_OK);
    });
  }
}

TEST_CASE("silence while an OS thread waits for no more than the look") {
  silence expected;
  expected.during({2, true}, [] {
    weft_event event = WEFT_EVENT_INIT;
    weft_thread* waiting =
        make([](void* it) { NEED(weft_event_wait(static_cast<weft_event*>(it)) == WEFT_OK); }, &event, nullptr);
    const std::uint64_t end = weft_deadline_in(quiet_ms * 1'000'000);
    while (weft_now_ns() < end) {
      weft_thread* unused = nullptr;
      NEED(weft_ext_thread_make([](void*) {}, nullptr, nullptr, false, &unused) == WEFT_OK);
      weft_ext_thread_discard(unused);
    }
    NEED(weft_event_set(&event) == WEFT_OK);
    NEED(weft_thread_join(waiting) == WEFT_OK);
  });
}

TEST_CASE("silence with a source of work") {
  silence expected;
  expected.during({2, false}, [] {
    struct state {
      weft_event event = WEFT_EVENT_INIT;
      std::atomic<bool> has_message{false};
    } all;
    weft_source* source = nullptr;
    NEED(weft_ext_source_add(
             [](void* memory) -> std::size_t {
               auto* one = static_cast<state*>(memory);
               if (!one->has_message.exchange(false)) return 0;
               NEED(weft_event_set(&one->event) == WEFT_OK);
               return 1;
             },
             &all, &source) == WEFT_OK);
    struct sigaction on_alarm = {};
    static state* told;
    static weft_source* notified;
    told = &all;
    notified = source;
    on_alarm.sa_handler = [](int) {  // from a signal: no OS thread is there that could do it
      told->has_message.store(true);
      weft_ext_source_notify(notified);
    };
    sigaction(SIGALRM, &on_alarm, nullptr);
    alarm(2);
    NEED(weft_event_wait(&all.event) == WEFT_OK);
    NEED(weft_ext_source_remove(source) == WEFT_OK);
  });
  for (const bool outside : {false, true}) {
    expected.during({2, outside}, [] {
      static weft_semaphore signalled = WEFT_SEMAPHORE_INIT_FOR_HANDLERS(0);
      struct sigaction on_alarm = {};
      on_alarm.sa_handler = [](int) { NEED(weft_semaphore_release_from_handler(&signalled, 1) == WEFT_OK); };
      sigaction(SIGALRM, &on_alarm, nullptr);
      alarm(2);
      NEED(weft_semaphore_acquire(&signalled) == WEFT_OK);
    });
    expected.during({2, outside}, [] {  // known by the first release alone
      static weft_semaphore signalled = WEFT_SEMAPHORE_INIT(0);
      struct sigaction on_alarm = {};
      on_alarm.sa_handler = [](int) { NEED(weft_semaphore_release_from_handler(&signalled, 1) == WEFT_OK); };
      sigaction(SIGALRM, &on_alarm, nullptr);
      NEED(raise(SIGALRM) == 0);
      NEED(weft_semaphore_acquire(&signalled) == WEFT_OK);
      alarm(2);
      NEED(weft_semaphore_acquire(&signalled) == WEFT_OK);
    });
  }
}

TEST_CASE("a unit that has not started waits for what its builder notes") {
  const child_end end = end_of_deadlock({2, false}, [] {
    static weft_event event = WEFT_EVENT_INIT;
    static weft_ext_wait noted[2];
    weft_thread *waits = nullptr, *waits_no_more = nullptr;
    NEED(weft_ext_thread_make(waits_for_event, &event, nullptr, true, &waits) == WEFT_OK);
    NEED(weft_ext_thread_make(waits_for_event, &event, nullptr, true, &waits_no_more) == WEFT_OK);
    NEED(weft_thread_set_name(waits, "first") == WEFT_OK);
    NEED(weft_thread_set_name(waits_no_more, "second") == WEFT_OK);
    weft_ext_thread_note_wait(waits, &noted[0], "a builder's word", &event);
    weft_ext_thread_note_wait(waits_no_more, &noted[1], "a builder's word", &event);
    weft_ext_thread_note_wait(waits_no_more, nullptr, nullptr, nullptr);
    NEED(weft_event_wait(&event) == WEFT_OK);
  });
  const std::size_t first = end.errors.find("\"first\""), second = end.errors.find("\"second\"");
  REQUIRE(first != std::string::npos);
  REQUIRE(second != std::string::npos);
  CHECK(end.errors.find("waits for a builder's word at 0x", first) < end.errors.find('\n', first));
  CHECK(end.errors.find("ready, not started yet", second) < end.errors.find('\n', second));
}

TEST_CASE("a program that idles and goes on many times") {
  silence expected;
  expected.during({2, true}, [] {
    for (int i = 0; i < 20; ++i) {
      weft_event event = WEFT_EVENT_INIT;
      weft_thread* waits = make(waits_for_event, &event, nullptr);
      sleep_ms(50);
      NEED(weft_event_set(&event) == WEFT_OK);
      NEED(weft_thread_join(waits) == WEFT_OK);
    }
  });
}
