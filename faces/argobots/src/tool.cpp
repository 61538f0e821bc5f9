// The tool interface: a callback that is told what work units do.
//
// The callback and what it is called with change together, under a count that is odd meanwhile:
// a teller reads them between two equal, even counts. A teller that does so while another caller
// takes the callback away may still call it.

#include "tool.hpp"

#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "self.hpp"
#include "stream.hpp"
#include "unit.hpp"

namespace weft::abt {

constinit atomic<std::uint64_t> tool_mask{0};

namespace {

// What ABT_tool_query_thread answers from.
struct tool_context {
  pool* where;
  weft_thread* parent;
  weft_thread* caller;
  ABT_sync_event_type wait_kind;
  const void* wait_object;
};

constexpr std::uint32_t is_wait_told = 1u << 31;  // in unit_fields::wait_kind
constexpr std::uint32_t kinds = is_wait_told - 1;

constinit face::spinlock writers;
constinit atomic<std::uint32_t> version{0};
constinit atomic<ABT_tool_thread_callback_fn> callback{nullptr};
constinit atomic<void*> callback_argument{nullptr};

// A waker that is no unit, such as the core at the end of one, is on a stream nevertheless.
constinit thread_local stream* stream_of_os_thread = nullptr;

caller who_acts() {
  const caller me = who_calls();
  if (!me.is_outside() || stream_of_os_thread == nullptr) return me;
  weft_thread* const main = stream_of_os_thread->scheduler_thread;
  return {main, fields_of(main), stream_of_os_thread, fields_of(main)->kind.load(std::memory_order_relaxed)};
}

struct listener {
  ABT_tool_thread_callback_fn call;
  void* argument;
};

// Null: no tool wants this event any more.
listener listener_of(std::uint64_t event) {
  for (;;) {
    // [Z21] acquire: sees what the writer of this version wrote; pairs with [Z22]
    const std::uint32_t before = version.load(std::memory_order_acquire);
    if ((tool_mask.load(std::memory_order_relaxed) & event) == 0) return {nullptr, nullptr};
    // [Z23] acquire: the version is read again after these; pairs with [Z24]
    const auto call = callback.load(std::memory_order_acquire);
    // [Z32] acquire: likewise; pairs with [Z33]
    void* const argument = callback_argument.load(std::memory_order_acquire);
    if (before % 2 == 0 && version.load(std::memory_order_relaxed) == before) return {call, argument};
    spin_hint();
  }
}

void replace_listener(ABT_tool_thread_callback_fn call, std::uint64_t mask, void* argument) {
  const face::guard hold(writers);
  version.fetch_add(1, std::memory_order_relaxed);
  // [Z24] release: the odd version comes first; pairs with [Z23]
  callback.store(call, std::memory_order_release);
  // [Z33] release: likewise; pairs with [Z32]
  callback_argument.store(argument, std::memory_order_release);
  tool_mask.store(mask, std::memory_order_relaxed);
  // [Z22] release: publishes all; pairs with [Z21]
  version.fetch_add(1, std::memory_order_release);
}

constexpr std::uint64_t by_the_unit = ABT_TOOL_EVENT_THREAD_RUN | ABT_TOOL_EVENT_THREAD_FINISH | ABT_TOOL_EVENT_THREAD_YIELD |
                                      ABT_TOOL_EVENT_THREAD_SUSPEND | ABT_TOOL_EVENT_THREAD_CANCEL;
constexpr std::uint64_t by_a_caller = ABT_TOOL_EVENT_THREAD_CREATE | ABT_TOOL_EVENT_THREAD_JOIN | ABT_TOOL_EVENT_THREAD_FREE |
                                      ABT_TOOL_EVENT_THREAD_REVIVE | ABT_TOOL_EVENT_THREAD_RESUME;
constexpr std::uint64_t with_a_pool = ABT_TOOL_EVENT_THREAD_CREATE | ABT_TOOL_EVENT_THREAD_REVIVE | ABT_TOOL_EVENT_THREAD_YIELD |
                                      ABT_TOOL_EVENT_THREAD_SUSPEND | ABT_TOOL_EVENT_THREAD_RESUME;
constexpr std::uint64_t with_a_parent =
    ABT_TOOL_EVENT_THREAD_RUN | ABT_TOOL_EVENT_THREAD_FINISH | ABT_TOOL_EVENT_THREAD_YIELD | ABT_TOOL_EVENT_THREAD_SUSPEND;

void tell(std::uint64_t event, weft_thread* thread, ABT_sync_event_type kind, const void* object) {
  const listener to = listener_of(event);
  if (to.call == nullptr) return;
  unit_fields* const what = fields_of(thread);
  const caller me = who_acts();
  tool_context context{};
  if ((event & with_a_pool) != 0) context.where = what->home;
  if ((event & with_a_parent) != 0) context.parent = what->parent;
  if ((event & (by_a_caller | ABT_TOOL_EVENT_THREAD_RUN)) != 0) context.caller = me.thread;
  context.wait_kind = kind;
  context.wait_object = object;
  stream* const where = (event & by_the_unit) != 0 ? what->last_stream.load(std::memory_order_relaxed) : me.where;
  to.call(handle_of(thread), handle_of(where), event, reinterpret_cast<ABT_tool_context>(&context), to.argument);
}

// What a main scheduler does between its units is its stream's idling.
bool is_of_interest(weft_thread* thread) {
  const unit_fields* const what = fields_of(thread);
  return what->is(is_unit) && !what->is(is_main_scheduler);
}

void tell_that_it_waits(weft_thread* thread) {
  unit_fields* const what = fields_of(thread);
  const std::uint32_t kind = what->wait_kind.load(std::memory_order_relaxed);
  const void* const object = what->wait_object.load(std::memory_order_relaxed);
  what->wait_kind.store(kind | is_wait_told, std::memory_order_relaxed);
  tell(ABT_TOOL_EVENT_THREAD_SUSPEND, thread, static_cast<ABT_sync_event_type>(kind & kinds), object);
}

// Units become ready in other ways too.
void tell_that_it_was_woken(weft_thread* thread) {
  atomic<std::uint32_t>& kind = fields_of(thread)->wait_kind;
  const std::uint32_t told = kind.load(std::memory_order_relaxed);
  if ((told & is_wait_told) == 0) return;
  kind.store(told & kinds, std::memory_order_relaxed);
  tell(ABT_TOOL_EVENT_THREAD_RESUME, thread, ABT_SYNC_EVENT_TYPE_UNKNOWN, nullptr);
}

void hear(void*, weft_event_kind kind, weft_thread* thread) {
  if (kind != WEFT_ON_PARK && kind != WEFT_ON_READY) return;
  if (tool_mask.load(std::memory_order_relaxed) == 0 || !is_of_interest(thread)) return;
  if (kind == WEFT_ON_PARK) {
    tell_that_it_waits(thread);
  } else {
    tell_that_it_was_woken(thread);
  }
}

int depth_of(const weft_thread* parent) {
  int depth = 0;
  for (; parent != nullptr; parent = fields_of(parent)->parent) ++depth;
  return depth;
}

}  // namespace

void call_tool(std::uint64_t event, weft_thread* thread) {
  if (event != ABT_TOOL_EVENT_THREAD_YIELD) return tell(event, thread, ABT_SYNC_EVENT_TYPE_UNKNOWN, nullptr);
  if (!is_of_interest(thread)) return;
  // The unit's own wish, or how the face waits.
  const unit_fields* const what = fields_of(thread);
  const auto kind = static_cast<ABT_sync_event_type>(what->wait_kind.load(std::memory_order_relaxed) & kinds);
  if (kind == ABT_SYNC_EVENT_TYPE_UNKNOWN) return tell(event, thread, ABT_SYNC_EVENT_TYPE_USER, nullptr);
  tell(event, thread, kind, what->wait_object.load(std::memory_order_relaxed));
}

void enter_stream_for_tools(stream* here) { stream_of_os_thread = here; }

wait_name name_wait(wait_name name) {
  const caller me = who_calls();
  if (me.is_outside()) return {ABT_SYNC_EVENT_TYPE_UNKNOWN, nullptr};
  const wait_name before{me.fields->wait_kind.load(std::memory_order_relaxed) & kinds,
                         me.fields->wait_object.load(std::memory_order_relaxed)};
  me.fields->wait_kind.store(name.kind, std::memory_order_relaxed);
  me.fields->wait_object.store(name.object, std::memory_order_relaxed);
  return before;
}

}  // namespace weft::abt

