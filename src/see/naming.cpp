// See naming.hpp.
#include "see/naming.hpp"

#include <cstdio>
#include <cstring>

#include "os/module.hpp"
#include "os/peek.hpp"
#include "os/place.hpp"
#include "os/source_line.hpp"
#include "queue/spinlock.hpp"

namespace weft::sched {

namespace {

constexpr std::size_t most_name_bytes = 256;

os::spelling spelling_of(names how) { return how == names::readable ? os::spelling::short_first : os::spelling::short_only; }

const void* code_of(unit::function_type function) { return reinterpret_cast<const void*>(function); }

// A function pointer, to which the unit's argument points. Its thread may have freed it.
const void* pointer_in_box(const void* box) {
  const void* pointer = nullptr;
  os::code_module module;
  if (!os::peek(box, &pointer, sizeof pointer)) return nullptr;
  return os::find_module(reinterpret_cast<std::uintptr_t>(pointer), &module) ? pointer : nullptr;
}

// What the function of an unnamed callable is; null: unknown.
const void* function_of(os::callable kind, const unit_view& one) {
  if (kind == os::callable::pointer) return one.argument;
  if (kind == os::callable::boxed_pointer) return pointer_in_box(one.argument);
  return nullptr;
}

void write_code(const void* code, bool is_entry, names how, char* out, std::size_t capacity) {
  os::name_readably(code, is_entry ? os::code_place::exact : os::code_place::after_call, spelling_of(how), out, capacity);
}

// Many threads are made by few calls, and to find a line takes a look through the program's debug
// information.
constexpr std::size_t most_line_bytes = 64;
struct known_line {
  const void* made_at;
  char words[most_line_bytes];
};
constexpr std::size_t most_known_lines = 32;
constinit queue::spinlock known_lock;
constinit known_line known_lines[most_known_lines] = {};

// "main.c:31", or "".
void write_line_of_maker(const void* made_at, char (&out)[most_line_bytes]) {
  known_line* const known = &known_lines[reinterpret_cast<std::uintptr_t>(made_at) * 0x9e3779b97f4a7c15 >> 59];
  const bool is_mine = known_lock.try_lock();  // not in a signal that came in between
  if (!is_mine || known->made_at != made_at) os::write_source_line(made_at, os::code_place::after_call, out, sizeof out);
  if (!is_mine) return;
  if (known->made_at == made_at) {
    std::memcpy(out, known->words, sizeof out);
  } else {
    known->made_at = made_at;
    std::memcpy(known->words, out, sizeof out);
  }
  known_lock.unlock();
}

// The code of a header that is part of the user's function has the header's line.
bool is_made_in_header(const unit_view& one) {
  char name[most_name_bytes];
  return os::name_start(code_of(one.function), name, sizeof name) != os::callable::none;
}

text& name_making_code(text& out, const unit_view& one, names how) {
  char line[most_line_bytes] = "";
  if (!is_made_in_header(one)) write_line_of_maker(one.made_at, line);
  code_name(out, one.made_at, false, how);
  if (line[0] != '\0') out << " (" << line << ")";
  return out;
}

text& name_scope(text& out, const char* before, const unit_view& one) {
  char scope[most_name_bytes];
  os::name_scope(code_of(one.function), scope, sizeof scope);
  if (scope[0] != '\0') out << before << scope;
  return out;
}

}  // namespace

text& code_name(text& out, const void* code, bool is_entry, names how) {
  char name[most_name_bytes];
  write_code(code, is_entry, how, name, sizeof name);
  return out << name;
}

text& code_with_line(text& out, std::uintptr_t code, bool is_exact, names how) {
  char line[most_line_bytes];
  const auto* const address = reinterpret_cast<const void*>(code);
  code_name(out, address, is_exact, how);
  const os::code_place place = is_exact ? os::code_place::exact : os::code_place::after_call;
  return os::write_source_line(address, place, line, sizeof line) ? out << " (" << line << ")" : out;
}

text& start_name(text& out, unit::function_type function, names how) {
  char name[most_name_bytes];
  if (os::name_start(code_of(function), name, sizeof name) == os::callable::named) return out << name;
  return code_name(out, code_of(function), true, how);
}

void write_what_runs(const unit_view& one, names how, char* out, std::size_t capacity) {
  if ((one.flags & is_adopted) != 0) {
    std::snprintf(out, capacity, "adopted OS thread");
    return;
  }
  const os::place_record* place = os::find_place(one.made_at);
  if (place != nullptr && !os::is_in_library(*place)) return os::write_file_and_line(*place, out, capacity);
  const os::callable kind = os::name_start(code_of(one.function), out, capacity);
  if (kind == os::callable::named) return;
  if (const void* function = function_of(kind, one); function != nullptr) return write_code(function, true, how, out, capacity);
  const bool is_made_by_user = kind != os::callable::none && place == nullptr && one.made_at != nullptr;
  if (is_made_by_user && !os::is_header_code(one.made_at)) return write_code(one.made_at, false, how, out, capacity);
  write_code(code_of(one.function), true, how, out, capacity);
}

text& name_maker(text& out, const char* before, const unit_view& one, names how) {
  if (one.made_at == nullptr || (one.flags & is_main) != 0) return out;
  const os::place_record* place = os::find_place(one.made_at);
  if (place == nullptr && !os::is_header_code(one.made_at)) return name_making_code(out << before, one, how);
  if (place == nullptr || os::is_in_library(*place)) return name_scope(out, before, one);
  char function[most_name_bytes], line[most_name_bytes];
  os::write_function(*place, function, sizeof function);
  os::write_file_and_line(*place, line, sizeof line);
  return out << before << function << " (" << line << ")";
}

}  // namespace weft::sched
