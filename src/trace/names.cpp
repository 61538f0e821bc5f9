// See names.hpp.
#include "trace/names.hpp"

#include <cstring>

#include "os/peek.hpp"
#include "os/place.hpp"
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
  if (os::name_start(code, one->text, text_bytes) == os::callable::named) return one->text;
  const os::spelling how = may_demangle_ ? os::spelling::short_first : os::spelling::short_only;
  os::name_readably(code, os::code_place::exact, how, one->text, text_bytes);
  return one->text;
}

const char* names::of_place(const void* made_at) {
  entry* one = place_for(made_at);
  if (one->text[0] != '\0') return one->text[0] != ' ' ? one->text : "";
  const os::place_record* place = made_at != nullptr ? os::find_place(made_at) : nullptr;
  if (place == nullptr || os::is_in_library(*place)) {
    std::strcpy(one->text, " ");  // so that it is looked up once
    return "";
  }
  os::write_file_and_line(*place, one->text, text_bytes);
  return one->text;
}

const char* names::of_words(const void* text) {
  entry* one = place_for(text);
  if (one->text[0] == '\0' && !os::peek_text(static_cast<const char*>(text), one->text, text_bytes))
    std::strcpy(one->text, "something");
  return one->text;
}

}  // namespace weft::trace
