// Ends the compilation of a program that includes a C++ header of Weft before C++20, or without
// exceptions, with the cure as the only message. After an #error compilers go on: the cure would
// stand above an error for each line that uses Weft. A file that is not there is where they stop.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#if __cplusplus <= 201703L
#include "weft needs C++20: compile with -std=c++20"  // stands for an #error
#endif
#if !defined(__cpp_exceptions)
#include "weft's C++ headers need exceptions: compile without -fno-exceptions, or call weft/weft.h"
#endif
