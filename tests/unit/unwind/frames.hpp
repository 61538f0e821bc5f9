// Functions of many shapes, each of which calls what comes next in a list, and the innermost of
// which leaves its stack. They are compiled twice, in two namespaces: FRAMES_NAMESPACE.
#pragma once

struct call_chain {
  void (*const* next)(call_chain*);  // ends with the function that leaves the stack
  unsigned depth;                    // for the one that calls itself
  volatile int keeps = 0;
};

inline void go_on(call_chain* chain) {
  void (*function)(call_chain*) = *chain->next++;
  function(chain);
}

#define DECLARE_FRAMES                        \
  void plain(call_chain* chain);              \
  void keeps_values(call_chain* chain);       \
  void has_array(call_chain* chain);          \
  void has_variable_array(call_chain* chain); \
  void aligns_its_stack(call_chain* chain);   \
  void returns_early(call_chain* chain);      \
  void calls_itself(call_chain* chain);       \
  [[noreturn]] void never_returns(call_chain* chain);

namespace with_pointers {
DECLARE_FRAMES
}
namespace without_pointers {
DECLARE_FRAMES
}
