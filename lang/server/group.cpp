#include "server/group.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tascell {

namespace net = weft::net;

// ---- frames of the server's own -----------------------------------------------------------------

void groups::send(link* to, net::control_type type, const void* body, std::size_t bytes, const std::vector<std::uint32_t>& more) {
  std::array const parts{net::frame_part{body, bytes}, net::frame_part{more.data(), more.size() * sizeof(std::uint32_t)}};
  to->through.push(net::control_head(type, bytes + parts[1].bytes), parts.data(), 2, nullptr, nullptr);
  to->is_dirty = true;
}

void groups::send_text(link* to, net::control_type type, const void* body, std::size_t bytes, const std::string& text) {
  std::array const parts{net::frame_part{body, bytes}, net::frame_part{text.data(), text.size()}};
  to->through.push(net::control_head(type, bytes + text.size()), parts.data(), 2, nullptr, nullptr);
  to->is_dirty = true;
}

void groups::take(link* from, const net::frame_head& head, std::byte* bytes) {
  if (head.type >= net::first_free_type) {
    forward(from, head, bytes);
    return;
  }
  take_control(from, head, bytes);
  std::free(bytes);
}

void groups::forward(link* from, const net::frame_head& head, std::byte* bytes) {
  auto const source = routes_.find(head.from);
  bool const is_known = from->state == link_state::parent || (source != routes_.end() && source->second.through == from);
  if (!is_known) {
    std::free(bytes);
    if (from->state == link_state::server && source == routes_.end()) return;  // a node that has gone meanwhile
    refuse(from, "a frame says that node " + std::to_string(head.from) + " sent it, which it is not");
    return;
  }
  auto const target = routes_.find(head.to);
  link* const to = target != routes_.end() ? target->second.through : parent_;
  if (to == nullptr || to == from || to->is_closed) {  // gone
    std::free(bytes);
    return;
  }
  to->through.push_received(head, bytes);
  to->is_dirty = true;
}

void groups::take_control(link* from, const net::frame_head& head, const std::byte* bytes) {
  bool is_good = true;
  switch (from->state) {
    case link_state::connected:
    case link_state::challenged: take_of_stranger(from, head, bytes); return;
    case link_state::asking:
    case link_state::node:
      is_good = head.type == net::is_bye;
      if (is_good) {
        if (from->state == link_state::node) {
          lines_ += std::string(whose_) + ": node " + std::to_string(from->node) + " at " + from->name + " left\n";
          go(from->node, false);
        }
        close(from);
      }
      break;
    case link_state::server: is_good = take_of_child(from, head, bytes); break;
    case link_state::parent: is_good = take_of_parent(head, bytes); break;
  }
  if (!is_good)
    refuse(from, "a frame of type " + std::to_string(head.type) + " and " + std::to_string(head.bytes) +
                     " bytes is none that it may send");
}

// ---- strangers ----------------------------------------------------------------------------------

void groups::take_of_stranger(link* from, const net::frame_head& head, const std::byte* bytes) {
  bool const is_hello = from->state == link_state::connected && head.type == net::is_hello && head.bytes == sizeof(net::hello);
  bool const is_proof = from->state == link_state::challenged && head.type == net::is_proof && head.bytes == net::proof_bytes;
  if (is_hello) {
    std::memcpy(&from->said, bytes, sizeof from->said);
    take_hello(from);
  } else if (is_proof) {
    take_proof(from, bytes);
  } else {
    refuse(from, "it does not begin as a node of this version of Weft does");
  }
}

void groups::take_hello(link* from) {
  if (key_.is_set && from->said.has_key == 0) {
    refuse(from,
           "this server requires a key: start the node as the user of the server on its machine, or with --key-file and a copy "
           "of the server's");
    return;
  }
  net::random_bytes(from->nonce, sizeof from->nonce);
  net::challenge back{};
  back.has_key = key_.is_set ? 1 : 0;
  std::memcpy(back.nonce, from->nonce, sizeof back.nonce);
  net::prove(key_, "server", from->said.nonce, from->nonce, from->said.program, back.proof);
  send(from, net::is_challenge, &back, sizeof back);
  from->state = link_state::challenged;
}

