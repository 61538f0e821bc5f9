// What the machine has counted, as JSON in the file that MANY_REPORT names. tests/many/many.py makes
// tables and pictures of it.
#pragma once

namespace many {

void start_report();

}  // namespace many
