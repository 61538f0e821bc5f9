// How C++ threads, which have no name, are called in overflow messages, deadlock reports, dumps and
// traces: by the place in the source where they were made, by their callable's type, or by their
// function; and that they were made in the user's function, not in Weft's or the C++ library's
// headers.
#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <source_location>
#include <sstream>
#include <string>
#include <vector>

#include <weft/ext.h>
#include <weft/fiber/all.hpp>
#include <weft/weft.hpp>

#include "../support/child.hpp"

using weft::test::child_end;
using weft::test::run_in_child;

namespace kitchen {

void wait_for(weft_event* event) { static_cast<void>(weft_event_wait(event)); }

void entry_in_c(void* event) { wait_for(static_cast<weft_event*>(event)); }

int wait_and_add(weft_event* event, int number) {
  wait_for(event);
  return number + 1;
}

struct cook {
  weft_event* event;
  void operator()(int) const { wait_for(event); }
};

struct menu {
  unsigned by_lambda = 0, by_group = 0, by_async = 0, with_attributes = 0, by_c = 0, by_fiber = 0, of_race = 0;
};
// Written by the child that makes the threads.
menu& lines = *static_cast<menu*>(mmap(nullptr, sizeof(menu), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

struct everybody {
  weft_event event = WEFT_EVENT_INIT;
  std::vector<weft::thread> threads;
  std::vector<weft::fibers::fiber> fibers;
  std::vector<weft::future<void>> futures;
  std::vector<weft::future<int>> numbers;
  weft::task_group group;
  weft_thread* in_c = nullptr;
  weft_status c_status = WEFT_OK;
};

[[gnu::noinline]] void make_all(everybody* all) {
  weft_event* const event = &all->event;
  lines.by_lambda = __LINE__ + 1;
  weft::thread by_lambda([event] { wait_for(event); });
  all->threads.push_back(std::move(by_lambda));
  lines.with_attributes = __LINE__ + 1;
  weft::thread with_attributes({.name = "named"}, [event] { wait_for(event); });
  all->threads.push_back(std::move(with_attributes));
  all->threads.emplace_back([event, all] { wait_for(all != nullptr ? event : nullptr); });
  all->threads.emplace_back(wait_for, event);
  weft::thread by_object(cook{event}, 7);
  all->threads.push_back(std::move(by_object));
  lines.by_async = __LINE__ + 1;
  all->futures.push_back(weft::async([event] { wait_for(event); }));
  all->numbers.push_back(weft::async(wait_and_add, event, 1));
  lines.by_group = __LINE__ + 1;
  all->group.run([event] { wait_for(event); });
  lines.by_fiber = __LINE__ + 1;
  weft::fibers::fiber by_fiber([event] { wait_for(event); });
  all->fibers.push_back(std::move(by_fiber));
  lines.by_c = __LINE__ + 1;
  all->c_status = weft_thread_create(entry_in_c, event, nullptr, &all->in_c);
}

void end_all(everybody* all) {
  static_cast<void>(weft_event_set(&all->event));
  for (weft::thread& each : all->threads) each.join();
  for (weft::fibers::fiber& each : all->fibers) each.join();
  for (auto& each : all->futures) each.get();
  for (auto& each : all->numbers) static_cast<void>(each.get());
  all->group.wait();
  if (all->c_status == WEFT_OK) static_cast<void>(weft_thread_join(all->in_c));
}

[[gnu::noinline]] int go_deeper(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : go_deeper(depth + 1) + frame[0];
}

volatile int sink;

[[gnu::noinline]] void fork_without_end() {
  auto child = weft::fork([] { sink = go_deeper(0); });
  for (;;) pause();  // another worker takes it
  child.join();
}

volatile int raced;
std::atomic<int> racing = 0;

// Two callers run at the same time, on a worker each, and nothing orders what they do then. They do
// it often, since TSan may miss two accesses at the very same time.
void race_by(int number) {
  racing.fetch_add(1, std::memory_order_relaxed);
  while (racing.load(std::memory_order_relaxed) < 2) {
  }
  for (int round = 0; round < 1000; ++round) raced = raced + number;
}

void race() {
  lines.of_race = __LINE__ + 1;
  weft::thread by_place({.worker = 1}, [] { race_by(1); });
  weft::thread by_type({.worker = 0}, [](int number) { race_by(number); }, 2);
  by_type.join();
  by_place.join();
}

}  // namespace kitchen

namespace {

std::string at_line(unsigned line) { return "(report_names.cpp:" + std::to_string(line) + ")"; }

// The line of the thread that `what` names, without backtraces.
std::string line_with(const std::string& text, const std::string& what) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

void check_made_in_make_all(const std::string& text, const std::string& what, unsigned line) {
  const std::string found = line_with(text, what);
  INFO(what);
  INFO(found);
  CHECK(found.find("; made in kitchen::make_all") != std::string::npos);
  if (line != 0) CHECK(found.find("make_all " + at_line(line)) != std::string::npos);
}

// Where in the line `kind` stands before a thread's number or address.
std::size_t name_in(const std::string& line, const std::string& kind) {
  const std::size_t at = line.find(kind);
  if (at == std::string::npos) return at;
  const std::string which = line.substr(at + kind.size());
  const bool is_one = which.starts_with("at 0x") || (!which.empty() && std::isdigit(static_cast<unsigned char>(which[0])) != 0);
  return is_one ? at : std::string::npos;
}

// What threads are called, and where they were made, holds nothing of Weft's headers, and nothing
// that only a linker understands.
void check_readable(const std::string& text) {
  std::istringstream lines(text);
  int threads = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = std::min(name_in(line, "thread "), name_in(line, "fork "));
    if (at == std::string::npos) continue;
    ++threads;
    INFO(line);
    for (const char* unreadable : {"detail::", "std::", "_Z"}) CHECK(line.find(unreadable, at) == std::string::npos);
  }
  CHECK(threads > 0);
}

void check_all(const std::string& text) {
  using kitchen::lines;
  check_readable(text);
  check_made_in_make_all(text, " " + at_line(lines.by_lambda) + ":", lines.by_lambda);
  check_made_in_make_all(text, " \"named\" " + at_line(lines.with_attributes) + ":", lines.with_attributes);
  check_made_in_make_all(text, " (kitchen::make_all::{lambda#", 0);
  CHECK(line_with(text, " (kitchen::wait_for):") != "");  // from inside a vector: its maker is not known
  check_made_in_make_all(text, " (kitchen::cook):", 0);
  check_made_in_make_all(text, " " + at_line(lines.by_async) + ":", lines.by_async);
  check_made_in_make_all(text, " (kitchen::make_all+0x", 0);  // a function's future: no more is known of it
  check_made_in_make_all(text, " " + at_line(lines.by_group) + ":", lines.by_group);
  check_made_in_make_all(text, " " + at_line(lines.by_fiber) + ":", lines.by_fiber);
  // By the debug information with which this file is compiled.
  const std::string in_c = line_with(text, " (kitchen::entry_in_c):");
  INFO(in_c);
  CHECK(in_c.find("; made in kitchen::make_all+0x") != std::string::npos);
  CHECK(in_c.ends_with(" " + at_line(lines.by_c)));
}

#if defined(__SANITIZE_THREAD__)
constexpr bool is_checked_for_races = true;
#else
constexpr bool is_checked_for_races = false;
#endif

std::string contents_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("both standard libraries lay places down as weft_ext_place has them") {
  const std::source_location here = std::source_location::current();
  const weft_ext_place* const place = weft::detail::caller(here).place();
  CHECK(std::strcmp(place->file, here.file_name()) == 0);
  CHECK(std::strcmp(place->function, here.function_name()) == 0);
  CHECK(place->line == here.line());
  CHECK(place->column == here.column());
}

TEST_CASE("dumps") {
  const child_end end = run_in_child([] {
    const weft::runtime runtime({.workers = 2});
    kitchen::everybody all;
    kitchen::make_all(&all);
    NEED(weft_sleep_ns(20'000'000) == WEFT_OK);
    NEED(weft_dump(STDERR_FILENO) == WEFT_OK);
    kitchen::end_all(&all);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  check_all(end.errors);
}

// After a fork TSan has OS threads of its own that wake now and then: it is never certain.
TEST_CASE("deadlock reports" * doctest::skip(is_checked_for_races)) {
  const child_end end = run_in_child([] {
    setenv("WEFT_DEADLOCK", "abort", 1);
    const weft::runtime runtime({.workers = 2});
    kitchen::everybody all;
    kitchen::make_all(&all);
    all.threads.front().join();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.says("weft: deadlock: "));
  check_all(end.errors);
}

TEST_CASE("overflow messages") {
  static unsigned line;
  line = __LINE__ + 3;
  const child_end by_place = run_in_child([] {
    const weft::runtime runtime({.workers = 1});
    weft::thread([] { kitchen::sink = kitchen::go_deeper(0); }).join();
    return 0;
  });
  INFO(by_place.errors);
  CHECK(by_place.says(("stack overflow in thread 2 " + at_line(line) + "\n").c_str()));
  CHECK(by_place.says((at_line(line) + "\nweft:   cure").c_str()));
  const child_end by_type = run_in_child([] {
    const weft::runtime runtime({.workers = 1});
    weft::thread([](int depth) { kitchen::sink = kitchen::go_deeper(depth); }, 0).join();
    return 0;
  });
  INFO(by_type.errors);
  CHECK(by_type.says("{lambda#"));
  check_readable(by_type.errors);
  const child_end by_function = run_in_child([] {
    const weft::runtime runtime({.workers = 1});
    weft::thread(kitchen::go_deeper, 0).join();
    return 0;
  });
  INFO(by_function.errors);
  CHECK(by_function.says("(kitchen::go_deeper)\n"));
}

TEST_CASE("a fork that was taken has its function's name") {
  const child_end end = run_in_child([] {
    const weft::runtime runtime({.workers = 2});
    kitchen::fork_without_end();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.says("stack overflow in fork 2 (kitchen::fork_without_end::{lambda#"));
}

TEST_CASE("traces") {
  char path[] = "/tmp/weft-names-XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  close(file);
  const child_end end = run_in_child([&path] {
    setenv("WEFT_TRACE", path, 1);
    const weft::runtime runtime({.workers = 2});
    kitchen::everybody all;
    kitchen::make_all(&all);
    kitchen::end_all(&all);
    return 0;
  });
  const std::string trace = contents_of(path);
  unlink(path);
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  const auto says = [&trace](const std::string& words) { return trace.find(words) != std::string::npos; };
  CHECK(says("\"name\":\"report_names.cpp:" + std::to_string(kitchen::lines.by_lambda) + " "));
  CHECK(says("\"label\":\"report_names.cpp:" + std::to_string(kitchen::lines.by_group) + "\""));
  CHECK(says("\"function\":\"kitchen::cook\""));
  CHECK(says("\"function\":\"kitchen::make_all::{lambda#"));
  CHECK_FALSE(says("run_packed<"));
  CHECK_FALSE(says("_ZN"));
}

TEST_CASE("race reports" * doctest::skip(!is_checked_for_races)) {
  const child_end end = run_in_child([] {
    const weft::runtime runtime({.workers = 2});
    kitchen::race();
    return 0;
  });
  INFO(end.errors);
  CHECK(end.says("data race"));
  const std::string at_race = "report_names.cpp:" + std::to_string(kitchen::lines.of_race);
  CHECK(end.says("'weft thread at 0x"));
  CHECK(end.says((" (" + at_race + ")'").c_str()));
  CHECK(end.says(" (kitchen::race::{lambda#"));
}
