// What a server and what connects to it say to each other: types and bodies of frames below
// first_free_type, and the side that connects. Linked as C.
//
//   connecting side        server
//   hello              ->
//                      <-  challenge, with the server's proof       (or refused)
//   proof              ->
//                      <-  welcome                                  (or refused)
//
// Then a node sends frames to nodes, and bye as its last; the server sends joined and left. A
// server that connects to its parent asks for a number for each node of its own (wanted, then
// granted or denied), and passes on what its nodes are told.
#pragma once

#include <cstdint>

#include "net/frames.hpp"
#include "net/frames/channel.hpp"
#include "net/frames/key.hpp"

namespace weft::net {

enum control_type : std::uint16_t {
  is_hello = 1,      // hello
  is_challenge = 2,  // challenge
  is_proof = 3,      // proof_bytes
  is_welcome = 4,    // welcome, and the numbers of the nodes that are there; to a server none
  is_refused = 5,    // text
  is_joined = 6,     // membership
  is_left = 7,       // membership
  is_bye = 8,        // nothing
  is_wanted = 9,     // wanted
  is_granted = 10,   // granted, and the numbers of the nodes that are there
  is_denied = 11,    // denied, and text
};

enum role : std::uint32_t { is_node = 1, is_server = 2 };

struct hello {
  std::uint32_t role, has_key;
  std::uint64_t program;
  unsigned char nonce[nonce_bytes];
};
struct challenge {
  std::uint32_t has_key, unused;
  unsigned char nonce[nonce_bytes];
  unsigned char proof[proof_bytes];
};
struct welcome {
  std::uint32_t self, first;
  std::uint32_t count, unused;
};
struct membership {
  std::uint32_t node, first;  // first: that of the node's group
  std::uint32_t is_death, unused;
};
struct wanted {
  std::uint64_t ticket, program;
};
struct granted {
  std::uint64_t ticket;
  welcome what;
};
struct denied {
  std::uint64_t ticket;
};

// The head of a control frame.
frame_head control_head(control_type type, std::uint64_t bytes);

// Connects, and shakes hands as a role. Fills *at with the welcome and *others with the numbers
// that follow it, malloc's. False: a line on stderr, which begins with `whose`, has told why and
// what helps.
bool connect_as(const char* whose, role as, const char* address, const key_choice& with, std::uint64_t program, channel* through,
                welcome* at, std::uint32_t** others);

}  // namespace weft::net
