// What becomes of records in the file. The whole, from a program's events on, is tested by
// api.trace.
#include "trace/chrome.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "os/peek.hpp"

using namespace weft::trace;

namespace {

struct recorded {
  recorder* all = nullptr;
  std::string path;

  explicit recorded(std::size_t ring_bytes = 64 * sizeof(record)) {
    char name[] = "/tmp/weft-chrome-XXXXXX";
    close(mkstemp(name));
    path = name;
    REQUIRE(start(&all, name, ring_bytes) == weft::status::ok);
    all->workers = 2;
  }
  ~recorded() { unlink(path.c_str()); }

  std::string end(const record* more = nullptr, std::size_t count = 0) {
    CHECK(write(all, more, count, "a test", false));
    stop(all);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

// A turn from `begin` to `end` steps of the clock after its start.
record turn(const recorder* of, std::uint64_t thread, std::uint64_t begin, std::uint64_t end, leave how = leave::ended) {
  record made{};
  made.kind = record_kind::turn;
  made.thread = thread;
  made.begin = of->time.first() + begin;
  made.end = of->time.first() + end;
  made.how = how;
  return made;
}

int count(const std::string& text, const char* what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("an empty trace is a file all the same") {
  recorded one;
  const std::string text = one.end();
  CHECK(count(text, "\"traceEvents\":[") == 1);
  CHECK(count(text, "\"name\":\"worker ") == 2);
  CHECK(text.ends_with("\n]}\n"));
}

TEST_CASE("what there was no memory for is counted by itself") {
  recorded one(std::size_t{1} << 60);
  put(one.all, 0, turn(one.all, 5, 10, 20));
  CHECK(count(one.end(), "\"records_lost\":1,\"lost_without_memory\":1,") == 1);
}

TEST_CASE("what another process has written to the file meanwhile is gone") {
  recorded one;
  std::ofstream(one.path) << std::string(100'000, '~');
  const std::string text = one.end();
  CHECK(count(text, "~") == 0);
  CHECK(text.ends_with("\n]}\n"));
}

TEST_CASE("a turn that somebody made ready has an arrow with two ends") {
  recorded one;
  record made = turn(one.all, 7, 2000, 3000);
  made.why = reason::woken;
  made.other = 1;
  made.since = one.all->time.first() + 1000;
  made.left = one.all->time.first() + 500;
  made.about = "mutex";
  put(one.all, 1, made);
  const std::string text = one.end();
  CHECK(count(text, "\"ph\":\"s\",\"pid\":1,\"tid\":0") == 1);
  CHECK(count(text, "\"ph\":\"f\",\"pid\":1,\"tid\":1") == 1);
  CHECK(count(text, "\"name\":\"wake\"") == 2);
  char seen[sizeof "mutex"];
  const bool can_look = weft::os::peek_text("mutex", seen, sizeof seen);  // not so under an emulator
  CHECK(count(text, can_look ? "\"waited_for\":\"mutex\"" : "\"waited_for\":\"something\"") == 1);
  CHECK(count(text, "\"name\":\"waits\"") == 1);
  CHECK(count(text, "\"name\":\"ready\"") == 1);
  CHECK(count(text, "\"name\":\"running\"") == 1);
}

// Of the only event with the text: where it begins, and how long it is.
struct times {
  double at = 0, length = 0;
};
times times_of(const std::string& text, const char* what) {
  REQUIRE(count(text, what) == 1);
  const std::size_t found = text.find(what), first = text.rfind('\n', found) + 1;
  const std::string line = text.substr(first, text.find('\n', found) - first);
  const auto number = [&line](const char* name) {
    const std::size_t at = line.find(name);
    return at == std::string::npos ? 0 : std::stod(line.substr(at + std::strlen(name)));
  };
  return {number("\"ts\":"), number("\"dur\":")};
}

TEST_CASE("an arrow begins inside the turn from which it leads, also where that has just ended") {
  constexpr std::uint64_t since[] = {150'000, 299'999, 300'000, 350'000, 50'000};  // inside, near the end, at it, later, before
  for (const std::uint64_t each : since) {
    recorded one;
    put(one.all, 0, turn(one.all, 1, 100'000, 300'000));
    record made = turn(one.all, 7, 400'000, 500'000);
    made.why = reason::woken;
    made.other = 1;
    made.since = one.all->time.first() + each;
    put(one.all, 1, made);
    const std::string text = one.end();
    const times from = times_of(text, "\"thread\":1,"), arrow = times_of(text, "\"ph\":\"s\"");
    CHECK(arrow.at >= from.at);
    CHECK(arrow.at < from.at + from.length);
    const double told = times_of(text, "\"thread\":7,").at + static_cast<double>(each) * from.length / 200'000 - 2 * from.length;
    if (each == since[0]) CHECK(arrow.at == doctest::Approx(told).epsilon(0.001));
  }
}

TEST_CASE("a turn that begins after the one to which an arrow leads is not where it begins") {
  recorded one;
  put(one.all, 0, turn(one.all, 2, 100'000, 200'000));
  put(one.all, 0, turn(one.all, 1, 600'000, 700'000));
  record made = turn(one.all, 7, 400'000, 500'000);
  made.why = reason::woken;
  made.other = 1;
  made.since = one.all->time.first() + 300'000;
  put(one.all, 1, made);
  const std::string text = one.end();
  CHECK(times_of(text, "\"ph\":\"s\"").at <= times_of(text, "\"thread\":7,").at);
}

TEST_CASE("a yield and an unknown begin have none") {
  recorded one;
  record made = turn(one.all, 7, 2000, 3000, leave::yielded);
  made.why = reason::yielded;
  made.since = one.all->time.first() + 1000;
  put(one.all, 0, made);
  put(one.all, 0, turn(one.all, 8, 4000, 5000));
  const std::string text = one.end();
  CHECK(count(text, "\"cat\":\"turn\"") == 2);
  CHECK(count(text, "\"cat\":\"flow\"") == 0);
}

TEST_CASE("records of one ring that are older than another's begin are left out") {
  recorded one(4 * sizeof(record));
  put(one.all, 0, turn(one.all, 5, 10, 20));
  for (std::uint64_t index = 0; index < 10; ++index)
    put(one.all, 1, turn(one.all, 100 + index, 1000 * index, 1000 * index + 500));
  const std::string text = one.end();
  CHECK(count(text, "\"cat\":\"turn\"") == 3);
  CHECK(count(text, "\"thread\":5,") == 0);
  CHECK(count(text, "\"thread\":109,") == 1);
  CHECK(count(text, "\"records_lost\":7") == 1);
}

TEST_CASE("what is under way at the end stands on its worker, by its name") {
  recorded one;
  record more[2] = {turn(one.all, 3, 100, 200, leave::none), {}};
  more[0].worker = 1;
  more[1].kind = record_kind::name;
  more[1].thread = 3;
  more[1].begin = one.all->time.first();
  std::strcpy(more[1].name, "Kant");
  const std::string text = one.end(more, 2);
  CHECK(count(text, "\"pid\":1,\"tid\":1,\"ts\"") == 1);
  CHECK(count(text, "\"name\":\"Kant 3\"") == 2);  // the track and the turn
  CHECK(count(text, "\"left\":\"running\"") == 1);
}

TEST_CASE("a note is a mark on its worker, with its value") {
  recorded one;
  put(one.all, 0, turn(one.all, 5, 1000, 3000));
  record note{};
  note.kind = record_kind::note;
  note.begin = note.end = one.all->time.first() + 2000;
  note.thread = 5;
  note.other = 12345;
  note.about = "made \"here\" (bytes)";
  put(one.all, 1, note);
  const std::string text = one.end();
  char seen[8];
  const bool can_look = weft::os::peek_text("made", seen, sizeof seen);  // not so under an emulator
  const std::string name = can_look ? "made \\\"here\\\" (bytes)" : "something";
  const std::string event = "\"cat\":\"note\",\"name\":\"" + name + "\",\"args\":{\"thread\":5,\"value\":12345}";
  CHECK(count(text, event.c_str()) == 1);
  CHECK(count(text, "{\"ph\":\"i\",\"pid\":1,\"tid\":1,") == 1);
  CHECK(count(text, "\"cat\":\"turn\"") == 1);
}

TEST_CASE("a steal is three spans on its thief's track, without those that took no time") {
  recorded one;
  const std::uint64_t first = one.all->time.first();
  record steal{};
  steal.kind = record_kind::steal;
  steal.thread = 9;
  steal.on = 3;
  steal.other = 440;
  steal.begin = first + 1000;
  steal.since = first + 2000;
  steal.left = first + 3000;
  steal.end = first + 4000;
  put(one.all, 1, steal);
  steal.since = steal.left = steal.begin;
  steal.thread = 8;
  put(one.all, 1, steal);
  const std::string text = one.end();
  const std::string said = "\"args\":{\"thread\":9,\"victim\":3,\"bytes\":440}}";
  for (const char* const name : {"claim", "copy", "take up"}) {
    const std::string event = std::string("\"cat\":\"steal\",\"name\":\"") + name + "\"," + said;
    CHECK(count(text, event.c_str()) == 1);
  }
  CHECK(count(text, "{\"ph\":\"X\",\"pid\":1,\"tid\":1,") == 4);
  CHECK(count(text, "\"thread\":8,\"victim\"") == 1);
}

TEST_CASE("clocks of machines are told, and their workers' tracks name them") {
  recorded one;
  aligned_clock clocks[2] = {{"first", 0, 0, 0}, {"sec\"ond", -2'000'000, -25e-9, 500}};
  one.all->clocks = clocks;
  put(one.all, 0, turn(one.all, 5, 10, 20));
  const std::string text = one.end();
  CHECK(count(text, "{\"worker\":0,\"node\":\"first\",\"ahead_us\":0.000,\"rate_ppb\":0,\"error_us\":0.000}") == 1);
  CHECK(count(text, "{\"worker\":1,\"node\":\"sec\\\"ond\",\"ahead_us\":-") == 1);
  CHECK(count(text, ",\"rate_ppb\":-25,") == 1);
  CHECK(count(text, "\"worker 1 on sec\\\"ond\"") == 1);
}

TEST_CASE("after the end nothing is recorded, and nothing is written twice") {
  recorded one;
  put(one.all, 0, turn(one.all, 5, 10, 20));
  CHECK(write(one.all, nullptr, 0, "first", false));
  put(one.all, 0, turn(one.all, 6, 30, 40));
  const std::string text = one.end();
  CHECK(count(text, "\"ended\":") == 1);
  CHECK(count(text, "\"cat\":\"turn\"") == 1);
}
