// The table by which debuggers find their way: debug.cpp.
#pragma once

#include <weft/debug.h>

extern "C" {
WEFT_API extern const weft_debug_table weft_dist_debug_layout;
}
