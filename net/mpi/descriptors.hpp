// A descriptor that one process gives to another over a socket between the two, with a byte that
// says what it is. Called by a rank and by its keeper.
#pragma once

#include <cstdint>

namespace weft::net {

void send_descriptor(int socket, std::uint8_t what, int descriptor);
// Less than 0: there is none now.
int take_descriptor(int socket, std::uint8_t* what);

}  // namespace weft::net
