// See schedule_trace.hpp.
#include "seeded/schedule_trace.hpp"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/assert.hpp"
#include "os/file.hpp"

namespace weft::sched {

namespace {

constexpr char first_line[] = "weft schedule 1\n";
constexpr const char* kind_names[] = {"turn", "yield", "rest", "unit", "victim", "region"};

// NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's keeps its text for each OS thread
const char* why_not() { return strerror(errno); }

// Behind the next newline; the end of the text if there is none.
const char* next_line(const char* at) {
  at += std::strcspn(at, "\n");
  return *at == '\n' ? at + 1 : at;
}

// A line for sscanf, which would measure all of a longer text each time.
struct line_of {
  explicit line_of(const char* at) { snprintf(text, sizeof text, "%.*s", static_cast<int>(std::strcspn(at, "\n")), at); }
  char text[96];
};

bool find_kind(const char* name, choice_kind* out) {
  for (unsigned kind = 0; kind < sizeof kind_names / sizeof *kind_names; ++kind) {
    if (std::strcmp(kind_names[kind], name) != 0) continue;
    *out = static_cast<choice_kind>(kind);
    return true;
  }
  return false;
}

struct run_head {
  unsigned run;
  unsigned workers;
};

bool read_head(const char* at, run_head* out) {
  return sscanf(line_of(at).text, "run %u, %u workers", &out->run, &out->workers) == 2;
}

bool read_choice(const char* at, recorded_choice* out) {
  char kind[8];
  const int words = sscanf(line_of(at).text, "%" SCNu64 " %7s %" SCNu32 "/%" SCNu32 " %" SCNx32, &out->number, kind, &out->chosen,
                           &out->alternatives, &out->sum);
  return words == 5 && find_kind(kind, &out->kind) && out->chosen < out->alternatives;
}

bool read_end(const char* at, std::uint64_t* choices, std::uint32_t* sum) {
  return sscanf(line_of(at).text, "end %" SCNu64 " %" SCNx32, choices, sum) == 2;
}

// The first line, counted from 1, that no writer writes; 0: there is none.
unsigned bad_line(const char* text) {
  unsigned number = 1;
  if (std::strncmp(text, first_line, sizeof first_line - 1) != 0) return number;
  run_head head;
  recorded_choice choice;
  std::uint64_t choices = 0;
  std::uint32_t sum = 0;
  for (const char* at = next_line(text); *at != '\0'; at = next_line(at)) {
    ++number;
    if (!read_choice(at, &choice) && !read_head(at, &head) && !read_end(at, &choices, &sum)) return number;
  }
  return 0;
}

// The line behind the head of that run. Null: the file has none.
const char* find_run(const char* text, unsigned run, unsigned* workers) {
  for (const char* at = text; *at != '\0'; at = next_line(at)) {
    run_head head;
    if (!read_head(at, &head) || head.run != run) continue;
    *workers = head.workers;
    return next_line(at);
  }
  return nullptr;
}

}  // namespace

const char* name_of(choice_kind kind) { return kind_names[static_cast<unsigned>(kind)]; }

// ---- writing ----

void schedule_writer::put(const char* line, int bytes) {
  if (os::write_all(descriptor_, line, static_cast<std::size_t>(bytes))) return;
  base::report("the record of the schedule cannot be written (%s); it ends here", why_not());
  ::close(descriptor_);
  descriptor_ = -1;
}

status schedule_writer::open(const char* path, unsigned run, unsigned workers) {
  descriptor_ = os::open_for_writing(path, run == 1);
  if (descriptor_ < 0) {
    base::report("error: WEFT_SCHEDULE: record:%s cannot be written: %s", path, os::why_not_opened(errno));
    return status::invalid;
  }
  char line[64];
  if (run == 1) put(first_line, sizeof first_line - 1);
  if (is_open()) put(line, snprintf(line, sizeof line, "run %u, %u workers\n", run, workers));
  return status::ok;
}

void schedule_writer::write(const recorded_choice& one) {
  char line[96];
  const int bytes = snprintf(line, sizeof line, "%" PRIu64 " %s %" PRIu32 "/%" PRIu32 " %08" PRIx32 "\n", one.number,
                             name_of(one.kind), one.chosen, one.alternatives, one.sum);
  put(line, bytes);
}

void schedule_writer::close(std::uint64_t choices, std::uint32_t sum) {
  char line[64];
  put(line, snprintf(line, sizeof line, "end %" PRIu64 " %08" PRIx32 "\n", choices, sum));
  if (is_open()) ::close(descriptor_);
  descriptor_ = -1;
}

// ---- reading ----

status schedule_reader::open(const char* path, unsigned run, unsigned workers) {
  text_ = os::read_whole(path);
  if (text_ == nullptr) {
    base::report("error: WEFT_SCHEDULE: %s cannot be read: %s", path, why_not());
    return status::invalid;
  }
  unsigned recorded_workers = workers;
  if (const unsigned bad = bad_line(text_); bad == 1) {
    base::report("error: WEFT_SCHEDULE: %s is no record of a schedule: its first line is not \"weft schedule 1\"", path);
  } else if (bad != 0) {
    base::report("error: WEFT_SCHEDULE: line %u of %s is none of a record: record the schedule again, or repair the line", bad,
                 path);
  } else if (at_ = find_run(text_, run, &recorded_workers); recorded_workers != workers) {
    base::report("error: WEFT_SCHEDULE: %s was recorded with %u workers, now there are %u: set WEFT_WORKERS=%u", path,
                 recorded_workers, workers, recorded_workers);
  } else {
    if (at_ == nullptr) at_ = "";  // the recorded process did not come so far
    return status::ok;
  }
  close();
  return status::invalid;
}

void schedule_reader::close() {
  std::free(text_);
  text_ = nullptr;
}

bool schedule_reader::next(recorded_choice* out) {
  if (!read_choice(at_, out)) return false;
  at_ = next_line(at_);
  return true;
}

bool schedule_reader::next_is_end(std::uint64_t* choices, std::uint32_t* sum) const { return read_end(at_, choices, sum); }

}  // namespace weft::sched
