// The server of Tascell's nodes: it passes frames on between them, numbers them, and tells them of
// each other. It runs nothing and knows no kinds of tasks. Servers form a tree, whose root numbers
// the nodes; see net/frames/handshake.hpp for what is said. One OS thread.
#pragma once

#include <cstdint>
#include <string>

namespace tascell {

struct relay_options {
  std::string parent;       // HOST:PORT; empty: this is the root
  std::string key_file;     // empty: only this machine may connect, with a key that the server makes
  bool is_keyless = false;  // every user of this machine may connect
  unsigned port = 9865;     // 0: any that is free
  bool is_once = false;     // ends with the first group of nodes
};

// Runs until a signal ends it, or what is_once says. Returns the exit status; problems are lines on
// stderr.
int run_relay(const relay_options& options);

}  // namespace tascell
