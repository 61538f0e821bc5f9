// The keeper of a node: the process that an MPI's launcher has started. The node is a fork of it.
// The keeper waits for the node's end, and ends after it in the same way. When a signal has killed
// the node, the keeper says which node it was, before the launcher ends the others: an MPICH's says
// nothing. `weft launch`, if it started the job, is told, and ends a launcher that does not end. A
// keeper never calls an MPI. Linked as C.
#pragma once

namespace weft::net {

// Returns in the node, and the keeper stays in here; or in the process itself, without a keeper,
// where no launcher of nodes has started it, where it has more OS threads than the caller's, or
// where it cannot fork. Before the MPI starts.
void keep_node();

}  // namespace weft::net
