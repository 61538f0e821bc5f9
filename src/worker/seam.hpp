// What builders set (ext.h), most of it before the runtime starts: stack memory, extension bytes,
// carried state, what reports show, event sink, where workers are placed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/ext.h>

#include "base/status.hpp"
#include "mem/stack.hpp"

namespace weft::sched {
struct runtime;
}

namespace weft::sched::seam {

status set_stack_provider(const weft_stack_provider* provider);
mem::stack_memory stack_memory();

status set_stack_sink(const mem::stack_sink& sink);
mem::stack_sink stack_sink();

status reserve(std::size_t bytes, std::size_t* offset);
std::size_t reserved_bytes();

status reserve_word(unsigned* number);
unsigned reserved_words();

status carry(void* (*address)(), std::size_t bytes);
void* (*carried_address())();
std::size_t carried_bytes();

void show_function(void (*bottom)(void* argument), std::size_t offset);
void (*shown_bottom())(void* argument);
std::size_t shown_offset();

// What sets the stack size of threads that begin with a function, or, if that is null, of all
// others.
struct stack_setting {
  void (*bottom)(void* argument) = nullptr;
  const char* words = nullptr;  // null: there is no setting of a layer's
  std::size_t added_bytes = 0;  // to the usual size that the layer's user asks for
};
void name_stack_setting(const stack_setting& setting);
stack_setting stack_setting_of(void (*function)(void* argument));

void place_workers(const std::uint16_t* cpus, unsigned count);
unsigned copy_placed_cpus(std::uint16_t* out);  // their number, os::max_cpus at most; 0: as the affinity mask has them

void leave_signals();  // to the program: the next runtime handles none, unless a variable asks for it
bool leaves_signals();

using event_sink = void (*)(void* state, weft_event_kind kind, weft_thread* thread);
// Also while a runtime runs, which is told by `tell`: observers.hpp.
status set_event_sink(event_sink sink, void* state, status (*tell)(runtime* rt, event_sink sink, void* state));
event_sink sink();
void* sink_state();

}  // namespace weft::sched::seam
