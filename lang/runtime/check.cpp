// The check mode: the workspace is compared with what it was, after each undo and redo, and before
// a choice point divides. The workspace is what a program names (weft_tascell_watch), and what the
// operations of the records name, as those do that the compiler makes.
//
// What a choice point's workspace held at its first poll is kept as a note. Notes are a stack, in
// the order of the records; those of records that are no longer linked are dropped at the next
// poll.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "worker.hpp"

namespace weft::tascell_runtime {

struct span {
  const unsigned char* address;
  std::size_t bytes;
  const weft_tascell_place* place;
};

struct note {
  const record* of;
  const weft_tascell_operations* operations;  // of the record: another one may lie at its address
  std::size_t named;                          // how many spans the program had named
  std::size_t own, bytes;                     // where the record's own spans and the bytes of all begin
};

// Elements one after the other, in memory that grows.
template <class T>
struct row {
  T* items = nullptr;
  std::size_t count = 0, capacity = 0;

  T* extend(std::size_t by) {
    if (by > capacity - count) {
      const std::size_t wanted = 2 * capacity > count + by ? 2 * capacity : count + by;
      void* const grown = std::realloc(items, wanted * sizeof(T));
      if (grown == nullptr) die(nullptr, "no memory to check the workspace");
      items = static_cast<T*>(grown);
      capacity = wanted;
    }
    count += by;
    return items + count - by;
  }
};

struct checker {
  row<span> named;  // by the program
  row<span> own;    // by the records of the notes
  row<note> notes;
  row<unsigned char> bytes;
  std::size_t floor = 0;  // notes below belong to tasks that wait
  bool is_collecting = false;
};

namespace {

void keep(checker* of, const span& each) { std::memcpy(of->bytes.extend(each.bytes), each.address, each.bytes); }

// Notes the workspace as it is. The record's own spans are on top of of->own, from own on.
void push(checker* of, const record* at, std::size_t own) {
  *of->notes.extend(1) = {at, at->operations, of->named.count, own, of->bytes.count};
  for (std::size_t i = 0; i < of->named.count; ++i) keep(of, of->named.items[i]);
  for (std::size_t i = own; i < of->own.count; ++i) keep(of, of->own.items[i]);
}

void pop(checker* of) {
  const note& last = of->notes.items[--of->notes.count];
  of->own.count = last.own;
  of->bytes.count = last.bytes;
}

// Appends what a record's operations name to of->own.
void collect(worker* self, record* at) {
  if (at->operations->watch == nullptr) return;
  self->check->is_collecting = true;
  at->operations->watch(at, self);
  self->check->is_collecting = false;
}

bool is_of(const note& each, const record* at) { return each.of == at && each.operations == at->operations; }

// Drops the notes of records that are no longer linked.
void drop_dead(checker* of, const record* newest) {
  const auto is_live = [newest](const note& each) {
    for (const record* at = newest; at != nullptr; at = at->up)
      if (is_of(each, at)) return true;
    return false;
  };
  while (of->notes.count > of->floor && !is_live(of->notes.items[of->notes.count - 1])) pop(of);
}

bool is_among(const row<span>& all, std::size_t from, const span& one) {
  for (std::size_t i = from; i < all.count; ++i)
    if (all.items[i].address == one.address && all.items[i].bytes == one.bytes) return true;
  return false;
}

[[noreturn]] void tell(const span& where, std::size_t byte, const record* at, const char* when) {
  char text[300];
  const bool is_known = where.place != nullptr && where.place->file != nullptr;
  const bool has_name = is_known && where.place->function != nullptr;
  std::snprintf(text, sizeof text, "%s: the first byte that differs is +%zu of the workspace of %s:%u%s%s%s", when, byte,
                is_known ? where.place->file : "an unknown place", is_known ? where.place->line : 0, has_name ? " (" : "",
                has_name ? where.place->function : "", has_name ? ")" : "");
  die(&at->operations->place, text);
}

// Compares one span with what was noted. Returns where the next one was noted.
const unsigned char* compare_span(const span& each, const unsigned char* noted, const record* at, const char* when) {
  for (std::size_t byte = 0; byte < each.bytes; ++byte)
    if (each.address[byte] != noted[byte]) tell(each, byte, at, when);
  return noted + each.bytes;
}

void compare(const checker* of, std::size_t index, const record* at, const char* when) {
  const note& with = of->notes.items[index];
  const std::size_t end = index + 1 < of->notes.count ? of->notes.items[index + 1].own : of->own.count;
  const unsigned char* noted = of->bytes.items + with.bytes;
  for (std::size_t i = 0; i < with.named; ++i) noted = compare_span(of->named.items[i], noted, at, when);
  for (std::size_t i = with.own; i < end; ++i) noted = compare_span(of->own.items[i], noted, at, when);
}

}  // namespace

checker* make_checker() { return static_cast<checker*>(std::calloc(1, sizeof(checker))); }

void free_checker(checker* of) {
  if (of == nullptr) return;
  std::free(of->named.items);
  std::free(of->own.items);
  std::free(of->notes.items);
  std::free(of->bytes.items);
  std::free(of);
}

check_level enter_level(checker* of) {
  if (of == nullptr) return {};
  const check_level before = {of->named.count, of->floor};
  of->floor = of->notes.count;
  return before;
}

// What was noted with other spans can be compared no more.
static void unwatch_to(checker* of, std::size_t count) {
  if (of->named.count > count) of->named.count = count;
  while (of->notes.count != 0 && of->notes.items[of->notes.count - 1].named > count) pop(of);
}

void leave_level(checker* of, const check_level& before) {
  if (of == nullptr) return;
  while (of->notes.count > of->floor) pop(of);
  unwatch_to(of, before.named);
  of->floor = before.floor;
}

void note_workspace(worker* self, record* newest, bool has_polled) {
  checker* const of = self->check;
  if (of == nullptr) return;
  drop_dead(of, newest);
  const bool is_noted = of->notes.count > of->floor && is_of(of->notes.items[of->notes.count - 1], newest);
  if (is_noted && has_polled) return;
  if (is_noted) pop(of);
  const std::size_t own = of->own.count;
  if (newest->operations->kind == WEFT_TASCELL_CHOICE) collect(self, newest);
  push(of, newest, own);
}

void compare_for(checker* of, const record* choice) {
  if (of == nullptr) return;
  for (std::size_t i = of->notes.count; i-- != of->floor;)
    if (is_of(of->notes.items[i], choice)) {
      compare(of, i, choice, "a choice point divides, and a change since its poll was not undone");
      return;
    }
}

// What older and newer records name must be restored, too.
void save_workspace(worker* self, record* wind) {
  checker* const of = self->check;
  if (of == nullptr) return;
  const std::size_t own = of->own.count;
  for (std::size_t i = 0; i < own; ++i) {
    const span each = of->own.items[i];
    if (!is_among(of->own, own, each)) *of->own.extend(1) = each;
  }
  collect(self, wind);
  push(of, wind, own);
}

void compare_saved(checker* of, const record* wind) {
  if (of == nullptr) return;
  compare(of, of->notes.count - 1, wind, "undo and redo of a wind do not restore the workspace");
  pop(of);
}

}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

void weft_tascell_watch(weft_tascell_worker* worker, const void* address, size_t bytes, const weft_tascell_place* place) {
  checker* const of = as_worker(worker)->check;
  if (of == nullptr) return;
  row<span>& into = of->is_collecting ? of->own : of->named;
  *into.extend(1) = {static_cast<const unsigned char*>(address), bytes, place};
}

void weft_tascell_unwatch(weft_tascell_worker* worker) {
  checker* const of = as_worker(worker)->check;
  if (of != nullptr && of->named.count != 0) unwatch_to(of, of->named.count - 1);
}
