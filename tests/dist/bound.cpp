// A thread's first call of a function in a library, with WEFT_DIST_CHECK=all: the program is bound
// when it starts, so the dynamic linker does not look for the function on the thread's stack, and a
// frame that lies there afterwards has no address of the linker's own lists. Such lists lie in the
// heap once a library was loaded for the use of all, as an MPI is.
//
//   bound LIBRARY, which is loaded so
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include <weft/dist.hpp>
#include <weft/fork.hpp>

namespace {

// Larger than what the search for a function puts on the stack. Its words are never written.
[[gnu::noinline]] long fork_over_dead_words() {
  const long* volatile frame[1024];
  frame[0] = nullptr;
  return weft::fork([] { return 42L; }).join() + (frame[0] == nullptr ? 0 : 1);
}

// No other part of the program calls this function of libc.
[[gnu::noinline]] long call_for_the_first_time() {
  static const char* volatile version = "1.10";
  return strverscmp(version, "1.9") > 0 ? 0 : 1;
}

long call_and_fork() {
  const long wrong = call_for_the_first_time();
  return fork_over_dead_words() + wrong;
}

}  // namespace

int main(int count, char** line) {
  if (count != 2 || dlopen(line[1], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::fprintf(stderr, "%s\n", count == 2 ? dlerror() : "usage: bound LIBRARY");
    return 2;
  }
  return weft::dist::root([] { return call_and_fork(); }) == 42 ? 0 : 1;
}
