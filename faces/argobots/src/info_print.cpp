// ABT_info_print_*: what people want to see of streams, schedulers, pools and work units.

#include <abt.h>

#include <cinttypes>
#include <cstdio>

#include "dump.hpp"
#include "environment.hpp"
#include "handle.hpp"
#include "pool.hpp"
#include "runtime.hpp"
#include "scheduler.hpp"
#include "stream.hpp"
#include "thread_attr.hpp"
#include "unit.hpp"

namespace weft::abt {

namespace {

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

const char* name_of(ABT_thread_state state) {
  switch (state) {
    case ABT_THREAD_STATE_READY: return "READY";
    case ABT_THREAD_STATE_RUNNING: return "RUNNING";
    case ABT_THREAD_STATE_BLOCKED: return "BLOCKED";
    default: return "TERMINATED";
  }
}

const char* role_of(const unit_fields* what) {
  if (what->is(is_primary)) return "primary ULT";
  if (what->is(is_main_scheduler)) return "main scheduler";
  if (what->is(is_pool_scheduler)) return "scheduler in a pool";
  return what->is(is_yieldable) ? "ULT" : "tasklet";
}

const char* name_of(scheduler_kind kind) {
  switch (kind) {
    case scheduler_kind::basic: return "BASIC";
    case scheduler_kind::basic_wait: return "BASIC_WAIT";
    case scheduler_kind::prio: return "PRIO";
    case scheduler_kind::randws: return "RANDWS";
    default: return "of the program's own";
  }
}

const char* name_of(scheduler_use use) {
  switch (use) {
    case scheduler_use::main: return "main scheduler";
    case scheduler_use::in_pool: return "in a pool";
    default: return "not in use";
  }
}

const char* name_of(ABT_pool_access access) {
  switch (access) {
    case ABT_POOL_ACCESS_PRIV: return "PRIV";
    case ABT_POOL_ACCESS_SPSC: return "SPSC";
    case ABT_POOL_ACCESS_MPSC: return "MPSC";
    case ABT_POOL_ACCESS_SPMC: return "SPMC";
    default: return "MPMC";
  }
}

void print_pool(std::FILE* to, pool* one, int indent) {
  std::fprintf(to, "%*spool %p: id %" PRIu64 ", %s, %zu ready, %zu in all, %d schedulers, automatic: %s, data %p\n", indent, "",
               static_cast<void*>(one), one->id, name_of(one->access), has_size(one) ? size(one) : 0,
               has_size(one) ? total_size(one) : 0, one->scheduler_count.load(std::memory_order_relaxed),
               yes_or_no(one->is_automatic), one->data);
}

void print_scheduler(std::FILE* to, scheduler* one, int indent) {
  std::fprintf(to, "%*sscheduler %p: %s, %s, ULT %p, requests 0x%x, automatic: %s, data %p\n", indent, "",
               static_cast<void*>(one), name_of(one->kind), name_of(one->use), static_cast<void*>(one->thread),
               one->requests.load(std::memory_order_relaxed), yes_or_no(one->is_automatic), one->data);
  for (std::size_t index = 0; index < one->pool_count; ++index) print_pool(to, one->pool_at(index), indent + 2);
}

void print_stream(std::FILE* to, stream* one) {
  const bool runs = state_of(one) == ABT_XSTREAM_STATE_RUNNING;
  std::fprintf(to, "execution stream %p: rank %d, %s, %s\n", static_cast<void*>(one), one->rank.load(std::memory_order_relaxed),
               one->is_primary ? "primary" : "secondary", runs ? "RUNNING" : "TERMINATED");
  with_main_scheduler(one, [to](scheduler* main) {
    if (main != nullptr) print_scheduler(to, main, 2);
  });
}

void print_unit(std::FILE* to, weft_thread* thread) {
  const unit_fields* const what = fields_of(thread);
  const stream* const last = what->last_stream.load(std::memory_order_relaxed);
  std::fprintf(to, "%s %p: id %" PRIu64 ", %s, pool %p, named: %s, migratable: %s, requests 0x%x, argument %p", role_of(what),
               static_cast<void*>(thread), weft_thread_id(thread), name_of(state_of(thread)), static_cast<void*>(what->home),
               yes_or_no(what->is(is_named)), yes_or_no(what->is(is_migratable)), what->request.load(std::memory_order_relaxed),
               what->argument);
  if (last != nullptr) std::fprintf(to, ", last on stream %d", last->rank.load(std::memory_order_relaxed));
  if (what->is(is_yieldable)) std::fprintf(to, ", stack of %zu bytes at %p", stack_of(thread).bytes, stack_of(thread).low);
  std::fputc('\n', to);
}

// What the ULT can use of its stack; the size that was asked for counts what lies above that, too.
// Lines that are all zero are left out.
void print_memory(std::FILE* to, weft_thread* thread) {
  placed_stack stack{};
  weft_ext_thread_stack(thread, &stack.low, &stack.bytes);
  constexpr std::size_t words_a_line = 4;
  constexpr std::size_t line_bytes = words_a_line * sizeof(std::uint64_t);
  const auto* const words = static_cast<const std::uint64_t*>(stack.low);
  for (std::size_t at = 0; at + line_bytes <= stack.bytes; at += line_bytes) {
    const std::uint64_t* const line = words + at / sizeof *words;
    if ((line[0] | line[1] | line[2] | line[3]) == 0) continue;
    std::fprintf(to, "  %p: %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", static_cast<const void*>(line),
                 line[0], line[1], line[2], line[3]);
  }
}

void print_with_stack(void* to, ABT_thread thread) {
  print_unit(static_cast<std::FILE*>(to), thread_of(thread));
  if (fields_of(thread_of(thread))->is(is_yieldable)) print_stack(static_cast<std::FILE*>(to), thread_of(thread));
}

bool is_served_before(const stream* last, const pool* what) {
  const auto serves = [what](const scheduler* main) { return main != nullptr && main->serves(what); };
  for (stream* one = last->before; one != nullptr; one = one->before) {
    if (with_main_scheduler(one, serves)) return true;
  }
  return false;
}

void print_stacks_of_stream(std::FILE* to, const stream* one, const scheduler* main) {
  std::fprintf(to, "execution stream %p: rank %d, main scheduler %p\n", static_cast<const void*>(one),
               one->rank.load(std::memory_order_relaxed), static_cast<const void*>(main));
  for (std::size_t index = 0; main != nullptr && index < main->pool_count; ++index) {
    pool* const looked_at = main->pool_at(index);
    if (main->serves(looked_at, index) || is_served_before(one, looked_at)) continue;  // it was printed
    print_pool(to, looked_at, 0);
    static_cast<void>(ABT_pool_print_all_threads(handle_of(looked_at), to, print_with_stack));
  }
}

struct frame_list {
  std::FILE* to;
  unsigned count;
};

void print_frame(void* list, const void* code, const char* name) {
  auto* const all = static_cast<frame_list*>(list);
  if (code != nullptr) {
    std::fprintf(all->to, "    #%u %s\n", all->count++, name);
  } else {
    std::fprintf(all->to, "    %s\n", name);
  }
}

void print_frames(std::FILE* to, weft_thread* thread) {
  frame_list all{to, 0};
  switch (weft_ext_frames(thread, print_frame, &all)) {
    case WEFT_OK: return;
    case WEFT_BUSY: std::fputs("    no frames: it runs, or runs another\n", to); return;
    case WEFT_NOMEM: std::fputs("    no frames: no memory for them\n", to); return;
    default: std::fputs("    no frames: this system does not let them be read\n", to); return;
  }
}

void print_place(std::FILE* to, const placed_stack& stack) {
  std::fprintf(to, "  stack %p to %p, %zu bytes\n", stack.low, static_cast<void*>(static_cast<char*>(stack.low) + stack.bytes),
               stack.bytes);
}

}  // namespace

void print_stack(std::FILE* to, weft_thread* thread) {
  const placed_stack stack = stack_of(thread);
  if (fields_of(thread)->is(is_primary)) {
    std::fputs("  stack of the process's own\n", to);
  } else if (stack.low == nullptr) {
    std::fputs("  no stack now\n", to);
    return;
  } else {
    print_place(to, stack);
  }
  print_frames(to, thread);
  if (current_settings().prints_raw_stack) print_memory(to, thread);
}

void print_stacks_of_all_streams(std::FILE* to) {
  for (stream* one = current_runtime()->first; one != nullptr; one = one->after) {
    with_main_scheduler(one, [to, one](const scheduler* main) { print_stacks_of_stream(to, one, main); });
  }
}

}  // namespace weft::abt

