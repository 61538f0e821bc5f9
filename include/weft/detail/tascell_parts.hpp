// Parts of tascell.hpp: what exceptions are while they pass frames of C, and the kinds of tasks
// that other nodes may be given.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <cstdint>
#include <exception>
#include <utility>

#include <weft/tascell.h>

namespace weft::tascell::detail {

// A cancellation on its way through C++ frames.
struct cancelled {
  weft_tascell_unwinding how;
};

// An exception on its way through frames of C and through tasks.
struct foreign {
  void (*destroy)(void*);  // first: tascell.h
  std::exception_ptr what;
};

inline void* make_foreign(std::exception_ptr what) {
  return new foreign{[](void* self) { delete static_cast<foreign*>(self); }, std::move(what)};
}

// Makes a kind known before main.
template <const weft_tascell_kind& Kind>
struct registration {
  static constexpr const weft_tascell_kind* kind = &Kind;
  weft_tascell_kinds list{&kind, 1, hash_of_name(), nullptr};

  registration() { weft_tascell_register(&list); }
  static constexpr std::uint64_t hash_of_name() {
    std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
    for (const char* each = __PRETTY_FUNCTION__; *each != '\0'; ++each)
      hash = (hash ^ static_cast<unsigned char>(*each)) * 0x100000001B3u;
    return hash;
  }
};
template <const weft_tascell_kind& Kind>
inline registration<Kind> registered{};

}  // namespace weft::tascell::detail
