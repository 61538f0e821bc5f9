// What the face says of itself to people.
#pragma once

#include <cstdio>

namespace weft::abt {

// Between ABT_init and ABT_finalize. PRINT_CONFIG asks for it at ABT_init.
void print_config(std::FILE* to);

}  // namespace weft::abt