using namespace weft::abt;

int ABT_info_print_all_xstreams(FILE* fp) {
  runtime* const all = current_runtime();
  if (all == nullptr) return ABT_ERR_UNINITIALIZED;
  const face::guard hold(all->lock);
  std::fprintf(fp, "execution streams: %d\n", all->stream_count.load(std::memory_order_relaxed));
  for (stream* one = all->first; one != nullptr; one = one->after) print_stream(fp, one);
  std::fflush(fp);
  return ABT_SUCCESS;
}

int ABT_info_print_xstream(FILE* fp, ABT_xstream xstream) {
  if (xstream == ABT_XSTREAM_NULL) return ABT_ERR_INV_XSTREAM;
  print_stream(fp, stream_of(xstream));
  std::fflush(fp);
  return ABT_SUCCESS;
}

int ABT_info_print_sched(FILE* fp, ABT_sched sched) {
  if (sched == ABT_SCHED_NULL) return ABT_ERR_INV_SCHED;
  print_scheduler(fp, scheduler_of(sched), 0);
  std::fflush(fp);
  return ABT_SUCCESS;
}

int ABT_info_print_pool(FILE* fp, ABT_pool pool) {
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  print_pool(fp, pool_of(pool), 0);
  std::fflush(fp);
  return ABT_SUCCESS;
}

int ABT_info_print_thread(FILE* fp, ABT_thread thread) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  print_unit(fp, thread_of(thread));
  std::fflush(fp);
  return ABT_SUCCESS;
}

int ABT_info_print_task(FILE* fp, ABT_task task) {
  return task != ABT_TASK_NULL ? ABT_info_print_thread(fp, task) : ABT_ERR_INV_TASK;
}

int ABT_info_print_thread_attr(FILE* fp, ABT_thread_attr attr) {
  if (attr == ABT_THREAD_ATTR_NULL) return ABT_ERR_INV_THREAD_ATTR;
  const thread_attr* const one = attr_of(attr);
  std::fprintf(fp, "ULT attributes: stack %p, %zu bytes, migratable: %s, callback argument %p\n", one->stack, one->stack_bytes,
               yes_or_no(one->is_migratable), one->callback_argument);
  std::fflush(fp);
  return ABT_SUCCESS;
}

int ABT_info_print_thread_stack(FILE* fp, ABT_thread thread) {
  if (thread == ABT_THREAD_NULL) return ABT_ERR_INV_THREAD;
  print_with_stack(fp, thread);
  std::fflush(fp);
  return ABT_SUCCESS;
}

int ABT_info_print_thread_stacks_in_pool(FILE* fp, ABT_pool pool) {
  if (pool == ABT_POOL_NULL) return ABT_ERR_INV_POOL;
  print_pool(fp, pool_of(pool), 0);
  const int error = ABT_pool_print_all_threads(pool, fp, print_with_stack);
  std::fflush(fp);
  return error;
}
