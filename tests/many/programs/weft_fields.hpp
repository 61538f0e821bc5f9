// See weft_fields.cpp.
#pragma once

namespace many_program {

// On a worker, when all workers have started.
void name_fields();

}  // namespace many_program
