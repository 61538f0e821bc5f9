// The one friend of all classes whose private fields a debugger reads: capi/debug.cpp, which notes
// where they lie.
#pragma once

namespace weft {
struct debug_fields;
}
