// A call in a file that is compiled twice: with DWARF 4 and with DWARF 5.
#pragma once

namespace weft::os {

struct called_from {
  const void* return_address;
  int line;
};

called_from call_of_version_4();
called_from call_of_version_5();

}  // namespace weft::os
