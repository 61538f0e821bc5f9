// Reading memory that may vanish or change meanwhile: for reports about what other OS threads hold.
// Callable from any OS thread.
#pragma once

#include <cstddef>

namespace weft::os {

// Copies bytes from `from` to `to`. False: not all of it is readable, or the system has no way to
// ask; *to is then undefined.
bool peek(const void* from, void* to, std::size_t bytes);

// A text of up to capacity - 1 characters, cut there. False: unreadable, or not printable.
bool peek_text(const char* from, char* to, std::size_t capacity);

}  // namespace weft::os
