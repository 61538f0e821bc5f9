// Blocking actions: a blocking region, inside of which the caller still knows which task it is.
#include <qthread/io.h>

#include "task.hpp"

using namespace weft::qthreads;

extern "C" {

void qt_begin_blocking_action(void) {
  task* const mine = self();
  if (mine == nullptr || (mine->blocking_depth == 0 && weft_blocking_begin() != WEFT_OK)) return;
  ++mine->blocking_depth;
  acting_task = mine;
}

void qt_end_blocking_action(void) {
  task* const mine = self();
  if (mine == nullptr || mine->blocking_depth == 0 || --mine->blocking_depth != 0) return;
  acting_task = nullptr;
  static_cast<void>(weft_blocking_end());
}
}
