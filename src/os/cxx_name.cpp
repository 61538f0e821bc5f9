// See cxx_name.hpp.
#include "os/cxx_name.hpp"

#include <string.h>

#include "os/cxx_reader.hpp"

namespace weft::os {
namespace {

class start_reader : public cxx_reader {
 public:
  using cxx_reader::cxx_reader;

  callable read_callable();
  bool read_scope();

 private:
  bool is_own() const;
  bool enter_own(bool* is_packed, bool* is_boxed);
  bool is_own_lambda() const;
  bool enter_own_lambda();
  bool scope();
  bool find_callable(bool* is_packed, bool* is_boxed);
};

// "S_" and "S0_" repeat the first components of the whole name, which are Weft's.
constexpr const char* own_scopes[] = {"N4weft6detail", "NS_6detail", "NS0_", "N4weft10task_group", "NS_10task_group"};

// These call the user's function at most to compare.
constexpr const char* without_callable[] = {"8sort_job", "13partition_job"};

bool start_reader::is_own() const {
  for (const char* each : own_scopes) {
    if (!is_at(each)) continue;
    for (const char* one : without_callable) {
      if (strncmp(at_ + strlen(each), one, strlen(one)) == 0) return false;
    }
    return true;
  }
  return false;
}

// Up to the first template argument of a name that is_own(), without writing; false: it has none.
bool start_reader::enter_own(bool* is_packed, bool* is_boxed) {
  const muted quiet(this);
  ++at_;
  const char* const begin = at_;
  while (*at_ != 'I' && *at_ != 'E') {
    if (is_at("10run_packed")) *is_packed = true;
    if (is_at("9run_boxed") || is_at("10run_placed")) *is_boxed = true;
    if (!step_of_prefix(begin)) return false;
  }
  return take("I") && constraint();
}

// A lambda of Weft's own, such as the one in which weft::for_each calls the user's for each
// element.
bool start_reader::is_own_lambda() const { return is_at("ZN4weft") || is_at("ZNS_") || is_at("ZNS0_"); }

// Up to the first lambda among the template arguments of the function in which that is written.
// False, and nothing is read: there is none.
bool start_reader::enter_own_lambda() {
  const muted quiet(this);
  const char* const start = at_;
  const std::size_t parts = part_count_;
  at_ += 2;
  const char* const begin = at_;
  while (*at_ != 'I' && *at_ != 'E' && step_of_prefix(begin)) continue;
  if (take("I")) {
    while (*at_ != 'E' && constraint() && *at_ != 'Z' && argument()) continue;
    if (*at_ == 'Z') return true;
  }
  at_ = start;
  part_count_ = parts;
  return false;
}

bool start_reader::find_callable(bool* is_packed, bool* is_boxed) {
  if (!take("_Z") || !is_own()) return false;
  for (;;) {
    if (is_own()) {
      if (!enter_own(is_packed, is_boxed)) return false;
    } else if (!is_own_lambda() || !enter_own_lambda()) {
      return true;
    }
  }
}

bool start_reader::scope() { return take("Z") && encoding(); }

callable start_reader::read_callable() {
  bool is_packed = false, is_boxed = false;
  if (!find_callable(&is_packed, &is_boxed)) return callable::none;
  if (is_at("PF") || is_at("PDoF")) {
    return is_packed ? callable::pointer : is_boxed ? callable::boxed_pointer : callable::unnamed;
  }
  return (is_own_lambda() ? scope() : type()) && used_ != 0 ? callable::named : callable::unnamed;
}

bool start_reader::read_scope() {
  bool is_packed = false, is_boxed = false;
  return find_callable(&is_packed, &is_boxed) && !is_own_lambda() && scope() && used_ != 0;
}

}  // namespace

bool read_cxx_name(const char* mangled, char* out, std::size_t capacity) {
  if (cxx_reader(mangled, out, capacity).read_name()) return true;
  *out = '\0';
  return false;
}

callable read_cxx_callable(const char* mangled, char* out, std::size_t capacity) {
  const callable found = start_reader(mangled, out, capacity).read_callable();
  if (found != callable::named) *out = '\0';
  return found;
}

bool read_cxx_scope(const char* mangled, char* out, std::size_t capacity) {
  if (start_reader(mangled, out, capacity).read_scope()) return true;
  *out = '\0';
  return false;
}

}  // namespace weft::os
