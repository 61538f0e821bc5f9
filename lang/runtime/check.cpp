// The check mode: what a program says is its workspace (weft_tascell_watch) is compared with what it
// was, after each undo and redo, and before a choice point divides.
//
// Notes are kept as a stack: what was noted for a record is dropped once the worker polls in an older
// frame. Stacks grow downwards, so a note of a lower address than the polling record is dead.
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
  std::size_t spans;  // that were watched
  std::size_t at;     // where their bytes begin
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
  row<span> spans;
  row<note> notes;
  row<unsigned char> bytes;
};

namespace {

void push(checker* of, const record* at) {
  *of->notes.extend(1) = {at, of->spans.count, of->bytes.count};
  for (std::size_t i = 0; i < of->spans.count; ++i) {
    const span& each = of->spans.items[i];
    std::memcpy(of->bytes.extend(each.bytes), each.address, each.bytes);
  }
}

void pop(checker* of) { of->bytes.count = of->notes.items[--of->notes.count].at; }

[[noreturn]] void tell(const span& where, std::size_t byte, const record* at, const char* when) {
  char text[200];
  const bool is_known = where.place != nullptr && where.place->file != nullptr;
  std::snprintf(text, sizeof text, "%s: the first byte that differs is +%zu of the workspace of %s:%u", when, byte,
                is_known ? where.place->file : "an unknown place", is_known ? where.place->line : 0);
  die(&at->operations->place, text);
}

void compare(const checker* of, const note& with, const record* at, const char* when) {
  const unsigned char* noted = of->bytes.items + with.at;
  for (std::size_t i = 0; i < with.spans && i < of->spans.count; ++i) {
    const span& each = of->spans.items[i];
    for (std::size_t byte = 0; byte < each.bytes; ++byte)
      if (each.address[byte] != noted[byte]) tell(each, byte, at, when);
    noted += each.bytes;
  }
}

}  // namespace

checker* make_checker() { return static_cast<checker*>(std::calloc(1, sizeof(checker))); }

void free_checker(checker* of) {
  if (of == nullptr) return;
  std::free(of->spans.items);
  std::free(of->notes.items);
  std::free(of->bytes.items);
  std::free(of);
}

std::size_t watched_by(const checker* of) { return of == nullptr ? 0 : of->spans.count; }

// What was noted with other spans can be compared no more.
void unwatch_to(checker* of, std::size_t count) {
  if (of == nullptr) return;
  if (of->spans.count > count) of->spans.count = count;
  while (of->notes.count != 0 && of->notes.items[of->notes.count - 1].spans > count) pop(of);
}

void note_workspace(checker* of, const record* newest) {
  if (of == nullptr) return;
  while (of->notes.count != 0 && of->notes.items[of->notes.count - 1].of <= newest) pop(of);
  push(of, newest);
}

void compare_for(checker* of, const record* choice) {
  if (of == nullptr) return;
  for (std::size_t i = of->notes.count; i-- != 0;)
    if (of->notes.items[i].of == choice) {
      compare(of, of->notes.items[i], choice, "a choice point divides, and a change since its poll was not undone");
      return;
    }
}

void save_workspace(checker* of) {
  if (of != nullptr) push(of, nullptr);
}

void compare_saved(checker* of, const record* wind) {
  if (of == nullptr) return;
  compare(of, of->notes.items[of->notes.count - 1], wind, "undo and redo of a wind do not restore the workspace");
  pop(of);
}

}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

void weft_tascell_watch(weft_tascell_worker* worker, const void* address, size_t bytes, const weft_tascell_place* place) {
  checker* const of = as_worker(worker)->check;
  if (of != nullptr) *of->spans.extend(1) = {static_cast<const unsigned char*>(address), bytes, place};
}

void weft_tascell_unwatch(weft_tascell_worker* worker) {
  checker* const of = as_worker(worker)->check;
  if (of != nullptr && of->spans.count != 0) unwatch_to(of, of->spans.count - 1);
}
