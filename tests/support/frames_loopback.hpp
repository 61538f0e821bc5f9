// A transport for tests: the nodes of a group are OS threads of one process, and a frame is a copy
// into the receiver's queue. Groups are named by the address.
#pragma once

#include "net/frames.hpp"

namespace weft::test {

extern const net::frames loopback;

// Ends a node as a kill does: the others are told that it died. The group is freed.
void kill_loopback(net::frame_group* group);

}  // namespace weft::test