using namespace weft::abt;

int ABT_tool_register_thread_callback(ABT_tool_thread_callback_fn cb_func, uint64_t event_mask, void* user_arg) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const std::uint64_t mask = cb_func != nullptr ? event_mask & ABT_TOOL_EVENT_THREAD_ALL : ABT_TOOL_EVENT_THREAD_NONE;
  const bool hears = (mask & (ABT_TOOL_EVENT_THREAD_SUSPEND | ABT_TOOL_EVENT_THREAD_RESUME)) != 0;
  if (hears && weft_ext_set_event_sink(hear, nullptr) != WEFT_OK) return ABT_ERR_MEM;
  replace_listener(cb_func, mask, user_arg);
  if (!hears) static_cast<void>(weft_ext_set_event_sink(nullptr, nullptr));  // one that stays finds no tool to tell
  return ABT_SUCCESS;
}

int ABT_tool_query_thread(ABT_tool_context handle, uint64_t, ABT_tool_query_kind query_kind, void* val) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  if (handle == ABT_TOOL_CONTEXT_NULL) return ABT_ERR_INV_TOOL_CONTEXT;
  const auto* const context = reinterpret_cast<const tool_context*>(handle);
  switch (query_kind) {
    case ABT_TOOL_QUERY_KIND_POOL: *static_cast<ABT_pool*>(val) = handle_of(context->where); break;
    case ABT_TOOL_QUERY_KIND_STACK_DEPTH: *static_cast<int*>(val) = depth_of(context->parent); break;
    case ABT_TOOL_QUERY_KIND_CALLER_TYPE:
      *static_cast<ABT_exec_entity_type*>(val) =
          context->caller != nullptr ? ABT_EXEC_ENTITY_TYPE_THREAD : ABT_EXEC_ENTITY_TYPE_EXT;
      break;
    case ABT_TOOL_QUERY_KIND_CALLER_HANDLE: *static_cast<ABT_thread*>(val) = handle_of(context->caller); break;
    case ABT_TOOL_QUERY_KIND_SYNC_OBJECT_TYPE: *static_cast<ABT_sync_event_type*>(val) = context->wait_kind; break;
    case ABT_TOOL_QUERY_KIND_SYNC_OBJECT_HANDLE: *static_cast<const void**>(val) = context->wait_object; break;
    default: return ABT_ERR_OTHER;
  }
  return ABT_SUCCESS;
}
