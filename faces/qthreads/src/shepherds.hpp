// How many shepherds there are, disabled ones included.
#pragma once

#include <qthread/qthread.h>

namespace weft::qthreads {

// 0: qthread_initialize was not called.
inline qthread_shepherd_id_t total_shepherds() {
  return qthread_num_shepherds() != 0 ? static_cast<qthread_shepherd_id_t>(qthread_readstate(TOTAL_SHEPHERDS))
                                      : qthread_shepherd_id_t{0};
}

}  // namespace weft::qthreads
