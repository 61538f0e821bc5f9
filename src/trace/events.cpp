// See events.hpp.
#include "trace/events.hpp"

#include <weft/version.h>

#include <stdio.h>

#include <algorithm>

#include "os/vm.hpp"

namespace weft::trace {

namespace {

enum process : unsigned { workers = 1, threads = 2, forks = 3 };

const char* word_of(reason why) {
  switch (why) {
    case reason::created: return "create";
    case reason::forked: return "fork";
    case reason::woken: return "wake";
    case reason::yielded: return "yield";
    case reason::migrated: return "migrate";
    case reason::none: break;
  }
  return "start";
}

const char* word_of(leave how) {
  switch (how) {
    case leave::parked: return "park";
    case leave::yielded: return "yield";
    case leave::ended: return "end";
    case leave::aside: return "aside";
    case leave::none: break;
  }
  return "running";
}

}  // namespace

const char* arrow_of(const record& turn) {
  if (turn.is_stolen) return "steal";
  return turn.why == reason::yielded ? nullptr : word_of(turn.why);
}

writer::writer(recorder* all, const record* const* names, std::size_t count, bool may_demangle)
    : out_(all->file), time_(all->time), clocks_(all->clocks), worker_count_(all->workers), names_(names), name_count_(count) {
  code_.start(may_demangle);
  has_fork_track_ = static_cast<char*>(os::reserve(count + 1, os::page_bytes()));
}

writer::~writer() {
  code_.stop();
  if (has_fork_track_ != nullptr) os::release(has_fork_track_, name_count_ + 1);
}

// ---- the frame ----

void writer::head(const char* how_ended, std::uint64_t pushed_out, std::uint64_t without_memory, std::uint64_t from) {
  out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"weft " WEFT_VERSION "\",\"ended\":";
  out_.quoted(how_ended) << ",\"clock\":" << (time_.uses_cycles() ? "\"cycles\"" : "\"monotonic\"");
  out_ << ",\"records_lost\":" << pushed_out + without_memory << ",\"lost_without_memory\":" << without_memory
       << ",\"complete_from_us\":";
  out_.microseconds(time_.to_ns(from));
  write_clocks();
  out_ << "},\n\"traceEvents\":[\n";
  constexpr const char* titles[] = {"workers", "threads", "forks that their forker ran in the join, by thread"};
  for (unsigned index = 0; index < 3; ++index) {
    if (index != 0) out_ << ",\n";
    out_ << "{\"ph\":\"M\",\"pid\":" << std::uint64_t{index + 1} << ",\"name\":\"process_name\",\"args\":{\"name\":\""
         << titles[index];
    out_ << "\"}},\n{\"ph\":\"M\",\"pid\":" << std::uint64_t{index + 1}
         << ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":";
    out_ << std::uint64_t{index} << "}}";
  }
}

// Of each worker, if there are several machines. Rates in parts of a milliard.
void writer::write_clocks() {
  constexpr double milliard = 1e9;
  if (clocks_ == nullptr) return;
  for (unsigned index = 0; index < worker_count_; ++index) {
    const aligned_clock& its = clocks_[index];
    out_ << (index == 0 ? ",\n\"clocks\":[" : ",\n") << "{\"worker\":" << std::uint64_t{index} << ",\"node\":";
    out_.quoted(its.node) << ",\"ahead_us\":" << (its.ahead < 0 ? "-" : "");
    out_.microseconds(time_.length_ns(its.ahead < 0 ? -its.ahead : its.ahead)) << ",\"rate_ppb\":" << (its.rate < 0 ? "-" : "");
    out_ << static_cast<std::uint64_t>(milliard * (its.rate < 0 ? -its.rate : its.rate)) << ",\"error_us\":";
    out_.microseconds(time_.length_ns(static_cast<double>(its.error))) << '}';
  }
  out_ << "]\n";
}

bool writer::end() {
  out_ << "\n]}\n";
  return out_.flush();
}

void writer::name_track(unsigned process, std::uint64_t track) {
  out_ << ",\n{\"ph\":\"M\",\"pid\":" << std::uint64_t{process} << ",\"tid\":" << track
       << ",\"name\":\"thread_name\",\"args\":{\"name\":";
}

void writer::worker(unsigned index) {
  name_track(workers, index);
  if (index == most_rings - 1) {
    out_ << "\"outside\"}}";
  } else {
    char text[24 + sizeof aligned_clock::node];
    const bool is_known = clocks_ != nullptr && index < worker_count_;
    (void)snprintf(text, sizeof text, "worker %u%s%s", index, is_known ? " on " : "", is_known ? clocks_[index].node : "");
    out_.quoted(text) << "}}";
  }
}

void writer::thread(const record& name) {
  name_track(threads, name.thread);
  title(name.thread);
  out_ << ",\"function\":";
  out_.quoted(code_.of_function(reinterpret_cast<const void*>(name.end))) << ",\"label\":";
  out_.quoted(label_of(name)) << "}}";
}

void writer::thread_without_name(std::uint64_t thread) {
  if (place_of(thread) != name_count_) return;
  name_track(threads, thread);
  title(thread);
  out_ << "}}";
}

// ---- events ----

void writer::begin_event(const char* phase, unsigned process, std::uint64_t track, std::uint64_t at) {
  out_ << ",\n{\"ph\":\"" << phase << "\",\"pid\":" << std::uint64_t{process} << ",\"tid\":" << track << ",\"ts\":";
  out_.microseconds(time_.to_ns(at));
}

void writer::span(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = time_.to_ns(begin), last = time_.to_ns(end);
  out_ << ",\"dur\":";
  out_.microseconds(last > first ? last - first : 0);
}

std::size_t writer::place_of(std::uint64_t thread) const {
  const record* const* const end = names_ + name_count_;
  const record* const* found =
      std::lower_bound(names_, end, thread, [](const record* one, std::uint64_t id) { return one->thread < id; });
  return found != end && (*found)->thread == thread ? static_cast<std::size_t>(found - names_) : name_count_;
}

// Its name, or the place in the source where it was made, or "". Valid until the next name is asked
// for.
const char* writer::label_of(const record& name) { return name.name[0] != '\0' ? name.name : code_.of_place(name.made_at); }

// "name 7", or, of a thread without a name, "main.cpp:31 7" or "function 7".
void writer::title(std::uint64_t thread) {
  char text[280] = "thread";
  if (const std::size_t place = place_of(thread); place != name_count_) {
    const record& known = *names_[place];
    const char* from = label_of(known);
    if (*from == '\0') from = code_.of_function(reinterpret_cast<const void*>(known.end));
    std::size_t length = 0;
    while (length < sizeof text - 24 && from[length] != '\0') text[length] = from[length], ++length;
    text[length] = '\0';
  }
  char* at = text;
  while (*at != '\0') ++at;
  char digits[24];
  std::size_t first = sizeof digits;
  for (std::uint64_t rest = thread; rest != 0; rest /= 10) digits[--first] = static_cast<char>('0' + rest % 10);
  *at++ = ' ';
  while (first < sizeof digits) *at++ = digits[first++];
  *at = '\0';
  out_.quoted(text);
}

void writer::flow(const char* phase, unsigned track, std::uint64_t at, const part& of) {
  begin_event(phase, workers, track, at);
  if (*phase == 'f') out_ << ",\"bp\":\"e\"";  // it ends at the slice that begins here, not at the next one
  out_ << ",\"cat\":\"flow\",\"id\":" << std::uint64_t{of.id} << ",\"name\":\"" << arrow_of(*of.of) << "\"}";
}

// The turn, on the worker's track and on the thread's; the end of its arrow.
void writer::write_turn(const part& one) {
  const record& turn = *one.of;
  begin_event("X", workers, one.on, one.begin);
  span(one.begin, one.end);
  out_ << ",\"cat\":\"turn\",\"name\":";
  title(turn.thread);
  out_ << ",\"args\":{\"thread\":" << turn.thread << ",\"why\":\"" << word_of(turn.why) << "\",\"left\":\"" << word_of(turn.how)
       << '"';
  if (turn.since != 0) {
    out_ << ",\"by\":" << turn.other << ",\"since\":";
    out_.microseconds(time_.to_ns(turn.since));
  }
  if (turn.about != nullptr) {
    out_ << ",\"waited_for\":";
    out_.quoted(code_.of_words(turn.about));
  }
  out_ << (turn.is_stolen ? ",\"stolen\":true}}" : "}}");
  begin_event("X", threads, turn.thread, one.begin);
  span(one.begin, one.end);
  out_ << ",\"cat\":\"state\",\"name\":\"running\",\"args\":{\"worker\":" << std::uint64_t{one.on} << "}}";
}

void writer::write_wait(const part& one) {
  begin_event("X", threads, one.of->thread, one.begin);
  span(one.begin, one.end);
  out_ << ",\"cat\":\"state\",\"name\":\"waits\",\"args\":{\"for\":";
  out_.quoted(one.of->about != nullptr ? code_.of_words(one.of->about) : "its turn") << "}}";
}

// The thread is ready; the begin of its arrow, in a moment of its own where no thread made it
// ready.
void writer::write_source(const part& one) {
  const record& turn = *one.of;
  begin_event("X", threads, turn.thread, one.begin);
  span(one.begin, one.end);
  out_ << ",\"cat\":\"state\",\"name\":\"ready\"}";
  if (!one.has_arrow) return;
  const unsigned track = turn.on == outside ? most_rings - 1 : turn.on;
  if (turn.other == 0) {
    begin_event("X", workers, track, one.begin);
    out_ << ",\"dur\":0,\"cat\":\"moment\",\"name\":\"" << word_of(turn.why) << "\",\"args\":{\"thread\":" << turn.thread << "}}";
  }
  flow("s", track, one.arrow, one);
}

void writer::write_fork(const part& one) {
  const record& fork = *one.of;
  const std::size_t place = place_of(fork.thread);
  if (has_fork_track_ != nullptr && has_fork_track_[place] == 0) {
    has_fork_track_[place] = 1;
    name_track(forks, fork.thread);
    title(fork.thread);
    out_ << "}}";
  }
  begin_event("X", forks, fork.thread, one.begin);
  span(one.begin, one.end);
  out_ << ",\"cat\":\"fork\",\"name\":";
  out_.quoted(code_.of_function(fork.about)) << ",\"args\":{\"thread\":" << fork.thread << ",\"since\":";
  out_.microseconds(time_.to_ns(fork.since)) << "}}";
}

void writer::write_join(const part& one) {
  begin_event("i", workers, one.on, one.begin);
  out_ << ",\"s\":\"t\",\"cat\":\"join\",\"name\":\"join\",\"args\":{\"thread\":" << one.of->thread << ",\"by\":" << one.of->other
       << "}}";
}

void writer::write_note(const part& one) {
  begin_event("i", workers, one.on, one.begin);
  out_ << ",\"s\":\"t\",\"cat\":\"note\",\"name\":";
  out_.quoted(code_.of_words(one.of->about))
      << ",\"args\":{\"thread\":" << one.of->thread << ",\"value\":" << one.of->other << "}}";
}

// What a rank did before a turn of what it has stolen.
void writer::write_steal(const part& one) {
  const record& steal = *one.of;
  const struct {
    const char* name;
    std::uint64_t begin, end;
  } phases[] = {{"claim", steal.begin, steal.since}, {"copy", steal.since, steal.left}, {"take up", steal.left, steal.end}};
  for (const auto& each : phases) {
    if (each.end <= each.begin) continue;
    begin_event("X", workers, one.on, each.begin);
    span(each.begin, each.end);
    out_ << ",\"cat\":\"steal\",\"name\":\"" << each.name << "\",\"args\":{\"thread\":" << steal.thread
         << ",\"victim\":" << std::uint64_t{steal.on} << ",\"bytes\":" << steal.other << "}}";
  }
}

void writer::write(const part& one) {
  switch (one.kind) {
    case part_kind::turn:
      write_turn(one);
      if (one.has_arrow) flow("f", one.on, one.begin, one);
      break;
    case part_kind::wait: write_wait(one); break;
    case part_kind::source: write_source(one); break;
    case part_kind::fork: write_fork(one); break;
    case part_kind::join: write_join(one); break;
    case part_kind::note: write_note(one); break;
    case part_kind::steal: write_steal(one); break;
  }
}

}  // namespace weft::trace
