// See chrome.hpp.
//
// A record has several parts in the file, at different times: which thread woke it and when,
// how long it was ready, its turn. All parts of all records are sorted by time, so that each
// track's events come in order; then written, one a line.
#include "trace/chrome.hpp"

#include <errno.h>
#include <string.h>

#include <algorithm>

#include "base/assert.hpp"
#include "os/vm.hpp"
#include "trace/events.hpp"

namespace weft::trace {

namespace {

// An array in address space of its own, as long as it needs to be.
template <class T>
class array {
 public:
  explicit array(std::size_t capacity)
      : bytes_((capacity + 1) * sizeof(T)), items_(static_cast<T*>(os::reserve(bytes_, os::page_bytes()))) {}
  ~array() {
    if (items_ != nullptr) os::release(items_, bytes_);
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;

  bool is_there() const { return items_ != nullptr; }
  void add(const T& one) { items_[count_++] = one; }
  T* begin() const { return items_; }
  T* end() const { return items_ + count_; }
  std::size_t count() const { return count_; }

 private:
  std::size_t bytes_;
  std::size_t count_ = 0;
  T* items_;
};

// What is left out: what was pushed out of some ring is missing from all, so that the file is
// complete from some time on.
struct extent {
  std::size_t records = 0;
  std::uint64_t pushed_out = 0;
  std::uint64_t from = 0;  // records that ended before are left out
};

extent measure(const recorder* all, std::size_t more) {
  extent found;
  found.records = more;
  for (unsigned index = 0; index < most_rings; ++index) {
    const ring* each = ring_at(all, index);
    if (each == nullptr) continue;
    std::uint64_t oldest = 0;
    const std::uint64_t lost = each->read([&](const record* one) {
      if (oldest == 0) oldest = end_of(*one);
      ++found.records;
    });
    found.pushed_out += lost;
    if (lost != 0 && oldest > found.from) found.from = oldest;
  }
  return found;
}

constexpr std::size_t most_parts = 3;  // of a record, but for its name

void add_parts(array<part>& parts, const record& one, unsigned on, std::uint32_t id, std::uint64_t from) {
  const bool has_turn = one.how != leave::none || one.end > one.begin;
  const bool has_source = one.since > from && one.begin >= one.since;
  const bool has_arrow = one.kind == record_kind::turn && has_turn && has_source && arrow_of(one) != nullptr;
  const auto add = [&](part_kind kind, std::uint64_t begin, std::uint64_t end) {
    parts.add({begin, end, begin, &one, id, static_cast<std::uint16_t>(on), kind, has_arrow});
  };
  switch (one.kind) {
    case record_kind::fork: return add(part_kind::fork, one.begin, one.end);
    case record_kind::join: return add(part_kind::join, one.begin, one.begin);
    case record_kind::note: return add(part_kind::note, one.begin, one.begin);
    case record_kind::steal: return add(part_kind::steal, one.begin, one.end);
    case record_kind::name: return;
    case record_kind::turn: break;
  }
  const std::uint64_t ready = one.since != 0 ? one.since : one.begin;
  if (one.left > from && ready > one.left) add(part_kind::wait, one.left, ready);
  if (has_source) add(part_kind::source, one.since, one.begin);
  if (has_turn) add(part_kind::turn, one.begin, one.end);
}

bool comes_first(const part& left, const part& right) {
  if (left.begin != right.begin) return left.begin < right.begin;
  return left.end > right.end;  // the outer one
}

// By track, and then by time.
bool is_earlier_turn(const part* left, const part* right) {
  return left->on != right->on ? left->on < right->on : left->begin < right->begin;
}

bool is_of_earlier_thread(const record* left, const record* right) { return left->thread < right->thread; }

struct contents {
  explicit contents(const extent& how_much)
      : parts(how_much.records * most_parts), turns(how_much.records), names(how_much.records), from(how_much.from) {}

  bool is_there() const { return parts.is_there() && turns.is_there() && names.is_there(); }

  void add(const record& one, unsigned on) {
    if (one.kind == record_kind::name) return names.add(&one);
    if (one.end >= from) add_parts(parts, one, on, ++last_id, from);
  }

