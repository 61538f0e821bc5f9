// See frames.hpp.
#include "sched/frames.hpp"

#include <stdio.h>

#include <cstring>

#include "os/module.hpp"
#include "os/peek.hpp"
#include "os/symbol.hpp"

namespace weft::sched {

namespace {

// `dine+0x2d (dine-together+0x11bc)`: the function, and in parentheses what addr2line takes, which lies inside the call.
void name_frame(std::uintptr_t code, char* out, std::size_t capacity) {
  constexpr std::size_t most_place_bytes = sizeof(os::code_module::name) + 32;
  os::name_code(reinterpret_cast<const void*>(code), os::code_place::after_call, out, capacity - most_place_bytes);
  os::demangle(out, capacity - most_place_bytes);
  os::code_module module;
  if (!os::find_module(code - 1, &module)) return;
  char place[most_place_bytes];
  snprintf(place, sizeof place, "%s+%#lx", module.name, static_cast<unsigned long>(code - module.bias));
  const bool has_name = std::strcmp(out, place) != 0;
  const std::size_t used = has_name ? std::strlen(out) : 0;
  snprintf(out + used, capacity - used, has_name ? " (%s+%#lx)" : "%s+%#lx", module.name,
           static_cast<unsigned long>(code - 1 - module.bias));
}

bool is_same_rest(const unit_view& one, const unit_view& other) {
  return one.state == other.state && one.saved == other.saved && one.object == other.object && one.function == other.function;
}

}  // namespace

const char* known_frames::name_of(std::uintptr_t code) {
  entry* one = &entries_[code * 0x9e3779b97f4a7c15 >> 57];
  if (one->code != code || one->name[0] == '\0') {
    one->code = code;
    name_frame(code, one->name, sizeof one->name);
  }
  return one->name;
}

void backtraces::write_frame(std::uint64_t number, std::uintptr_t code, const char* margin) const {
  *out_ << margin << "    #" << number << " " << known_->name_of(code) << "\n";
}

bool backtraces::begin(const char* margin) const {
  const int here = 1;
  int copy;
  if (os::peek(&here, &copy, sizeof copy)) return true;
  *out_ << margin << "no backtraces: the system does not let a process read its own memory by process_vm_readv\n";
  return false;
}

void backtraces::write(const unit_view& one, const char* margin) const {
  if (one.saved == nullptr) {
    if (one.runs_another) {
      *out_ << margin << "    it runs another thread, on its own stack or as its scheduler\n";
    } else if (one.state == unit_state::blocked || one.state == unit_state::suspended) {
      *out_ << margin << "    it leaves its worker just now\n";
    }
    return;
  }
  unwind::backtrace found;
  unwind::walk_context(os::peek, known_->rows(), one.saved, &found);
  unit_view now;
  if (!look_at(one.where, &now) || (look_at_runner(rt_, &now), !is_same_rest(one, now))) {
    *out_ << margin << "    it went on meanwhile\n";
    return;
  }
  for (unsigned index = 0; index < found.count; ++index) write_frame(index, found.code[index], margin);
  switch (found.why) {
    case unwind::ending::bottom: break;
    case unwind::ending::limit: *out_ << margin << "    ... and more\n"; break;
    case unwind::ending::no_table: *out_ << margin << "    ends here: this code has no unwind table\n"; break;
    case unwind::ending::unreadable: *out_ << margin << "    ends here: the stack is damaged or cannot be read\n"; break;
  }
}

}  // namespace weft::sched
