#include "os/env.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../support/child.hpp"
#include "os/env_value.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

using namespace weft;
using os::variable;

namespace {

using entries = std::vector<const char*>;

status read(os::settings* out, entries environment) {
  environment.push_back(nullptr);
  return os::read_settings(out, environment.data());
}

os::settings good(const entries& environment) {
  os::settings result;
  REQUIRE(read(&result, environment) == status::ok);
  return result;
}

// What a bad or unknown entry says; the exit code is the status.
test::child_end complaint(const entries& environment) {
  return test::run_in_child([&] {
    os::settings ignored;
    return static_cast<int>(read(&ignored, environment));
  });
}

std::string shown(const os::settings& from, variable which) {
  char text[64];
  os::format_setting(from, which, text, sizeof text);
  return text;
}

}  // namespace

TEST_CASE("an empty environment gives the defaults of the table") {
  const os::settings all = good({"HOME=/", "WEFT=1", "PATH"});
  CHECK(all.workers == 0);
  CHECK(all.stack_bytes == 192 * 1024);
  CHECK(all.fork_stack_bytes == 0);
  CHECK(all.wait_policy == WEFT_WAIT_HYBRID);
  CHECK(all.spin_ns == 20'000);
  CHECK(all.locality == WEFT_LOCALITY_STEAL);
  CHECK_FALSE(all.bind);
  CHECK(all.topology == nullptr);
  CHECK(all.guard == os::guard_choice::automatic);
  CHECK(all.stack_cache_bytes == 0);
  CHECK(all.deadlock == os::deadlock_action::report);
  CHECK(all.watchdog_ns == 0);
  CHECK(all.dump_on_signal == os::dump_signal::automatic);
  CHECK(all.dump_on == 0);
  CHECK_FALSE(all.stack_report);
  CHECK_FALSE(all.migrate);
  CHECK(all.held_locks);
  CHECK(all.given == 0);
}

TEST_CASE("a process without an environment has the defaults") {
  os::settings read;
  REQUIRE(os::read_settings(&read, nullptr) == status::ok);
  CHECK(read.stack_bytes == good({}).stack_bytes);
}

TEST_CASE("every variable reaches its field, and is known to be given") {
  const os::settings all = good({"WEFT_WORKERS=3",
                                 "WEFT_STACK_SIZE=1M",
                                 "WEFT_FORK_STACK_SIZE=2M",
                                 "WEFT_WAIT_POLICY=passive",
                                 "WEFT_SPIN=3ms",
                                 "WEFT_LOCALITY=domain",
                                 "WEFT_BIND=yes",
                                 "WEFT_TOPOLOGY=core:4",
                                 "WEFT_GUARD=canary",
                                 "WEFT_GUARD_SIZE=1M",
                                 "WEFT_STACK_CACHE=0",
                                 "WEFT_DEADLOCK=off",
                                 "WEFT_WATCHDOG=2s",
                                 "WEFT_DUMP_SIGNAL=usr2",
                                 "WEFT_DUMP_ON=deadlock,stall",
                                 "WEFT_STACK_REPORT=1",
                                 "WEFT_MIGRATE=true",
                                 "WEFT_HELD_LOCKS=off",
                                 "WEFT_BLOCKING=1ms",
                                 "WEFT_BLOCKING_THREADS=7",
                                 "WEFT_SCHEDULE=seed:7",
                                 "WEFT_STATS=1",
                                 "WEFT_TRACE=here.json",
                                 "WEFT_TRACE_SIZE=1M"});
  CHECK(all.workers == 3);
  CHECK(all.stack_bytes == 1u << 20);
  CHECK(all.fork_stack_bytes == 2u << 20);
  CHECK(all.wait_policy == WEFT_WAIT_PASSIVE);
  CHECK(all.spin_ns == 3'000'000);
  CHECK(all.locality == WEFT_LOCALITY_DOMAIN);
  CHECK(all.bind);
  CHECK(std::string(all.topology) == "core:4");
  CHECK(all.guard == os::guard_choice::canary);
  CHECK(all.guard_bytes == 1u << 20);
  CHECK(all.stack_cache_bytes == 0);
  CHECK(all.deadlock == os::deadlock_action::off);
  CHECK(all.watchdog_ns == 2'000'000'000);
  CHECK(all.dump_on_signal == os::dump_signal::usr2);
  CHECK(all.dump_on == (os::at_deadlock | os::at_stall));
  CHECK(all.stack_report);
  CHECK(all.blocking_ns == 1'000'000);
  CHECK(all.blocking_threads == 7);
  CHECK(all.migrate);
  CHECK_FALSE(all.held_locks);
  CHECK(std::string(all.schedule) == "seed:7");
  CHECK(all.stats);
  CHECK(std::string(all.trace) == "here.json");
  CHECK(all.trace_bytes == 1u << 20);
  CHECK(all.given == (1u << os::variable_count) - 1);
  CHECK(shown(all, variable::stack_size) == "1M");
  CHECK(shown(all, variable::spin) == "3ms");
  CHECK(shown(all, variable::topology) == "core:4");
  CHECK(shown(all, variable::schedule) == "seed:7");
  CHECK(shown(all, variable::trace) == "here.json");
  CHECK(shown(all, variable::wait_policy) == "passive");
}

TEST_CASE("with raised privileges what names files or a signal is not read, whatever it says") {
  const entries all = {"WEFT_TRACE=/tmp/victim", "WEFT_SCHEDULE=record:/tmp/victim", "WEFT_DUMP_SIGNAL=nonsense",
                       "WEFT_WORKERS=3", nullptr};
  const test::child_end end = test::run_in_child([&] {
    os::settings read;
    NEED(os::read_settings(&read, all.data(), os::privileges::raised) == status::ok);
    NEED(read.trace == nullptr && read.schedule == nullptr && read.dump_on_signal == os::dump_signal::automatic);
    NEED(!read.is_given(variable::trace) && read.workers == 3);
    os::report_ignored(read);
    return 0;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.lines() == 1);
  CHECK(end.says("raised privileges (AT_SECURE): WEFT_DUMP_SIGNAL, WEFT_SCHEDULE, WEFT_TRACE;"));
}

TEST_CASE("a trace is written at the end, or kept, for a file or for none") {
  const struct {
    const char* entry;
    const char* file;
    bool keeps;
  } forms[] = {{"WEFT_TRACE=a.json", "a.json", false},     {"WEFT_TRACE=keep:a.json", "a.json", true},
               {"WEFT_TRACE=keep", nullptr, true},         {"WEFT_TRACE=keeper", "keeper", false},
               {"WEFT_TRACE=./keep:a", "./keep:a", false}, {"WEFT_TRACE=keep:keep:a", "keep:a", true}};
  for (const auto& each : forms) {
    const entries all = {each.entry, nullptr};
    os::settings read;
    REQUIRE(os::read_settings(&read, all.data()) == status::ok);
    CHECK(read.keeps_trace == each.keeps);
    CHECK((read.trace_file == nullptr) == (each.file == nullptr));
    if (each.file != nullptr) CHECK(std::string(read.trace_file) == each.file);
    CHECK(read.trace != nullptr);
  }
}

TEST_CASE("a trace that is kept for a file without a name is refused") {
  const test::child_end end = test::run_in_child([] {
    const entries all = {"WEFT_TRACE=keep:", nullptr};
    os::settings read;
    return os::read_settings(&read, all.data()) == status::invalid ? 0 : 1;
  });
  INFO(end.errors);
  CHECK(end.exit_code == 0);
  CHECK(end.says("error: WEFT_TRACE=keep:: want a file's name, keep:FILE, or keep"));
}

TEST_CASE("with raised privileges and nothing to ignore, nothing is said") {
  const entries all = {"WEFT_WORKERS=3", "WEFT_TRACE=", nullptr};
  const test::child_end end = test::run_in_child([&] {
    os::settings read;
    NEED(os::read_settings(&read, all.data(), os::privileges::raised) == status::ok);
    os::report_ignored(read);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

#if defined(__SANITIZE_ADDRESS__)
TEST_CASE("an entry whose memory went is passed over, as by getenv") {
  char entry[] = "PATH=here";
  __asan_poison_memory_region(entry, sizeof entry);
  os::settings result;
  const status found = read(&result, {entry});
  __asan_unpoison_memory_region(entry, sizeof entry);
  CHECK(found == status::ok);
}
#endif

TEST_CASE("an empty value counts as unset") {
  const os::settings all = good({"WEFT_WORKERS=", "WEFT_GUARD="});
  CHECK(all.workers == 0);
  CHECK(all.given == 0);
}

TEST_CASE("a bad value is one line with variable, value and what is accepted") {
  struct {
    const char* entry;
    const char* accepted;
  } const bad[] = {
      {"WEFT_WORKERS=0", "1 to 1024"},
      {"WEFT_WORKERS=1025", "1 to 1024"},
      {"WEFT_WORKERS=two", "1 to 1024"},
      {"WEFT_WORKERS=-1", "1 to 1024"},
      {"WEFT_WORKERS=2K", "1 to 1024"},
      {"WEFT_WORKERS=99999999999999999999999", "1 to 1024"},
      {"WEFT_STACK_SIZE=4K", "16K to 1G"},
      {"WEFT_STACK_SIZE=2G", "16K to 1G"},
      {"WEFT_STACK_SIZE=64Q", "16K to 1G"},
      {"WEFT_STACK_SIZE=0", "16K to 1G"},
      {"WEFT_STACK_SIZE=9223372036854775808", "16K to 1G"},
      {"WEFT_GUARD_SIZE=0", "4K to 1G"},
      {"WEFT_GUARD_SIZE=1", "4K to 1G"},
      {"WEFT_GUARD_SIZE=9223372036854775808", "4K to 1G"},
      {"WEFT_GUARD_SIZE=none", "4K to 1G"},
      {"WEFT_STACK_SIZE=18446744073709551615K", "16K to 1G"},
      {"WEFT_WAIT_POLICY=lazy", "hybrid|passive|active"},
      {"WEFT_WAIT_POLICY=hybrid|passive", "hybrid|passive|active"},
      {"WEFT_SPIN=2m", "0 to 1s"},
      {"WEFT_SPIN=us", "0 to 1s"},
      {"WEFT_WATCHDOG=5", "off, or 1ms to 3600s"},
      {"WEFT_WATCHDOG=999us", "off, or 1ms to 3600s"},
      {"WEFT_WATCHDOG=3601s", "off, or 1ms to 3600s"},
      {"WEFT_BIND=maybe", "on or off"},
      {"WEFT_DEADLOCK=yes", "report|abort|off"},
  };
  for (const auto& each : bad) {
    CAPTURE(each.entry);
    const auto end = complaint({each.entry});
    CHECK(end.exit_code == WEFT_INVALID);
    CHECK(end.lines() == 1);
    CHECK(end.says(each.entry));
    CHECK(end.says(each.accepted));
  }
}

TEST_CASE("a hand-over without blocking regions is refused in one line that names the cure") {
  const char* const cure = "cure: wrap it in weft_blocking (C++: weft::blocking); WEFT_WATCHDOG=200ms names such calls\n";
  for (const char* each : {"WEFT_BLOCKING=auto", "WEFT_BLOCKING=AUTO"}) {
    const auto end = complaint({each});
    INFO(end.errors);
    CHECK(end.exit_code == WEFT_INVALID);
    CHECK(end.lines() == 1);
    CHECK(end.says((std::string("error: ") + each + ": want a time in ns, us, ms or s, 0 to 1s; ").c_str()));
    CHECK(end.says(cure));
  }
  for (const char* each : {"WEFT_BLOCKING=automatic", "WEFT_BLOCKING=2s", "WEFT_SPIN=auto"}) {
    CHECK_FALSE(complaint({each}).says("weft_blocking"));
  }
  CHECK(good({"WEFT_GUARD=auto"}).guard == os::guard_choice::automatic);
}

TEST_CASE("all bad values of one environment are named at once, and the output is left alone") {
  const auto end = complaint({"WEFT_WORKERS=0", "WEFT_BIND=7", "WEFT_SPIN=1ms"});
  CHECK(end.exit_code == WEFT_INVALID);
  CHECK(end.lines() == 2);
  os::settings kept;
  kept.workers = 99;
  const auto unchanged =
      test::run_in_child([&] { return read(&kept, {"WEFT_WORKERS=0"}) == status::invalid && kept.workers == 99; });
  CHECK(unchanged.exit_code == 1);
}

TEST_CASE("an unknown name is one warning with the nearest name, and nothing worse") {
  const auto near = complaint({"WEFT_WORKER=4"});
  CHECK(near.exit_code == WEFT_OK);
  CHECK(near.lines() == 1);
  CHECK(near.says("WEFT_WORKER;"));
  CHECK(near.says("did you mean WEFT_WORKERS?"));
  CHECK(complaint({"WEFT_STACKSIZE=1"}).says("WEFT_STACK_SIZE?"));
  const auto far = complaint({"WEFT_COLOUR_OF_THE_SKY=blue"});
  CHECK(far.exit_code == WEFT_OK);
  CHECK(far.lines() == 1);
  CHECK_FALSE(far.says("did you mean"));
  const auto lengthy = complaint({("WEFT_" + std::string(300, 'X') + "=1").c_str()});
  CHECK(lengthy.exit_code == WEFT_OK);
  CHECK(lengthy.lines() == 1);
}

TEST_CASE("names for test programs and of the threads interface are nobody's business") {
  CHECK(complaint({"WEFT_TEST_SEED=4"}).errors.empty());
  CHECK(complaint({"WEFT_THREADS=fifo", "WEFT_THREADS_LIMIT=3"}).errors.empty());
  CHECK(complaint({"WEFT_LAUNCH_RANKS=2", "WEFT_DIST_STACK=1M"}).errors.empty());
  CHECK(complaint({"WEFT_MPI_POLL=1ms"}).errors.empty());
}

TEST_CASE("flags know the usual words") {
  for (const char* each : {"WEFT_BIND=1", "WEFT_BIND=on", "WEFT_BIND=YES", "WEFT_BIND=true"}) CHECK(good({each}).bind);
  for (const char* each : {"WEFT_BIND=0", "WEFT_BIND=off", "WEFT_BIND=No", "WEFT_BIND=false"}) CHECK_FALSE(good({each}).bind);
}

TEST_CASE("numbers may carry any of their units") {
  CHECK(good({"WEFT_STACK_SIZE=65536"}).stack_bytes == 65536);
  CHECK(good({"WEFT_STACK_SIZE=64k"}).stack_bytes == 65536);
  CHECK(good({"WEFT_GUARD_SIZE=4097"}).guard_bytes == 4097);  // whole pages: mem::guard_bytes
  CHECK(good({}).guard_bytes == 0);
  CHECK(good({"WEFT_STACK_SIZE=1G"}).stack_bytes == 1u << 30);
  CHECK(good({"WEFT_SPIN=987654321"}).spin_ns == 987'654'321);
  CHECK(good({"WEFT_SPIN=10"}).spin_ns == 10);
  CHECK(good({"WEFT_SPIN=1500"}).spin_ns == 1500);
  CHECK(good({"WEFT_SPIN=1500ns"}).spin_ns == 1500);
  CHECK(good({"WEFT_SPIN=1s"}).spin_ns == 1'000'000'000);
  CHECK(good({"WEFT_WATCHDOG=off"}).watchdog_ns == 0);
  CHECK(good({"WEFT_WATCHDOG=0"}).watchdog_ns == 0);
  CHECK(good({"WEFT_WATCHDOG=1ms"}).watchdog_ns == 1'000'000);
  CHECK(good({"WEFT_DUMP_ON=deadlock"}).dump_on == os::at_deadlock);
  CHECK(good({"WEFT_DUMP_ON=stall"}).dump_on == os::at_stall);
}

TEST_CASE("every default of the table is a value that the table accepts, and is shown as it is written") {
  const os::settings all = good({});
  for (unsigned i = 0; i < os::variable_count; ++i) {
    const os::variable_info& each = os::info(static_cast<variable>(i));
    if (each.default_text != nullptr) CHECK(shown(all, each.id) == each.default_text);
  }
}

TEST_CASE("edit distance") {
  CHECK(os::edit_distance("", "") == 0);
  CHECK(os::edit_distance("kitten", "sitting") == 3);
  CHECK(os::edit_distance("abc", "") == 3);
  CHECK(os::edit_distance("", "abc") == 3);
  CHECK(os::edit_distance(std::string(64, 'a').c_str(), "a") == SIZE_MAX);
}
