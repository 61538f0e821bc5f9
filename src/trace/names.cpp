// See names.hpp.
#include "trace/names.hpp"

#include <cstring>

#include "os/peek.hpp"
#include "os/symbol.hpp"
#include "os/vm.hpp"

namespace weft::trace {

void names::start(bool may_demangle) {
  may_demangle_ = may_demangle;
  entries_ = static_cast<entry*>(os::reserve(capacity * sizeof(entry), os::page_bytes()));
}

void names::stop() {
  if (entries_ != nullptr) os::release(entries_, capacity * sizeof(entry));
  entries_ = nullptr;
}

// The key's entry, or an empty one to be filled.
names::entry* names::place_for(const void* key) {
  spare_ = {};
  if (entries_ == nullptr || key == nullptr) return &spare_;  // a null key marks the entries that are free
  std::size_t at = reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15 >> 52;
  for (;; at = (at + 1) % capacity) {
    entry* one = &entries_[at];
    if (one->key == key) return one;
    if (one->key != nullptr) continue;
    if (used_ > capacity * 3 / 4) return &spare_;
    ++used_;
    one->key = key;
    return one;
  }
}

const char* names::of_function(const void* code) {
  entry* one = place_for(code);
  if (one->text[0] != '\0') return one->text;
  os::name_code(code, os::code_place::exact, one->text, text_bytes);
  if (may_demangle_) os::demangle(one->text, text_bytes);
  return one->text;
}

const char* names::of_words(const void* text) {
  entry* one = place_for(text);
  if (one->text[0] == '\0' && !os::peek_text(static_cast<const char*>(text), one->text, text_bytes))
    std::strcpy(one->text, "something");
  return one->text;
}

}  // namespace weft::trace
