// Dumps without a call of weft_dump: WEFT_DUMP_SIGNAL and WEFT_DUMP_ON.
#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <weft/ext.h>
#include <weft/weft.h>

#include "../support/child.hpp"
#include "../support/frames.hpp"

using weft::test::child_end;
using weft::test::functions_of;
using weft::test::run_in_child;
using weft::test::these_of;

namespace {

void start(unsigned workers) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  NEED(weft_init(&config) == WEFT_OK);
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// Where the child writes instead of its stderr, so that it can wait for what it should say.
class own_errors {
 public:
  own_errors() : pipe_(dup(STDERR_FILENO)), file_(mkstemp(path_)) {
    NEED(pipe_ >= 0 && file_ >= 0 && dup2(file_, STDERR_FILENO) >= 0);
    unlink(path_);
  }
  std::string text() const {
    std::string all(static_cast<std::size_t>(lseek(file_, 0, SEEK_END)), '\0');
    NEED(pread(file_, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
    return all;
  }
  void await(const char* what, int times) const {
    while (count(text(), what) < times) NEED(weft_sleep_ns(1000000) == WEFT_OK);
  }
  void tell() const {
    const std::string all = text();
    NEED(write(pipe_, all.data(), all.size()) == static_cast<ssize_t>(all.size()));
  }

 private:
  char path_[32] = "/tmp/weft-signal-XXXXXX";
  int pipe_;
  int file_;
};

volatile std::sig_atomic_t was_called = 0;

struct blocked_worker {
  const own_errors& errors;
  const char* should_say;
};

// Of the OS thread of that process with that name, as /proc shows it; none: there is no such OS thread.
std::optional<std::uint64_t> signals_held_by(pid_t process, const std::string& name) {
  for (const auto& each : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::ifstream status(each.path() / "status");
    std::string line;
    if (!std::getline(status, line) || line != "Name:\t" + name) continue;
    while (std::getline(status, line)) {
      if (line.rfind("SigBlk:", 0) == 0) return std::stoull(line.substr(7), nullptr, 16);
    }
  }
  return {};
}

bool is_among(int signal, std::uint64_t signals) { return (signals >> (signal - 1) & 1) != 0; }

void is_default(int signal) {
  struct sigaction now;
  NEED(sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL);
}

}  // namespace

extern "C" {
void waits_here(void* event) {
  static_cast<void>(weft_event_wait(static_cast<weft_event*>(event)));
  asm volatile("" ::: "memory");  // keeps the call from becoming a jump, which would take this function off the stack
}
// Until the watchdog has told of it, and, if wanted, has written every thread.
void blocks_its_worker(void* blocked) {
  const auto& [errors, should_say] = *static_cast<const blocked_worker*>(blocked);
  const timespec time{0, 200'000'000};
  while (count(errors.text(), should_say) == 0) nanosleep(&time, nullptr);
  nanosleep(&time, nullptr);
}
}

TEST_CASE("every signal has all threads written, and the program goes on") {
  const struct {
    const char* word;
    int signal;
  } choices[] = {{"usr1", SIGUSR1}, {"usr2", SIGUSR2}, {"quit", SIGQUIT}};
  for (const auto& each : choices) {
    const child_end end = run_in_child([&each] {
      std::signal(each.signal, SIG_DFL);  // shells have background jobs ignore SIGQUIT
      setenv("WEFT_DUMP_SIGNAL", each.word, 1);
      const own_errors errors;
      for (int life = 1; life <= 2; ++life) {
        start(2);
        weft_event event = WEFT_EVENT_INIT;
        weft_thread* waiting = nullptr;
        NEED(weft_thread_create(waits_here, &event, nullptr, &waiting) == WEFT_OK);
        while (weft_thread_get_state(waiting) != WEFT_THREAD_BLOCKED) weft_yield();
        for (int time = 1; time <= 2; ++time) {
          NEED(kill(getpid(), each.signal) == 0);
          errors.await("(waits_here): waits for event", 2 * (life - 1) + time);
        }
        NEED(weft_event_set(&event) == WEFT_OK);
        NEED(weft_thread_join(waiting) == WEFT_OK);
        NEED(weft_finalize() == WEFT_OK);
        is_default(each.signal);
      }
      errors.tell();
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("main: "));
    CHECK(end.says("2 workers"));
    CHECK(these_of(functions_of(end.errors, "(waits_here): waits for event"), {"waits_here"}).size() == 1);
  }
}

TEST_CASE("what was asked for just before the end is written") {
  const child_end end = run_in_child([] {
    setenv("WEFT_DUMP_SIGNAL", "usr1", 1);
    const own_errors errors;
    for (int life = 1; life <= 20; ++life) {
      start(1);
      NEED(raise(SIGUSR1) == 0);
      NEED(weft_finalize() == WEFT_OK);
      NEED(count(errors.text(), "main: ") == life);
    }
    errors.tell();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("unless asked for, signals are the program's, but for SIGQUIT") {
  const child_end end = run_in_child([] {
    std::signal(SIGQUIT, SIG_DFL);  // shells have background jobs ignore SIGQUIT
    setenv("WEFT_DUMP_SIGNAL", "off", 1);
    start(1);
    is_default(SIGUSR1);
    is_default(SIGQUIT);
    NEED(weft_finalize() == WEFT_OK);
    unsetenv("WEFT_DUMP_SIGNAL");
    start(1);
    is_default(SIGUSR1);
    NEED(weft_finalize() == WEFT_OK);
    is_default(SIGQUIT);
    std::signal(SIGQUIT, SIG_IGN);
    start(1);
    struct sigaction now;
    NEED(sigaction(SIGQUIT, nullptr, &now) == 0 && now.sa_handler == SIG_IGN);
    NEED(weft_finalize() == WEFT_OK);
    std::signal(SIGQUIT, SIG_DFL);
    weft_ext_leave_signals();
    start(1);
    is_default(SIGQUIT);
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("SIGQUIT has all threads written, and ends the program as it does without Weft") {
  for (const unsigned workers : {1U, 2U}) {
    for (const bool is_busy : {false, true}) {
      const child_end end = run_in_child([workers, is_busy] {
        std::signal(SIGQUIT, SIG_DFL);
        alarm(100);
        start(workers);
        weft_event event = WEFT_EVENT_INIT;
        weft_thread* waiting = nullptr;
        NEED(weft_thread_create(waits_here, &event, nullptr, &waiting) == WEFT_OK);
        while (weft_thread_get_state(waiting) != WEFT_THREAD_BLOCKED) weft_yield();
        const pid_t sender = fork();
        if (sender == 0) _exit(kill(getppid(), SIGQUIT));
        if (!is_busy) static_cast<void>(weft_thread_join(waiting));
        for (;;) asm volatile("" ::: "memory");
        return 0;
      });
      INFO(workers, is_busy, end.errors);
      CHECK(end.signal == SIGQUIT);
      CHECK(count(end.errors, "(waits_here): waits for event") == 1);
      CHECK(end.says("main: "));
      CHECK(these_of(functions_of(end.errors, "(waits_here): waits for event"), {"waits_here"}).size() == 1);
    }
  }
}

TEST_CASE("SIGQUIT has all threads written once, however late the program dies") {
  const child_end end = run_in_child([] {
    std::signal(SIGQUIT, SIG_DFL);
    alarm(100);
    sigset_t quit, none;
    NEED(sigemptyset(&quit) == 0 && sigaddset(&quit, SIGQUIT) == 0 && sigemptyset(&none) == 0);
    NEED(sigprocmask(SIG_BLOCK, &quit, nullptr) == 0);  // so that no OS thread of Weft's dies of it
    const own_errors errors;
    start(2);
    NEED(raise(SIGQUIT) == 0);
    NEED(sigsuspend(&none) == -1);  // it is held again as soon as its handler ends
    while (count(errors.text(), "main: ") == 0) usleep(1000);
    usleep(50'000);
    errors.tell();
    NEED(sigprocmask(SIG_UNBLOCK, &quit, nullptr) == 0);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGQUIT);
  CHECK(count(end.errors, "main: ") <= 1);  // 0: it has died before the end of the handler
}

TEST_CASE("SIGQUIT on the OS thread that writes a dump already ends the program at once") {
  const child_end end = run_in_child([] {
    std::signal(SIGQUIT, SIG_DFL);
    start(1);  // without a watchdog: the handler itself would write
    weft_event event = WEFT_EVENT_INIT;
    for (int each = 0; each < 100; ++each) NEED(weft_thread_create(waits_here, &event, nullptr, nullptr) == WEFT_OK);
    int ends[2];
    NEED(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
    const pid_t writer = getpid();
    const pid_t sender = fork();
    if (sender == 0) {
      close(ends[1]);
      pollfd begun{ends[0], POLLIN, 0};
      _exit(poll(&begun, 1, -1) == 1 ? kill(writer, SIGQUIT) : 1);
    }
    static_cast<void>(weft_dump(ends[1]));
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGQUIT);
  CHECK(end.says("holds the runtime"));
}

TEST_CASE("the OS thread that writes a dump beside its caller takes no signals") {
  const child_end end = run_in_child([] {
    start(1);
    weft_event event = WEFT_EVENT_INIT;
    for (int each = 0; each < 100; ++each) NEED(weft_thread_create(waits_here, &event, nullptr, nullptr) == WEFT_OK);
    int ends[2];
    NEED(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
    const pid_t writer = getpid();
    const pid_t reader = fork();
    if (reader == 0) {
      pollfd begun{ends[0], POLLIN, 0};
      NEED(close(ends[1]) == 0 && poll(&begun, 1, -1) == 1);
      const std::optional<std::uint64_t> held = signals_held_by(writer, "weft-report");
      NEED(held.has_value());
      NEED(is_among(SIGQUIT, *held) && is_among(SIGTERM, *held) && is_among(SIGUSR1, *held));
      NEED(!is_among(SIGSEGV, *held) && !is_among(SIGABRT, *held));
      _exit(0);  // which ends the dump: nothing reads it any more
    }
    NEED(close(ends[0]) == 0);
    std::signal(SIGPIPE, SIG_IGN);
    static_cast<void>(weft_dump(ends[1]));
    int ended = 0;
    NEED(waitpid(reader, &ended, 0) == reader);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
}

TEST_CASE("a call that waits in the system goes on while SIGQUIT has all threads written") {
  const child_end end = run_in_child([] {
    std::signal(SIGQUIT, SIG_DFL);
    alarm(100);
    weft_config config = WEFT_CONFIG_INIT;
    config.workers = 2;
    config.caller_outside = true;
    NEED(weft_init(&config) == WEFT_OK);
    static weft_event event = WEFT_EVENT_INIT;
    for (int each = 0; each < 300; ++each) NEED(weft_thread_create(waits_here, &event, nullptr, nullptr) == WEFT_OK);
    int ends[2];
    NEED(pipe(ends) == 0);
    const pid_t reader = getpid();
    const pid_t sender = fork();
    if (sender == 0) {
      usleep(300'000);  // by then it reads
      _exit(kill(reader, SIGQUIT));
    }
    char byte;
    NEED(read(ends[0], &byte, 1) == 0);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.signal == SIGQUIT);
  CHECK(end.says("(waits_here): waits for event"));
}

TEST_CASE("a handler of the program's own stays") {
  const child_end end = run_in_child([] {
    setenv("WEFT_DUMP_SIGNAL", "usr1", 1);
    std::signal(SIGUSR1, [](int) { was_called = 1; });
    start(1);
    NEED(kill(getpid(), SIGUSR1) == 0);
    while (was_called == 0) weft_yield();
    return weft_finalize() == WEFT_OK ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("warning: WEFT_DUMP_SIGNAL: the program handles this signal itself"));
  CHECK(end.lines() == 1);
}

namespace {

void wait_for_each_other() {
  start(2);
  weft_event event = WEFT_EVENT_INIT;
  weft_thread* threads[50];
  for (auto& each : threads) NEED(weft_thread_create(waits_here, &event, nullptr, &each) == WEFT_OK);
  static_cast<void>(weft_thread_join(threads[0]));
}

}  // namespace

TEST_CASE("a deadlock's report shows every thread if it should") {
  for (const char* on : {"off", "deadlock"}) {
    const child_end end = run_in_child([on] {
      setenv("WEFT_DUMP_ON", on, 1);
      setenv("WEFT_DUMP_SIGNAL", "usr1", 1);  // its OS thread does not count as one that could still move
      setenv("WEFT_DEADLOCK", "abort", 1);
      wait_for_each_other();
      return 0;
    });
    const bool shows_all = on[0] == 'd';
    INFO(end.errors);
    CHECK(end.signal == SIGABRT);
    CHECK(end.says("weft: deadlock: nothing can ever run again"));
    CHECK(count(end.errors, "(waits_here): waits for event") == (shows_all ? 50 : 31));
    CHECK(end.says("... in all") == !shows_all);
    CHECK(these_of(functions_of(end.errors, "(waits_here): waits for event"), {"waits_here"}).size() == (shows_all ? 1 : 0));
    CHECK(count(end.errors, "#0 ") == (shows_all ? 51 : 0));  // main's as well
  }
}

TEST_CASE("the watchdog shows every thread if it should") {
  for (const char* on : {"off", "deadlock", "stall", "deadlock,stall"}) {
    const bool shows_all = std::string(on).find("stall") != std::string::npos;
    const child_end end = run_in_child([on, shows_all] {
      setenv("WEFT_DUMP_ON", on, 1);
      setenv("WEFT_WATCHDOG", "100ms", 1);
      const own_errors errors;
      blocked_worker blocked{errors, shows_all ? "(blocks_its_worker): running" : "watchdog: worker"};
      start(2);
      weft_thread* blocking = nullptr;
      NEED(weft_thread_create(blocks_its_worker, &blocked, nullptr, &blocking) == WEFT_OK);
      NEED(weft_thread_join(blocking) == WEFT_OK);
      NEED(weft_finalize() == WEFT_OK);
      errors.tell();
      return 0;
    });
    INFO(end.errors);
    CHECK(end.exit_code == 0);
    CHECK(end.says("watchdog: worker"));
    CHECK(end.says("(blocks_its_worker): running") == shows_all);
    if (!weft::test::has_process_vm_readv() || end.says("it went on meanwhile")) continue;
    CHECK(functions_of(end.errors, "(blocks_its_worker): running").empty() == !shows_all);
  }
}
