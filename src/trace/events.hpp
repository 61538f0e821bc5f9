// The lines of a trace's file. Tracks: of process 1, a worker each; of process 2, a thread each; of
// process 3, a thread's forks that it ran itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/names.hpp"
#include "trace/recorder.hpp"

namespace weft::trace {

enum class part_kind : std::uint8_t { turn, wait, source, fork, join, note, steal };

// A part of a record, at a time of its own.
struct part {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t arrow;  // of a source with an arrow: where that begins
  const record* of;
  std::uint32_t id;  // the record's
  std::uint16_t on;  // the ring in which it was
  part_kind kind;
  bool has_arrow;  // of a turn and its source: both ends of it are in the file
};

// An arrow's word: from the thread that made it ready. Null: there is none, for a yield is the
// thread's own doing.
const char* arrow_of(const record& turn);

// The end of a record: a name has but one time.
inline std::uint64_t end_of(const record& one) { return one.kind == record_kind::name ? one.begin : one.end; }

class writer {
 public:
  // names: of threads, in the order of their ids.
  writer(recorder* all, const record* const* names, std::size_t count, bool may_demangle);
  ~writer();
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;

  void head(const char* how_ended, std::uint64_t pushed_out, std::uint64_t without_memory, std::uint64_t from);
  void worker(unsigned index);
  void thread(const record& name);
  void thread_without_name(std::uint64_t thread);  // nothing happens if it has one
  void write(const part& one);
  bool end();  // false: something could not be written

 private:
  void begin_event(const char* phase, unsigned process, std::uint64_t track, std::uint64_t at);
  void name_track(unsigned process, std::uint64_t track);
  void span(std::uint64_t begin, std::uint64_t end);
  const char* label_of(const record& name);
  void title(std::uint64_t thread);
  void write_turn(const part& one);
  void write_wait(const part& one);
  void write_source(const part& one);
  void write_fork(const part& one);
  void write_join(const part& one);
  void write_note(const part& one);
  void write_steal(const part& one);
  void write_clocks();
  void flow(const char* phase, unsigned track, std::uint64_t at, const part& of);
  std::size_t place_of(std::uint64_t thread) const;  // in names_; name_count_: none is known

  output& out_;
  const clock& time_;
  const aligned_clock* clocks_;
  unsigned worker_count_;
  const record* const* names_;
  std::size_t name_count_;
  names code_;
  char* has_fork_track_;  // by place in names_
};

}  // namespace weft::trace
