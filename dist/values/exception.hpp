// Exceptions that ranks keep for each other (words/kept_exception.hpp). See
// include/weft/remote_error.hpp, the only caller.
//
// An *open* exception is one that was thrown and whose handler has not ended. It lies on the heap
// of its rank, and the C++ run time of that rank lists it for the OS thread. So a thread with an
// open exception must not move. All threads on a rank's stack share the list, so the rank gives
// none of them away while an exception is open.
#pragma once

namespace weft::dist {

// When a root begins, on its OS thread: exceptions that are open then are the caller's, not the
// root's.
void note_open_exceptions();
// On the same OS thread: whether a thread of the root has an exception open.
[[nodiscard]] bool has_open_exception();

}  // namespace weft::dist
