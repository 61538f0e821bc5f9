// Settings that a program makes up call by call: values by key, each an int, a double or a pointer.
// Few are set, so a search looks at each. Not synchronised.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "faces/common/object.hpp"

namespace weft::face {

enum class value_type : int { integer = 0, real = 1, pointer = 2 };

struct config_value {
  int key;
  value_type type;
  union {
    int integer;
    double real;
    void* pointer;
  } value;
};

enum class config_result { done, no_memory, invalid };

class config_values {
 public:
  config_values() = default;
  config_values(const config_values&) = delete;
  config_values& operator=(const config_values&) = delete;
  ~config_values() { std::free(entries_); }

  // Takes the place of an earlier value of the key.
  [[nodiscard]] config_result put(const config_value& one) {
    config_value* place = find(one.key);
    if (place == nullptr) {
      if (count_ == room_ && !grow()) return config_result::no_memory;
      place = &entries_[count_++];
    }
    *place = one;
    return config_result::done;
  }
  // From a variable of that type; a null value removes the key. invalid: there is no such type.
  [[nodiscard]] config_result put_from(int key, int type, const void* value) {
    if (value == nullptr) {
      remove(key);
      return config_result::done;
    }
    config_value one{key, static_cast<value_type>(type), {}};
    const std::size_t bytes = bytes_of(one.type);
    if (bytes == 0) return config_result::invalid;
    std::memcpy(&one.value, value, bytes);
    return put(one);
  }
  // Into a variable of its type; type and value may be null. False: there is no such key.
  bool get(int key, int* type, void* value) const {
    const config_value* const found = find(key);
    if (found == nullptr) return false;
    if (value != nullptr) std::memcpy(value, &found->value, bytes_of(found->type));
    if (type != nullptr) *type = static_cast<int>(found->type);
    return true;
  }

 private:
  static std::size_t bytes_of(value_type type) {
    switch (type) {
      case value_type::integer: return sizeof(int);
      case value_type::real: return sizeof(double);
      case value_type::pointer: return sizeof(void*);
    }
    return 0;
  }

  config_value* find(int key) const {
    for (std::size_t index = 0; index < count_; ++index) {
      if (entries_[index].key == key) return &entries_[index];
    }
    return nullptr;
  }
  void remove(int key) {
    if (config_value* const place = find(key); place != nullptr) *place = entries_[--count_];
  }
  bool grow() {
    const std::size_t room = room_ == 0 ? 8 : 2 * room_;
    auto* const entries = static_cast<config_value*>(std::realloc(entries_, room * sizeof(config_value)));
    if (entries == nullptr) return false;
    entries_ = entries;
    room_ = room;
    return true;
  }

  config_value* entries_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

}  // namespace weft::face
