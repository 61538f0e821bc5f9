// What a server knows of nodes: which link leads to each, and which belong together. No sockets of
// its own: it queues into links.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/frames/handshake.hpp"

namespace tascell {

enum class link_state : std::uint8_t {
  connected,   // nothing was said yet
  challenged,  // its proof is waited for
  asking,      // a node whose number is waited for
  node,
  server,  // a child
  parent,
};

// One connection.
struct link {
  weft::net::channel through;
  std::string name;  // for messages: its address
  link_state state = link_state::connected;
  std::chrono::steady_clock::time_point since;
  weft::net::hello said{};
  unsigned char nonce[weft::net::nonce_bytes] = {};
  std::uint32_t node = 0, first = 0;  // of a node
  bool is_dirty = false;              // something was queued
  bool waits_to_write = false;
  bool is_closed = false;  // what is queued still goes out

  [[nodiscard]] bool is_new() const { return state == link_state::connected || state == link_state::challenged; }
};

class groups {
 public:
  void use(const char* whose, const weft::net::key& key) {
    whose_ = whose;
    key_ = key;
  }
  void set_parent(link* parent) { parent_ = parent; }

  // A frame has come; its bytes are the callee's.
  void take(link* from, const weft::net::frame_head& head, std::byte* bytes);
  // The link is broken.
  void lose(link* what, const std::string& why);
  // Prints which nodes have come and gone: after what was queued for them has been written, so that
  // a node that is printed to have joined has its number.
  void print_lines();
  // Tells the other side and stderr what is wrong with it, and closes it.
  void refuse(link* what, const std::string& why);

  // Whether there were nodes, and the last of them has gone.
  [[nodiscard]] bool has_ended() const { return has_had_nodes_ && routes_.empty(); }
  [[nodiscard]] bool has_nodes() const { return !routes_.empty(); }
  [[nodiscard]] bool has_lost_parent() const { return has_lost_parent_; }

 private:
  struct route {
    link* through;
    std::uint32_t first;
  };
  struct asker {  // for a number
    link* through;
    std::uint64_t ticket;  // of a child; 0: the link is the node
  };

  void send(link* to, weft::net::control_type type, const void* body, std::size_t bytes,
            const std::vector<std::uint32_t>& more = {});
  void send_text(link* to, weft::net::control_type type, const void* body, std::size_t bytes, const std::string& text);
  void take_control(link* from, const weft::net::frame_head& head, const std::byte* bytes);
  void take_of_stranger(link* from, const weft::net::frame_head& head, const std::byte* bytes);
  void take_hello(link* from);
  void take_proof(link* from, const std::byte* bytes);
  bool take_of_child(link* from, const weft::net::frame_head& head, const std::byte* bytes);
  bool take_of_parent(const weft::net::frame_head& head, const std::byte* bytes);
  void forward(link* from, const weft::net::frame_head& head, std::byte* bytes);
  void ask_for_number(const asker& who, std::uint64_t program);
  void grant(const asker& who, std::uint64_t program);
  void give_number(const asker& who, const weft::net::welcome& what, const std::vector<std::uint32_t>& others);
  void deny(const asker& who, const std::string& why);
  void announce(weft::net::control_type type, const weft::net::membership& what);
  void go(std::uint32_t node, bool is_death);
  void close(link* what);

  const char* whose_ = "";
  weft::net::key key_;
  link* parent_ = nullptr;
  std::unordered_map<std::uint32_t, route> routes_;
  std::vector<link*> servers_;            // children
  std::map<std::uint64_t, asker> asked_;  // by the ticket that the parent was given
  std::uint64_t last_ticket_ = 0;
  std::uint32_t last_node_ = 0;   // of the root
  std::uint32_t open_first_ = 0;  // the group that nodes may join; 0: none
  std::uint64_t open_program_ = 0;
  std::string lines_;  // to be printed
  bool has_had_nodes_ = false, has_lost_parent_ = false;
};

}  // namespace tascell
