/* Sizes of the structs of the public C headers, which programs allocate. A program that was built with other sizes would not run with the
 * library of this minor version. They are asserted when this file is compiled, for each processor; abi/ notes the interface
 * in full, for one. */
#include <setjmp.h>
#include <weft/context.h>
#include <weft/debug.h>
#include <weft/detail/pair.h>
#include <weft/dist.h>
#include <weft/ext.h>
#include <weft/loops.h>
#include <weft/tascell.h>
#include <weft/tascell_lowered.h>
#include <weft/weft.h>

#define HAS_SIZE(type, bytes, alignment)                                   \
  _Static_assert(sizeof(type) == (bytes) && _Alignof(type) == (alignment), \
                 #type " has changed its size or alignment: the ABI changes with it")

HAS_SIZE(weft_mutex, 48, 8);
HAS_SIZE(weft_cond, 32, 8);
HAS_SIZE(weft_rwlock, 48, 8);
HAS_SIZE(weft_semaphore, 32, 8);
HAS_SIZE(weft_barrier, 48, 8);
HAS_SIZE(weft_event, 32, 8);
HAS_SIZE(weft_once, 32, 8);
HAS_SIZE(weft_future, 40, 8);
HAS_SIZE(weft_syncvar, 8, 8);
HAS_SIZE(weft_key, 8, 4);
HAS_SIZE(weft_polled, 16, 8);
HAS_SIZE(weft_awaiter, 368, 8);
HAS_SIZE(weft_await_case, 280, 8);
HAS_SIZE(weft_pair, 128, 8);
HAS_SIZE(weft_context_arrival, 16, 8);
HAS_SIZE(weft_context_attr, 48, 8);
HAS_SIZE(weft_thread_attr, 56, 8);
HAS_SIZE(weft_config, 48, 8);
HAS_SIZE(weft_adopt_config, 24, 8);
HAS_SIZE(weft_stats, 104, 8);
HAS_SIZE(weft_counts, 40, 8);
HAS_SIZE(weft_reduction, 32, 8);
HAS_SIZE(weft_forked, 64, 64);
HAS_SIZE(weft_hot_line, 32, 8);
HAS_SIZE(weft_hot_word, 8, 8);
HAS_SIZE(weft_small_work, 16, 8);
HAS_SIZE(weft_pool_ops, 48, 8);
HAS_SIZE(weft_scheduler_ops, 16, 8);
HAS_SIZE(weft_row, 48, 8);
HAS_SIZE(weft_source_ops, 32, 8);
HAS_SIZE(weft_stack_provider, 32, 8);
HAS_SIZE(weft_ext_wait, 256, 8);
HAS_SIZE(weft_ext_place, 24, 8);
HAS_SIZE(weft_ext_cpu, 36, 4);
HAS_SIZE(weft_debug_fact, 40, 4);
HAS_SIZE(weft_debug_table, 40, 8);
HAS_SIZE(weft_dist_counts, 80, 8);
HAS_SIZE(weft_tascell_place, 24, 8);
HAS_SIZE(weft_tascell_worker, 32, 8);
HAS_SIZE(weft_tascell_operations, 88, 8);
HAS_SIZE(weft_tascell_record, 16, 8);
HAS_SIZE(weft_tascell_choice, 24, 8);
HAS_SIZE(weft_tascell_wind, 16, 8);
HAS_SIZE(weft_tascell_catch, 24 + sizeof(jmp_buf), 8);
HAS_SIZE(weft_tascell_kind, 104, 8);
HAS_SIZE(weft_tascell_task, 112, 8);
HAS_SIZE(weft_tascell_unwinding, 32, 8);
HAS_SIZE(weft_tascell_bridge, 48 + sizeof(jmp_buf), 8);
HAS_SIZE(weft_tascell_kinds, 32, 8);
HAS_SIZE(weft_tascell_options, 56, 8);
HAS_SIZE(weft_tascell_counts, 72, 8);
HAS_SIZE(weft_tascell_part, 24, 8);
HAS_SIZE(weft_tascell_lazy, 56, 8);
