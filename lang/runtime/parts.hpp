// Parts of arrays that a task writes, share (out p[a..b]), under the modes for tests: what the
// parts of a shipped task hold before it runs, and how the parts of two runs of one task differ.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/tascell_lowered.h>

namespace weft::tascell_runtime {

struct part_made {
  const weft_tascell_part* what;
  std::int64_t low;
  unsigned char* at;
  std::size_t bytes;
};

// The parts of one task. Their memory is the task's.
struct part_list {
  part_made* items = nullptr;
  std::size_t count = 0, capacity = 0;
  unsigned pattern = 0;  // 0 or 1: which contents they begin with
};

// Adds a part, and gives it its contents. Returns: true; false without memory.
bool note_part(part_list* to, const part_made& made);
void free_parts(part_list* of);

struct part_difference {
  const weft_tascell_part* what = nullptr;
  std::int64_t index = 0;   // of the first element that differs
  bool is_written = false;  // false: both runs left it as it was
};

// Compares what two runs of a task made of parts that began with different contents, or with equal
// ones. Members that neither run wrote, and bytes between members, are left out.
// Returns: whether an element differs.
bool find_difference(const part_list* one, const part_list* other, part_difference* out);

// Ends the program with a line. place is the construct's.
[[noreturn]] void tell_difference(const weft_tascell_place* place, const part_difference& found);

}  // namespace weft::tascell_runtime