  array<part> parts;
  array<const part*> turns;
  array<const record*> names;
  std::uint64_t from;
  std::uint32_t last_id = 0;
};

// In a turn, the last moment that the file tells apart from its end.
std::uint64_t last_moment_of(const part& turn) {
  constexpr std::uint64_t inside = 8;  // of the clock's units: a few ns
  return turn.end - turn.begin > inside ? turn.end - inside : turn.begin;
}

// Viewers draw an arrow from the slice that lies at its begin. A rank makes a thread ready once the
// turn of the thread that leads to it has ended, and a thief reads the clock after its claim, or
// that of another node: such an arrow is moved into that turn.
std::uint64_t begin_of_arrow(const contents& in, const record& to) {
  const part at = {to.since, 0, 0, nullptr, 0, to.on, part_kind::turn, false};
  const part* const* const next = std::upper_bound(in.turns.begin(), in.turns.end(), &at, is_earlier_turn);
  const part* const last = next != in.turns.begin() && next[-1]->on == to.on ? next[-1] : nullptr;
  const part* const later = next != in.turns.end() && (*next)->on == to.on ? *next : nullptr;
  if (last != nullptr && to.since < last->end) return std::min(to.since, last_moment_of(*last));
  const bool is_of_last = last != nullptr && last->of->thread == to.other;
  const bool is_of_later = later != nullptr && later->of->thread == to.other && later->begin <= to.begin;
  if (!is_of_last && is_of_later) return later->begin;
  return last == nullptr ? to.since : last_moment_of(*last);
}

void place_arrows(contents& in) {
  for (const part& each : in.parts) {
    if (each.kind == part_kind::turn) in.turns.add(&each);
  }
  std::sort(in.turns.begin(), in.turns.end(), is_earlier_turn);
  for (part& each : in.parts) {
    const bool is_from_turn = each.kind == part_kind::source && each.has_arrow && each.of->other != 0 && each.of->on != outside;
    if (is_from_turn) each.arrow = begin_of_arrow(in, *each.of);
  }
}

void collect(const recorder* all, const record* more, std::size_t count, contents& into) {
  for (unsigned index = 0; index < most_rings; ++index) {
    if (const ring* each = ring_at(all, index); each != nullptr) {
      each->read([&](const record* one) { into.add(*one, index); });
    }
  }
  for (std::size_t index = 0; index < count; ++index) into.add(more[index], more[index].worker);
  std::sort(into.parts.begin(), into.parts.end(), comes_first);
  std::sort(into.names.begin(), into.names.end(), is_of_earlier_thread);
  place_arrows(into);
}

// Of a thread that ended while a dump was made, or whose name was pushed out, its turns may be
// there alone. False: no memory.
bool name_others(const contents& in, std::size_t records, writer& to) {
  array<std::uint64_t> threads(records * most_parts);
  if (!threads.is_there()) return false;
  for (const part& each : in.parts) {
    if (each.of->kind == record_kind::turn) threads.add(each.of->thread);
  }
  // With a comparison of its own: libc++ keeps the sort of plain numbers in the C++ library, which
  // the core does not have.
  std::sort(threads.begin(), threads.end(), [](auto one, auto other) { return one < other; });
  const std::uint64_t* const end = std::unique(threads.begin(), threads.end());
  for (const std::uint64_t* each = threads.begin(); each != end; ++each) to.thread_without_name(*each);
  return true;
}

bool write_all(recorder* all, const record* more, std::size_t count, const char* how_ended, bool may_demangle) {
  const extent how_much = measure(all, count);
  contents in(how_much);
  if (!in.is_there()) return false;
  collect(all, more, count, in);
  all->file.begin_anew();
  writer to(all, in.names.begin(), in.names.count(), may_demangle);
  to.head(how_ended, how_much.pushed_out, all->without_memory.load(base::relaxed), how_much.from);
  for (unsigned index = 0; index < most_rings; ++index) {
    if (index < all->workers || ring_at(all, index) != nullptr) to.worker(index);
  }
  const record* last = nullptr;  // a thread that ended meanwhile has two
  for (const record* each : in.names) {
    if (last == nullptr || last->thread != each->thread) to.thread(*each);
    last = each;
  }
  if (!name_others(in, how_much.records, to)) return false;
  for (const part& each : in.parts) to.write(each);
  return to.end();
}

}  // namespace

const char* write_snapshot(recorder* all, const record* more, std::size_t count, const char* how_ended, bool may_demangle) {
  all->time.calibrate();
  if (write_all(all, more, count, how_ended, may_demangle)) return nullptr;
  if (all->file.error() == ECANCELED) return "the program died meanwhile";
  // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc's is safe
  return all->file.error() != 0 ? strerror(all->file.error()) : "out of memory";
}

bool write(recorder* all, const record* more, std::size_t count, const char* how_ended, bool is_dying) {
  if (all->is_written.exchange(true, base::relaxed)) return true;
  const char* const why = write_snapshot(all, more, count, how_ended, !is_dying);
  if (why == nullptr) return true;
  base::report("warning: WEFT_TRACE=%s: the trace could not be written completely (%s)", all->path, why);
  return false;
}

}  // namespace weft::trace
