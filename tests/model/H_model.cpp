// Protocol H over src/trace/ring.hpp and recorder.cpp: a thread that reads a ring at the end reads
// whole records, although its writer still writes; and so does one that copies the ring meanwhile.
// Built with src/trace/recorder.cpp
#include "explorer/explorer.hpp"
#include "os/file.hpp"
#include "os/vm.hpp"
#include "trace/recorder.hpp"

using namespace explorer::words;

// Of recorder.cpp's begin and end, which the models leave out.
std::size_t weft::os::page_bytes() { return 4096; }
void* weft::os::reserve(std::size_t, std::size_t) { return nullptr; }
void weft::os::release(void*, std::size_t) {}
const char* weft::os::why_not_opened(int) { return ""; }

namespace weft::trace {

constexpr std::size_t most = 4;
alignas(64) record memory[most];

bool ring::start(std::size_t bytes) {
  places_ = memory;
  capacity_ = bytes / sizeof(record);
  return capacity_ <= most;
}
void ring::stop() {}
void clock::start() {}
bool output::start(const char*) { return true; }
void output::stop() {}

}  // namespace weft::trace

namespace {

using namespace weft::trace;

record number(std::uint64_t value) {
  record made{};
  made.thread = made.begin = value;
  return made;
}

// The records of ring 0, which are whole and in order; how many.
std::uint64_t read(const recorder& all) {
  const ring* one = ring_at(&all, 0);
  if (one == nullptr) return 0;
  std::uint64_t count = 0, before = 0;
  one->read([&](const record* each) {
    check(each->thread == each->begin, "the record is whole");
    check(each->thread > before, "records come in order");
    before = each->thread;
    ++count;
  });
  return count;
}

void a_new_ring_is_read() {
  recorder all{};
  all.ring_bytes = most * sizeof(record);
  all.is_on.store(true, weft::base::relaxed);
  threads(thread{"writes",
                 [&] {
                   put(&all, 0, number(1));
                   put(&all, 0, number(2));
                 }},
          thread{"reads", [&] { check(read(all) <= 2, "no more than were written"); }});
}

void a_full_ring_is_read_but_for_the_place_that_is_written() {
  recorder all{};
  all.ring_bytes = 2 * sizeof(record);
  all.is_on.store(true, weft::base::relaxed);
  put(&all, 0, number(1));
  put(&all, 0, number(2));
  threads(thread{"writes", [&] { put(&all, 0, number(3)); }}, thread{"reads", [&] { check(read(all) == 1, "the newest one"); }});
}

void a_copied_ring_lacks_what_its_writer_reaches() {
  recorder all{};
  all.ring_bytes = 2 * sizeof(record);
  all.is_on.store(true, weft::base::relaxed);
  put(&all, 0, number(1));
  threads(thread{"writes",
                 [&] {
                   put(&all, 0, number(2));
                   put(&all, 0, number(3));
                 }},
          thread{"copies", [&] {
                   const ring* const one = ring_at(&all, 0);
                   record places[2] = {};
                   const std::uint64_t count = one->count();
                   one->copy(places, count);
                   ring copy;
                   copy.become_copy(places, one->capacity(), count);
                   copy.leave_out(one->passed());
                   std::uint64_t next = copy.read([](const record*) {});
                   copy.read([&](const record* each) {
                     check(each->thread == each->begin, "the record is whole");
                     check(each->thread == ++next, "it is the one of that number");
                   });
                   check(next == count, "the newest one is there");
                 }});
}

const model copied{"H a ring is copied while it is written", {.at_least = 5}, a_copied_ring_lacks_what_its_writer_reaches};
const model fresh{"H a new ring is read", {.at_least = 5}, a_new_ring_is_read};
const model full{"H a full ring is read", {.at_least = 3}, a_full_ring_is_read_but_for_the_place_that_is_written};

}  // namespace
