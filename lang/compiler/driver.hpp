// `weft tascell`: the C preprocessor, the compiler, the C compiler, one after the other.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tascell {

// Where the headers and libraries of Weft are.
struct installation {
  std::string include_folder;
  std::vector<std::string> library_folders;
};

struct order {
  std::string source;              // FILE.tc
  std::string out;                 // -o; empty: what the C compiler takes
  bool emits_c = false;            // ends with the C text
  bool only_compiles = false;      // -c
  bool is_plain = false;           // --plain: the program without its constructs
  bool explains = false;           // --explain: ends with what can be said of the tasks
  int inline_levels = -1;          // -1: 4 with -O2 and above, else 0
  std::vector<std::string> words;  // for the C compiler, in their order
  std::string c_compiler;          // a command
};

// What cannot be done, as one line.
struct driver_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Words of a command line that make no sense.
struct usage_problem : driver_error {
  using driver_error::driver_error;
};

// Takes the words of a command line: options, FILE.tc, and what the C compiler gets. Throws
// usage_problem.
void take_words(const std::vector<std::string>& words, order& into);

// Does it. What the compiler and the C compiler say goes to stderr.
// Returns 0; 1 if the program has errors or the C compiler failed. Throws driver_error.
int carry_out(const order& what, const installation& where);

}  // namespace tascell
