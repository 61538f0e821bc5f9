// See frames.hpp.
#include "see/frames.hpp"

#include <stdio.h>

#include <cstdlib>
#include <cstring>

#include "os/heap.hpp"
#include "os/module.hpp"
#include "os/peek.hpp"
#include "os/symbol.hpp"
#include "see/running_frames.hpp"
#include "worker/failure.hpp"
#include "worker/hooks.hpp"

namespace weft::sched {

namespace {

// `dine+0x2d (dine-together+0x11bc)`: the function, and in parentheses what addr2line takes, which
// lies inside the call.
void name_frame(std::uintptr_t code, bool is_exact, char* out, std::size_t capacity) {
  constexpr std::size_t most_place_bytes = sizeof(os::code_module::name) + 32;
  const std::uintptr_t inside = is_exact ? code : code - 1;
  os::name_readably(reinterpret_cast<const void*>(code), is_exact ? os::code_place::exact : os::code_place::after_call,
                    os::spelling::full_first, out, capacity - most_place_bytes);
  os::code_module module;
  if (!os::find_module(inside, &module)) return;
  char place[most_place_bytes];
  snprintf(place, sizeof place, "%s+%#lx", module.name, static_cast<unsigned long>(code - module.bias));
  const bool has_name = std::strcmp(out, place) != 0;
  const std::size_t used = has_name ? std::strlen(out) : 0;
  snprintf(out + used, capacity - used, has_name ? " (%s+%#lx)" : "%s+%#lx", module.name,
           static_cast<unsigned long>(inside - module.bias));
}

bool is_same_rest(const unit_view& one, const unit_view& other) {
  return one.state == other.state && one.saved == other.saved && one.object == other.object && one.function == other.function;
}

// The core's own: not what a program calls, which is the interface.
bool is_own(const char* name) {
  constexpr const char* scopes[] = {
      "weft::sched::", "weft::sync::", "weft::fiber::", "weft::capi::", "weft::os::", "weft_context_entry"};
  for (const char* each : scopes) {
    if (std::strncmp(name, each, std::strlen(each)) == 0) return true;
  }
  return false;
}

bool can_peek() {
  const int here = 1;
  int copy;
  return os::peek(&here, &copy, sizeof copy);
}

// False: it went on meanwhile, and what was found may be anything.
bool find_frames(runtime* rt, const unit_view& one, unwind::known_rows* rows, unwind::backtrace* found) {
  unwind::walk_context(os::peek, rows, one.saved, found);
  unit_view now;
  if (!look_at(one.where, &now)) return false;
  look_at_runner(rt, &now);
  return is_same_rest(one, now);
}

// Why there are no more; null at the bottom.
const char* word_of(unwind::ending why) {
  switch (why) {
    case unwind::ending::limit: return "... and more";
    case unwind::ending::no_register: return "ends here: the next frame is found by a register that the kernel does not tell";
    case unwind::ending::no_table: return "ends here: this code has no unwind table";
    case unwind::ending::unreadable: return "ends here: the stack is damaged or cannot be read";
    case unwind::ending::bottom: break;
  }
  return nullptr;
}

}  // namespace

const char* known_frames::name_of(std::uintptr_t code, bool is_exact) {
  entry* one = &entries_[code * 0x9e3779b97f4a7c15 >> 57];
  if (one->code != code || one->is_exact != is_exact || one->name[0] == '\0') {
    one->code = code;
    one->is_exact = is_exact;
    name_frame(code, is_exact, one->name, sizeof one->name);
  }
  return one->name;
}

bool backtraces::begin(const char* margin) const {
  if (can_peek()) return true;
  *out_ << margin << "no backtraces: the system does not let a process read its own memory by process_vm_readv\n";
  return false;
}

// The last of the frames from `first` on that are the core's own; first: there are not two.
unsigned backtraces::end_of_own(const unwind::backtrace& found, unsigned first) const {
  unsigned end = first;
  while (end < found.count && is_own(known_->name_of(found.code[end], found.is_exact(end)))) ++end;
  return end > first + 1 ? end - 1 : first;
}

void backtraces::write(const unit_view& one, const char* margin) const {
  if (one.saved != nullptr) return write_suspended(one, margin);
  if (one.is_in_call) {
    *out_ << margin << "    its call runs on an OS thread of its own\n";
  } else if (one.runs_another) {
    *out_ << margin << "    it runs another thread, on its own stack or as its scheduler\n";
  } else if (one.state == unit_state::blocked || one.state == unit_state::suspended) {
    *out_ << margin << "    it leaves its worker just now\n";
  } else if (one.state == unit_state::running && one.worker >= 0) {
    write_running(one, margin);
  }
}

void backtraces::write_suspended(const unit_view& one, const char* margin) const {
  unwind::backtrace found;
  if (find_frames(rt_, one, known_->rows(), &found)) return write_frames(found, margin);
  *out_ << margin << "    it went on meanwhile\n";
}

void backtraces::write_running(const unit_view& one, const char* margin) const {
  unwind::backtrace found;
  const char* obstacle = find_running_frames(rt_, one, known_->rows(), &found);
  if (obstacle == nullptr) return write_frames(found, margin);
  *out_ << margin << "    " << obstacle << "\n";
}

void backtraces::write_frames(const unwind::backtrace& found, const char* margin) const {
  for (unsigned index = 0; index < found.count;) {
    const unsigned last = end_of_own(found, index);
    *out_ << margin << "    #" << std::uint64_t{index};
    if (last != index) *out_ << " to #" << std::uint64_t{last};
    *out_ << " " << known_->name_of(found.code[index], found.is_exact(index));
    if (last != index) *out_ << " ... " << known_->name_of(found.code[last], found.is_exact(last));
    *out_ << "\n";
    index = last + 1;
  }
  if (const char* why = word_of(found.why); why != nullptr) *out_ << margin << "    " << why << "\n";
}

// ---- for builders ----

namespace {

// What the OS thread finds for the caller, whose stack may be small.
struct named_frames {
  runtime* rt;
  const unit* one;
  status result;
  unwind::backtrace found;
  unwind::known_rows rows;
  char names[unwind::most_frames][frame_name_bytes];
};

bool has_none(const unit_view& one) { return one.has_ended || (one.state == unit_state::ready && !one.has_started); }

status read_frames(named_frames* all) {
  if (!can_peek()) return status::unsupported;
  unit_view view;
  if (!look_at(all->one, &view)) return status::busy;
  look_at_runner(all->rt, &view);
  all->found.why = unwind::ending::bottom;
  if (has_none(view)) return status::ok;
  if (view.saved == nullptr || !find_frames(all->rt, view, &all->rows, &all->found)) return status::busy;
  for (unsigned index = 0; index < all->found.count; ++index)
    name_frame(all->found.code[index], all->found.is_exact(index), all->names[index], frame_name_bytes);
  return status::ok;
}

}  // namespace

status visit_frames(runtime* rt, const unit* one, frame_visitor visit, void* state) {
  auto* const all = static_cast<named_frames*>(os::allocate(sizeof(named_frames)));
  if (all == nullptr) return status::nomem;
  all->rt = rt;
  all->one = one;
  all->result = status::unsupported;
  run_beside(
      [](void* argument, names how) {
        auto* const to_fill = static_cast<named_frames*>(argument);
        if (how == names::readable) to_fill->result = read_frames(to_fill);
      },
      all);
  const status result = all->result;
  if (result == status::unsupported)
    static_cast<void>(because(result, nullptr, "the system gives no OS thread, or forbids process_vm_readv of the own process"));
  if (result == status::ok) {
    for (unsigned index = 0; index < all->found.count; ++index)
      visit(state, reinterpret_cast<const void*>(all->found.code[index]), all->names[index]);
    if (const char* why = word_of(all->found.why); why != nullptr) visit(state, nullptr, why);
  }
  std::free(all);
  return result;
}

}  // namespace weft::sched
