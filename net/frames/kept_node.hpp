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

// In the node: what its keeper says if the node ends with a failure from now on; empty: nothing.
void tell_node_keeper(const char* line);

// Before keep_node. One line, of the launcher's first node, when the launcher has bound the node to
// fewer processors than workers, and than the launcher itself may use: the workers would share
// them.
void tell_binding(unsigned workers);

}  // namespace weft::net
