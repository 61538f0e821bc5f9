// The life of a node: it joins a run, receives by its door, and leaves in order.
#pragma once

#include "node.hpp"
#include "node_options.hpp"

namespace weft::tascell_runtime {

// Where an MPI's launcher starts the nodes: the node is from now on a fork of the process, which
// tells if a signal kills it. Before there is another OS thread.
void keep_launched_node(const node_options& options);
// Null with *is_good: one node alone. Null without: a line has told why.
node* open_node(const node_options& options, bool* is_good);
bool start_door(node* self, run* all);
// The worker that is to run main: waits until as many nodes have come as the user wants.
void wait_for_nodes(worker* self);
void stop_door(node* self);
// What the transport did for this node, on stderr.
void tell_transport(const node* self);
// Leaves in order, and frees the node. The first one tells the others that main has ended, and its
// status.
void close_node(node* self, int status);

}  // namespace weft::tascell_runtime
