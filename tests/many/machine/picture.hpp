// Where the time of each CPU went, over time: columns of the same width, which doubles when the
// program runs longer than the columns reach.
#pragma once

#include <cstdint>

#include "machine/machine.hpp"

namespace many {

inline constexpr unsigned picture_columns = 256;

// Adds what a CPU has spent since it was drawn last to the column of its clock.
void draw(cpu* one);
// The picture begins at a time.
void begin_picture(picoseconds at);
picoseconds column_width();
picoseconds spent_in_column(unsigned cpu, unsigned column, unsigned cause);

}  // namespace many
