// What a program may ask about the library, and what ABT_info_print_config says.
#include <abt.h>

#include <cstdio>

#include <weft/version.h>

#include "environment.hpp"
#include "info.hpp"
#include "runtime.hpp"

namespace weft::abt {

namespace {

// Constant answers: 1, 0, or -1 where current_settings() knows.
constexpr int is_true_of(ABT_info_query_kind kind) {
  switch (kind) {
    case ABT_INFO_QUERY_KIND_ENABLED_CHECK_ERROR:
    case ABT_INFO_QUERY_KIND_ENABLED_THREAD_CANCEL:
    case ABT_INFO_QUERY_KIND_ENABLED_TASK_CANCEL:
    case ABT_INFO_QUERY_KIND_ENABLED_MIGRATION:
    case ABT_INFO_QUERY_KIND_ENABLED_STACKABLE_SCHED:
    case ABT_INFO_QUERY_KIND_ENABLED_EXTERNAL_THREAD:
    case ABT_INFO_QUERY_KIND_ENABLED_SCHED_SLEEP:
    case ABT_INFO_QUERY_KIND_ENABLED_STACK_UNWIND: return 1;
    case ABT_INFO_QUERY_KIND_ENABLED_PRINT_ERRNO:
    case ABT_INFO_QUERY_KIND_ENABLED_VALGRIND:
    case ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_PRODUCER:
    case ABT_INFO_QUERY_KIND_ENABLED_CHECK_POOL_CONSUMER:
    case ABT_INFO_QUERY_KIND_ENABLED_PRESERVE_FPU:
    case ABT_INFO_QUERY_KIND_FCONTEXT:
    case ABT_INFO_QUERY_KIND_DYNAMIC_PROMOTION: return 0;
    default: return -1;
  }
}

template <class Value>
int answer(void* where, Value value) {
  *static_cast<Value*>(where) = value;
  return ABT_SUCCESS;
}

int answer_from_settings(ABT_info_query_kind kind, void* val) {
  const settings& now = current_settings();
  switch (kind) {
    case ABT_INFO_QUERY_KIND_ENABLED_DEBUG: return answer<ABT_bool>(val, now.uses_debug);
    case ABT_INFO_QUERY_KIND_ENABLED_LOG: return answer<ABT_bool>(val, now.uses_log);
    case ABT_INFO_QUERY_KIND_ENABLED_PRINT_CONFIG: return answer<ABT_bool>(val, now.prints_config);
    case ABT_INFO_QUERY_KIND_ENABLED_AFFINITY: return answer<ABT_bool>(val, now.has_affinity_calls);
    case ABT_INFO_QUERY_KIND_ENABLED_TOOL: return answer<ABT_bool>(val, now.answers_tool);
    case ABT_INFO_QUERY_KIND_ENABLED_LAZY_STACK_ALLOC: return answer<ABT_bool>(val, now.answers_lazy_stacks);
    case ABT_INFO_QUERY_KIND_MAX_NUM_XSTREAMS:
      return answer(val, static_cast<unsigned>(current_runtime()->most_streams.load(std::memory_order_relaxed)));
    case ABT_INFO_QUERY_KIND_DEFAULT_THREAD_STACKSIZE: return answer<std::size_t>(val, now.thread_stack_bytes);
    case ABT_INFO_QUERY_KIND_DEFAULT_SCHED_STACKSIZE: return answer<std::size_t>(val, now.scheduler_stack_bytes);
    case ABT_INFO_QUERY_KIND_DEFAULT_SCHED_EVENT_FREQ: return answer<std::uint64_t>(val, now.event_frequency);
    case ABT_INFO_QUERY_KIND_DEFAULT_SCHED_SLEEP_NSEC: return answer<std::uint64_t>(val, now.sleep_ns);
    case ABT_INFO_QUERY_KIND_ENABLED_STACK_OVERFLOW_CHECK: return answer<int>(val, now.is_strict_about_stacks ? 3 : 2);
    case ABT_INFO_QUERY_KIND_WAIT_POLICY: return answer<int>(val, 0);
    default: return ABT_ERR_INV_QUERY_KIND;
  }
}

const char* yes_or_no(bool is) { return is ? "yes" : "no"; }

}  // namespace

void print_config(std::FILE* to) {
  const settings& now = current_settings();
  std::fprintf(to, "Argobots interface %s on Weft %s\n", ABT_VERSION, WEFT_VERSION);
  std::fprintf(to, "  execution streams          %d, up to %d asked for so far\n",
               current_runtime()->stream_count.load(std::memory_order_relaxed),
               current_runtime()->most_streams.load(std::memory_order_relaxed));
  std::fprintf(to, "  stack of a ULT             %zu bytes, guarded%s\n", now.thread_stack_bytes,
               now.is_strict_about_stacks ? ", the program's own stacks too" : "");
  std::fprintf(to, "  stack of a scheduler       %zu bytes\n", now.scheduler_stack_bytes);
  std::fprintf(to, "  look at events             every %u units\n", now.event_frequency);
  std::fprintf(to, "  idle streams               sleep\n");
  std::fprintf(to, "  keys of a unit at first    %u\n", now.key_table_size);
  std::fprintf(to, "  affinity                   %s\n",
               now.affinity != nullptr ? now.affinity
               : now.has_affinity      ? "a CPU a stream"
                                       : "no");
  std::fprintf(to, "  dumps show stack memory    %s\n", yes_or_no(now.prints_raw_stack));
  std::fprintf(to, "  error checks, tools, migration, cancellation, external threads: yes\n");
  std::fflush(to);
}

}  // namespace weft::abt

using namespace weft::abt;

int ABT_info_query_config(ABT_info_query_kind query_kind, void* val) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  const int constant = is_true_of(query_kind);
  return constant >= 0 ? answer<ABT_bool>(val, constant) : answer_from_settings(query_kind, val);
}

int ABT_info_print_config(FILE* fp) {
  if (!is_initialized()) return ABT_ERR_UNINITIALIZED;
  print_config(fp);
  return ABT_SUCCESS;
}