void groups::take_proof(link* from, const std::byte* bytes) {
  unsigned char expected[net::proof_bytes];
  net::prove(key_, "node", from->said.nonce, from->nonce, from->said.program, expected);
  if (!net::is_same_proof(expected, reinterpret_cast<const unsigned char*>(bytes))) {
    refuse(from, "it has another key: copy the server's key file");
    return;
  }
  from->through.read.set_limit(net::most_frame_bytes);
  if (from->said.role == net::is_server) {
    from->state = link_state::server;
    servers_.push_back(from);
    net::welcome const hail{};
    send(from, net::is_welcome, &hail, sizeof hail);
  } else {
    from->state = link_state::asking;
    ask_for_number({from, 0}, from->said.program);
  }
}

// ---- numbers ------------------------------------------------------------------------------------

void groups::ask_for_number(const asker& who, std::uint64_t program) {
  if (parent_ == nullptr) {
    grant(who, program);
    return;
  }
  asked_[++last_ticket_] = who;
  net::wanted const what{last_ticket_, program};
  send(parent_, net::is_wanted, &what, sizeof what);
}

// The root alone.
void groups::grant(const asker& who, std::uint64_t program) {
  if (open_first_ != 0 && program != open_program_) {
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(),
                  "another program runs here (%016llx, and this is %016llx): start all nodes of one build, or use another server",
                  static_cast<unsigned long long>(open_program_), static_cast<unsigned long long>(program));
    deny(who, text.data());
    return;
  }
  std::uint32_t const node = ++last_node_;
  if (open_first_ == 0) {
    open_first_ = node;
    open_program_ = program;
  }
  std::vector<std::uint32_t> others;
  for (auto const& [number, way] : routes_)
    if (way.first == open_first_) others.push_back(number);
  std::ranges::sort(others);
  announce(net::is_joined, {node, open_first_, 0, 0});
  give_number(who, {node, open_first_, static_cast<std::uint32_t>(others.size()), 0}, others);
}

void groups::give_number(const asker& who, const net::welcome& what, const std::vector<std::uint32_t>& others) {
  if (who.through == nullptr || who.through->is_closed) {  // it went while it waited
    go(what.self, true);
    return;
  }
  routes_[what.self] = {who.through, what.first};
  has_had_nodes_ = true;
  if (who.ticket != 0) {
    net::granted const passed_on{who.ticket, what};
    send(who.through, net::is_granted, &passed_on, sizeof passed_on, others);
    return;
  }
  who.through->state = link_state::node;
  who.through->node = what.self;
  who.through->first = what.first;
  send(who.through, net::is_welcome, &what, sizeof what, others);
  lines_ += std::string(whose_) + ": node " + std::to_string(what.self) + " at " + who.through->name + " joined" +
            (what.self == what.first ? ", and runs main\n" : "\n");
}

void groups::deny(const asker& who, const std::string& why) {
  if (who.through == nullptr || who.through->is_closed) return;
  if (who.ticket == 0) {
    refuse(who.through, why);
    return;
  }
  net::denied const head{who.ticket};
  send_text(who.through, net::is_denied, &head, sizeof head, why);
}

// ---- children and the parent --------------------------------------------------------------------

bool groups::take_of_child(link* from, const net::frame_head& head, const std::byte* bytes) {
  if (head.type == net::is_wanted && head.bytes == sizeof(net::wanted)) {
    net::wanted what{};
    std::memcpy(&what, bytes, sizeof what);
    ask_for_number({from, what.ticket}, what.program);
    return what.ticket != 0;
  }
  if (head.type != net::is_left || head.bytes != sizeof(net::membership)) return false;
  net::membership what{};
  std::memcpy(&what, bytes, sizeof what);
  auto const found = routes_.find(what.node);
  if (found != routes_.end() && found->second.through == from) go(what.node, what.is_death != 0);
  return true;
}

