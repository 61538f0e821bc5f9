// The process: its children, and its privileges.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace weft::os {

// raised: set-user-ID, set-group-ID, file capabilities or a security module give the program more
// rights than its caller has, and the caller chooses its environment.
enum class privileges : std::uint8_t { ordinary, raised };

// As the kernel says (AT_SECURE) about the exec(2) that made this process.
privileges privileges_of_program();

// From now on every child that fork(2) makes calls function() before fork returns there; not one of
// vfork, posix_spawn or _Fork. For the process's life, or as long as this library is loaded.
// Errors: nomem.
status call_in_children(void (*function)());

// From now on each fork(2) of this process calls function() in the parent, on the OS thread that
// forks, before there is a child. vfork, posix_spawn and _Fork do not. For the process's life.
// Errors: nomem.
status call_before_forks(void (*function)());

}  // namespace weft::os
