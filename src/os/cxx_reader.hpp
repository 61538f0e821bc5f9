// The reader of names behind cxx_name.hpp: a recursive descent through the grammar in the Itanium
// C++ ABI (5.1), which g++ and clang share. Whatever a name holds besides names (parameters,
// template arguments) is read without being written, because what follows may refer to it.
// Expressions are not read. Damaged names end the reading early: every loop consumes characters,
// and `steps_` bounds all of them together.
#pragma once

#include <string.h>

#include <cstddef>

namespace weft::os {

class cxx_reader {
 public:
  cxx_reader(const char* mangled, char* out, std::size_t capacity)
      : at_(mangled), end_(mangled + strlen(mangled)), out_(out), capacity_(capacity) {
    *out_ = '\0';
  }

  bool read_name() { return take("_Z") && name() && used_ != 0; }

 protected:
  // What a substitution stands for: a type, or the first components of a nested name.
  struct part {
    const char* begin;
    const char* end;
    bool is_prefix;
  };
  static constexpr std::size_t most_parts = 96;
  static constexpr unsigned most_steps = 4000;
  static constexpr unsigned most_depth = 48;

  // Reads what is inside without writing it.
  class muted {
   public:
    explicit muted(cxx_reader* of) : of_(of) { ++of_->muted_; }
    ~muted() { --of_->muted_; }
    muted(const muted&) = delete;
    muted& operator=(const muted&) = delete;

   private:
    cxx_reader* of_;
  };
  class deeper {
   public:
    explicit deeper(cxx_reader* of) : of_(of) { ++of_->depth_; }
    ~deeper() { --of_->depth_; }
    deeper(const deeper&) = delete;
    deeper& operator=(const deeper&) = delete;
    bool may_go_on() const { return of_->depth_ <= most_depth && ++of_->steps_ <= most_steps; }

   private:
    cxx_reader* of_;
  };

  bool is_at(const char* words) const { return strncmp(at_, words, strlen(words)) == 0; }
  bool take(const char* words) {
    if (!is_at(words)) return false;
    at_ += strlen(words);
    return true;
  }
  bool take_number(std::size_t* number);
  bool take_ordinal(std::size_t* ordinal);
  bool take_part(std::size_t* index);
  void record(const char* begin, bool is_prefix);
  void write(const char* words, std::size_t length);
  void component(const char* words, std::size_t length);
  void component(const char* words) { component(words, strlen(words)); }
  void numbered(const char* words, std::size_t number);

  bool name();
  bool nested();
  bool local();
  bool step_of_prefix(const char* begin);
  bool prefix_until(const char* end);
  bool unqualified();
  bool source_name();
  bool numbered_by_clang(const char* digits, const char* end);
  bool structor();
  bool closure();
  bool operator_function();
  bool substitution();
  bool standard(char which);
  bool encoding();
  bool arguments();
  bool argument();
  bool constraint();
  bool literal();
  bool type();
  bool plain_type(const char* begin);
  bool type_of_d(const char* begin);
  bool types_until_end();
  bool function_type();
  bool substituted_type(const char* begin);
  bool parameter();

  const char* at_;
  const char* const end_;
  char* const out_;
  const std::size_t capacity_;
  std::size_t used_ = 0;
  bool is_full_ = false;
  bool has_component_ = false;  // the next one is written behind "::"
  unsigned muted_ = 0;
  unsigned repeats_ = 0;  // inside a substitution, whose parts are known already
  mutable unsigned steps_ = 0;
  unsigned depth_ = 0;
  const char* last_ = "";  // component, for the names of constructors
  std::size_t last_length_ = 0;
  std::size_t part_count_ = 0;
  part parts_[most_parts];
};

}  // namespace weft::os
