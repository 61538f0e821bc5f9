// The transports of frames, by name. Linked as C.
#pragma once

#include "net/frames.hpp"

namespace weft::net {

extern const frames tcp;  // one connection to a server: tcp.cpp
// Nodes that an MPI's launcher started.
extern const frames mpi_funneled, mpi_funneled_poster, mpi_multiple, mpi_one_sided, mpi_one_sided_poster;

// The transport of a name; null: there is none. The names are listed, for messages, in
// known_frames.
const frames* find_frames(const char* name);
extern const char known_frames[];

// Whose functions a transport calls, for people.
const char* network_of(const frames* by);

// The transport of a process that a launcher of several nodes has started, as an MPI's does; null:
// none has.
const frames* launched_frames();

}  // namespace weft::net
