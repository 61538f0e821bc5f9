// Values of tasks under keys. They are kept with the task, not with Weft's thread: a task that runs
// on its reader's stack, and one in a blocking action, have theirs.
#pragma once

namespace weft::qthreads {

struct task;
struct task_values;

// The calling task ends: calls the destructors of its values, and frees the table of these.
void end_values(task* one);

}  // namespace weft::qthreads
