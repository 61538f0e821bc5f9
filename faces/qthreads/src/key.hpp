// Whether tasks may have values of their own under keys.
#pragma once

namespace weft::qthreads {

// True from the first key on. A value belongs to a thread of Weft: from then on no task runs on the
// thread of another one.
bool has_keys();

}  // namespace weft::qthreads
