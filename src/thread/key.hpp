// Thread-specific keys: a table of live keys for the process, a small array of values with each
// unit or OS thread that set one.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "unit/details.hpp"
#include "worker/failure.hpp"

namespace weft::sched {

struct unit;

inline constexpr std::uint32_t most_keys = 1024;

status create_key(void (*destructor)(void* value), weft_key* out);
status delete_key(weft_key key);

// Of the caller: a unit's values or an OS thread's.
// Names its failures.
status set_value(weft_key key, void* value);
inline constexpr char no_such_key[] = "key number %u was deleted, or never created";
inline constexpr call_errors setting_value{.call = "weft_key_set", .invalid = {"key", no_such_key}};
void* get_value(weft_key key);

// Calls the destructors of all values, at most 4 rounds, and frees the array.
void run_key_destructors(key_value** values, std::uint32_t* capacity);

}  // namespace weft::sched
