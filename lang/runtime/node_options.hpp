// The words of a node on the command line.
#pragma once

#include <cstdint>

namespace weft::tascell_runtime {

struct node_options {
  const char* server = nullptr;
  const char* key_file = nullptr;
  const char* transport = nullptr;
  bool is_keyless = false;
  std::uint64_t idle_sleep_ns = 0;
  unsigned workers = 0;
  unsigned nodes = 0;  // main begins when so many have come
};

// Takes the words for the library from the beginning of argv. False: a line has told what is wrong.
bool read_node_options(int* argc, char** argv, node_options* out);

}  // namespace weft::tascell_runtime
