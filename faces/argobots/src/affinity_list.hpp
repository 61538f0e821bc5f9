// The lists of CPUs in ABT_SET_AFFINITY, such as "{0,1},{2,3}" or "{0:4:2}:2:1":
//
//   lists   = repeated { "," repeated }
//   repeated = ids [ ":" times [ ":" stride ] ]      as often as times says, each with all its numbers larger by stride (1)
//   ids     = number | "{" some { "," some } "}"
//   some    = number [ ":" count [ ":" stride ] ]
#pragma once

namespace weft::abt {

// How many lists there are; 0: the text is none.
unsigned count_cpu_lists(const char* text);
// Calls each(state, number) for the numbers of list index % count_cpu_lists(text), which is not 0.
void walk_cpu_list(const char* text, unsigned index, void (*each)(void* state, long number), void* state);

}  // namespace weft::abt
