// The atomics of the face. Models put a file of the same name before this one on the include path, so that the code that ships runs on the
// explorer's atomics; nothing else in the face names std::atomic.
//
// Every operation names its order. Every one that is not relaxed carries a tag, see docs/protocols/Z.md.
#pragma once

#include <atomic>

namespace weft::abt {

template <class T>
using atomic = std::atomic<T>;

}  // namespace weft::abt