bool groups::take_of_parent(const net::frame_head& head, const std::byte* bytes) {
  if ((head.type == net::is_joined || head.type == net::is_left) && head.bytes == sizeof(net::membership)) {
    net::membership what{};
    std::memcpy(&what, bytes, sizeof what);
    if (head.type == net::is_left) routes_.erase(what.node);
    announce(static_cast<net::control_type>(head.type), what);
    return true;
  }
  bool const is_grant = head.type == net::is_granted && head.bytes >= sizeof(net::granted);
  bool const is_denial = head.type == net::is_denied && head.bytes >= sizeof(net::denied);
  if (!is_grant && !is_denial) return false;
  std::uint64_t ticket = 0;
  std::memcpy(&ticket, bytes, sizeof ticket);
  auto const found = asked_.find(ticket);
  if (found == asked_.end()) return false;
  asker const who = found->second;
  asked_.erase(found);
  if (is_denial) {
    deny(who, {reinterpret_cast<const char*>(bytes) + sizeof(net::denied),
               static_cast<std::size_t>(head.bytes) - sizeof(net::denied)});
    return true;
  }
  net::granted got{};
  std::memcpy(&got, bytes, sizeof got);
  if (head.bytes != sizeof got + got.what.count * sizeof(std::uint32_t)) return false;
  std::vector<std::uint32_t> others(got.what.count);
  std::memcpy(others.data(), bytes + sizeof got, others.size() * sizeof(std::uint32_t));
  give_number(who, got.what, others);
  return true;
}

void groups::print_lines() {
  if (lines_.empty()) return;
  std::fputs(lines_.c_str(), stdout);
  std::fflush(stdout);
  lines_.clear();
}

// ---- comings and goings -------------------------------------------------------------------------

// Tells all nodes of the group here, and all children.
void groups::announce(net::control_type type, const net::membership& what) {
  for (link* const each : servers_) send(each, type, &what, sizeof what);
  for (auto const& [number, way] : routes_)
    if (way.first == what.first && way.through->state == link_state::node && number != what.node)
      send(way.through, type, &what, sizeof what);
}

void groups::go(std::uint32_t node, bool is_death) {
  auto const found = routes_.find(node);
  std::uint32_t const first = found == routes_.end() ? 0 : found->second.first;
  if (found != routes_.end()) routes_.erase(found);
  net::membership const what{node, first, is_death ? 1u : 0u, 0};
  if (parent_ != nullptr) {
    send(parent_, net::is_left, &what, sizeof what);  // the root tells all
    return;
  }
  if (node == open_first_) open_first_ = 0;
  announce(net::is_left, what);
}

void groups::close(link* what) {
  what->is_closed = true;
  what->is_dirty = true;
  std::erase(servers_, what);
  for (auto& [ticket, who] : asked_)
    if (who.through == what) who.through = nullptr;
}

void groups::lose(link* what, const std::string& why) {
  if (what->is_closed) return;
  std::string const cause = why.empty() ? "" : ": " + why;
  close(what);
  what->through.close();
  switch (what->state) {
    case link_state::node:
      std::fprintf(stderr, "%s: node %u at %s died%s; %s\n", whose_, what->node, what->name.c_str(), cause.c_str(),
                   what->node == what->first ? "it ran main: the other nodes end" : "its tasks run again elsewhere");
      go(what->node, true);
      break;
    case link_state::server: {
      std::vector<std::uint32_t> behind;
      for (auto const& [number, way] : routes_)
        if (way.through == what) behind.push_back(number);
      if (!behind.empty())
        std::fprintf(stderr, "%s: the server at %s went away%s; its nodes' tasks run again elsewhere\n", whose_,
                     what->name.c_str(), cause.c_str());
      for (std::uint32_t const each : behind) go(each, true);
      break;
    }
    case link_state::parent:
      if (has_nodes())
        std::fprintf(stderr, "%s: the parent server %s went away%s; start it, this server and all nodes again\n", whose_,
                     what->name.c_str(), cause.c_str());
      has_lost_parent_ = true;
      break;
    default: break;  // a stranger
  }
}

void groups::refuse(link* what, const std::string& why) {
  if (what->is_closed) return;
  std::string const which = what->state == link_state::node ? "node " + std::to_string(what->node) + " at " : "";
  std::fprintf(stderr, "%s: refuses %s%s: %s\n", whose_, which.c_str(), what->name.c_str(), why.c_str());
  if (what->state == link_state::node || what->state == link_state::server || what->state == link_state::parent) {
    lose(what, why);
    return;
  }
  send_text(what, net::is_refused, nullptr, 0, why);
  close(what);
}

}  // namespace tascell
