// What the face keeps of each work unit, in the unit's extension bytes. A handle (ABT_thread,
// ABT_task) is the core's weft_thread.
//
// They are zero in a new unit, which is what most fields begin with.
#pragma once

#include <abt.h>

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>
#include <weft_abt/atomic.hpp>

namespace weft::abt {

struct pool;
struct scheduler;
struct stream;
struct key_table;

using unit_function = void (*)(void*);

// Those marked * may change later, by fetch_or and fetch_and.
enum unit_kind : std::uint32_t {
  is_yieldable = 1 << 0,       // a ULT; otherwise a tasklet
  is_named = 1 << 1,           // the program holds its handle, and will free it
  is_migratable = 1 << 2,      // *
  is_primary = 1 << 3,         // the caller of ABT_init
  is_main_scheduler = 1 << 4,  // runs the main scheduler of a stream
  is_pool_scheduler = 1 << 5,  // runs a scheduler that lies in a pool
  is_unit = 1 << 6,            // always; others are threads that weft.h made, outside as far as this interface goes
  has_belongings = 1 << 7,     // * values of keys, a record of migrations, an ABT_unit of a user's pool: they go with it
};

enum unit_request : std::uint32_t {
  wants_cancel = 1 << 0,
  wants_migration = 1 << 1,
  wants_join = 1 << 2,    // of a main scheduler: its stream is to end when there is no work
  is_cancelled = 1 << 3,  // it ends instead of going on
  is_ending = 1 << 4,     // it calls destructors and the tool, and nothing more: it cannot end once again
};

// Of ABT_self_suspend and its kin: the unit counts as blocked from when its context is saved.
enum suspension : std::uint32_t { not_suspended, about_to_suspend, is_suspended };

// Made by the first that needs it.
struct migration {
  void (*callback)(ABT_thread thread, void* argument);
  void* argument;
  atomic<pool*> target;
};

struct unit_fields {
  // the unit's owner, or the unit itself
  unit_function function;
  void* argument;
  pool* home;                // the pool that it is associated with
  ABT_unit unit;             // what it is called in that pool
  ABT_pool_context context;  // what the next push into a user's pool is told; 0: it follows from the push's reason
  scheduler* runs;           // when is_main_scheduler or is_pool_scheduler
  void** exit_point;         // where ABT_thread_exit goes; null: not running on a stack of the face
  void* stack;               // as asked for at creation: null, or the user's memory
  std::size_t stack_bytes;   // likewise; 0: the default
  weft_thread* parent;       // its last dispatcher

  // any OS thread
  atomic<stream*> last_stream;
  atomic<std::uint32_t> kind;
  atomic<std::uint32_t> request;
  atomic<std::uint32_t> suspended;
  atomic<std::uint32_t> wait_kind;  // for tool.cpp: ABT_sync_event_type of its waits now, and that one was told
  atomic<const void*> wait_object;  // likewise
  atomic<std::uint32_t> first_key;  // of the value that was set first, which has its place here; 0: none. See key.hpp
  atomic<void*> first_value;
  atomic<void (*)(void*)> first_destructor;
  atomic<key_table*> keys;  // of the other values
  atomic<migration*> moving;

  bool is(unit_kind what) const { return (kind.load(std::memory_order_relaxed) & what) != 0; }
  // Of `some`, these and no others.
  bool is_exactly(unsigned these, unsigned some) const { return (kind.load(std::memory_order_relaxed) & some) == these; }
  bool is_any(unsigned some) const { return (kind.load(std::memory_order_relaxed) & some) != 0; }
};
static_assert(sizeof(unit_fields) <= 192);

// From a unit to its fields; 0 before the first ABT_init: then Weft's threads have none.
[[gnu::visibility("hidden")]] extern std::ptrdiff_t distance_to_fields;
inline bool have_fields() { return distance_to_fields != 0; }

inline unit_fields* fields_of(weft_thread* thread) {
  return reinterpret_cast<unit_fields*>(reinterpret_cast<char*>(thread) + distance_to_fields);
}
inline const unit_fields* fields_of(const weft_thread* thread) {
  return reinterpret_cast<const unit_fields*>(reinterpret_cast<const char*>(thread) + distance_to_fields);
}

inline weft_thread* thread_of(unit_fields* fields) {
  return reinterpret_cast<weft_thread*>(reinterpret_cast<char*>(fields) - distance_to_fields);
}

// READY, RUNNING, BLOCKED or TERMINATED.
ABT_thread_state state_of(const weft_thread* thread);

// Where its stack lies: as many bytes as it was made with, or somewhat fewer; all may be read. low
// null: it has none now.
struct placed_stack {
  void* low;
  std::size_t bytes;
};
placed_stack stack_of(const weft_thread* thread);
// As asked for; 0: it has no stack of the face's.
std::size_t stack_bytes_of(const weft_thread* thread);

// ---- making units (make.cpp) ----

struct unit_plan {
  unit_function function;
  void* argument;
  pool* home;
  std::uint32_t kind;
  void* stack = nullptr;        // the user's memory
  std::size_t stack_bytes = 0;  // 0: the default
  scheduler* runs = nullptr;
};

// Makes a unit and associates it with its pool; the caller owns it as if popped. An ABT_ error
// code.
int make_unit(const unit_plan& plan, weft_thread** out);
// As make_unit, and pushes it.
int create_unit(const unit_plan& plan, weft_thread** out);
// Of make_unit, not pushed anywhere.
void discard_unit(weft_thread* owned);

// ---- the bottom of a unit's stack (bottom.cpp) ----

void run_bottom(void* known_self);  // or null
// Ends the running ULT, whose frames are left as they are. Not one that is ending.
[[noreturn]] void exit_unit(unit_fields* mine);

// ---- requests (request.cpp) ----

inline void request(unit_fields* what, std::uint32_t bits) { what->request.fetch_or(bits, std::memory_order_relaxed); }
inline bool has_requests(const unit_fields* what) { return what->request.load(std::memory_order_relaxed) != 0; }
inline bool is_requested(const unit_fields* what, std::uint32_t bits) {
  return (what->request.load(std::memory_order_relaxed) & bits) != 0;
}

// By the unit itself.
inline bool has_to_end(const unit_fields* mine) { return is_requested(mine, is_cancelled) && !is_requested(mine, is_ending); }
inline void end_if_cancelled(unit_fields* mine) {
  if (has_to_end(mine)) [[unlikely]]
    exit_unit(mine);
}

// Where the unit shall go at its next yield, wait or start. An ABT_ error code.
int request_migration(weft_thread* thread, pool* target);
// The record of its migrations, made if need be; null: no memory.
migration* migration_of(unit_fields* what);
// By the unit itself, about to leave its stream: migrates if that was asked for.
void obey_migration(weft_thread* self, unit_fields* mine);
// By the unit itself: ends it if it was cancelled.
void obey_cancellation(unit_fields* mine);
// By the owner of a unit that is about to run it. False: it went to another pool instead.
bool obey_requests_for(weft_thread* owned);

}  // namespace weft::abt
