#include "harness/runtimes.hpp"

#include <algorithm>

namespace bench {

std::string_view name_of(child_kind kind) {
  switch (kind) {
    case child_kind::call: return "call";
    case child_kind::thread: return "thread";
    case child_kind::tasklet: return "tasklet";
    case child_kind::task: break;
  }
  return "task";
}

const runtime* find_runtime(std::string_view name) {
  std::span<const runtime> const all = all_runtimes();
  auto const found = std::ranges::find(all, name, &runtime::name);
  return found == all.end() ? nullptr : &*found;
}

const cell* find_cell(const runtime& of, const kernel& what) {
  auto const found = std::ranges::find(of.cells, &what, &cell::of);
  return found == of.cells.end() ? nullptr : &*found;
}

const cell* find_cell(std::string_view runtime, const kernel& what) {
  const bench::runtime* const of = find_runtime(runtime);
  return of == nullptr ? nullptr : find_cell(*of, what);
}

}  // namespace bench
