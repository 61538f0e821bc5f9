// What reports say of the system calls that an OS thread may be found asleep in. Callable from any
// OS thread and from signal handlers; allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::os {

// The kernel's name for it, such as "read"; null: one that is not in our list.
const char* call_name(long number);

bool is_futex(long number);
// It does nothing but let time pass.
bool is_sleep(long number);
// Its first argument is a file descriptor.
bool takes_descriptor(long number);
// Whether it may sleep in that call for as long as something else takes. Of those in our list, all
// but the sleeps, and futexes, which is_endless_futex_wait tells apart.
bool may_sleep_for_ever(long number);
// By its number, its second and its fourth argument: a wait in a futex that only another OS thread
// ends.
bool is_endless_futex_wait(long number, std::uintptr_t operation, std::uintptr_t timeout);

// What a descriptor of this process stands for: "pipe:[4711]", "/var/log/today"; cut to capacity -
// 1 characters. False, and out is "": it is closed, or the system does not tell.
bool name_descriptor(std::uintptr_t descriptor, char* out, std::size_t capacity);

}  // namespace weft::os
