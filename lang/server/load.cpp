// How many messages a server relays: every node sends to the next one in a circle, and sends
// another for each that arrives, so that few are under way.
//
// usage: nodes-relay --server HOST:PORT NODES FRAMES
// Each node sends FRAMES frames of 64 bytes, and the first prints what bench/published reads.
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "net/frames.hpp"
#include "net/frames/choose.hpp"

namespace {

namespace net = weft::net;

constexpr std::size_t frame_bytes = 64;
constexpr long under_way = 64;
constexpr std::uint16_t of_data = net::first_free_type, of_beginning = of_data + 1, of_end = of_data + 2;

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U + static_cast<std::uint64_t>(now.tv_nsec);
}

struct circle {
  net::frame_group* group;
  long frames;
  std::set<std::uint32_t> others;
  long sent = 0, received = 0;       // of data
  std::size_t begun = 0, ended = 0;  // others

  void send(std::uint32_t to, std::uint16_t type) const {
    static constexpr std::array<std::byte, frame_bytes> bytes{};
    const net::frame_part part{bytes.data(), bytes.size()};
    net::outgoing what;
    what.to = to;
    what.type = type;
    what.parts = &part;
    what.count = 1;
    group->by->send(group, what);
  }
  void send_all(std::uint16_t type) const {
    for (const std::uint32_t each : others) send(each, type);
  }
  void send_data() {
    const auto above = others.upper_bound(group->self);
    for (; sent < frames && sent < received + under_way; ++sent) send(above != others.end() ? *above : *others.begin(), of_data);
  }
  void count(std::uint16_t type) {
    if (type == of_data) ++received;
    if (type == of_beginning) ++begun;
    if (type == of_end) ++ended;
  }
  void receive() {
    net::incoming got;
    while (!group->by->wait(group, &got, UINT64_MAX)) continue;
    std::free(got.bytes);
    if (got.what == net::happening::joined) others.insert(got.from);
    if (got.what == net::happening::frame) count(got.type);
    if (got.what != net::happening::died && got.what != net::happening::ended) return;
    std::fprintf(stderr, "nodes-relay: node %u: another node or the server has gone\n", group->self);
    std::exit(1);
  }
};

}  // namespace

int main(int count, char** words) {
  const bool is_told = count == 5 && std::strcmp(words[1], "--server") == 0;
  const unsigned nodes = is_told ? static_cast<unsigned>(std::atoi(words[3])) : 0;
  circle all{nullptr, is_told ? std::atol(words[4]) : 0, {}};
  if (nodes < 2 || all.frames < 1) {
    std::fprintf(stderr, "usage: %s --server HOST:PORT NODES FRAMES, from 2 nodes and 1 frame\n", words[0]);
    return 2;
  }
  net::frame_options options;
  options.address = words[2];
  all.group = net::tcp.open(options);
  if (all.group == nullptr) return 1;
  while (all.others.size() + 1 < nodes) all.receive();
  all.send_all(of_beginning);
  while (all.begun + 1 < nodes) all.receive();
  const std::uint64_t start = now_ns();
  for (all.send_data(); all.received < all.frames || all.sent < all.frames; all.send_data()) all.receive();
  all.send_all(of_end);
  while (all.ended + 1 < nodes) all.receive();
  const double seconds = static_cast<double>(now_ns() - start) / 1e9,
               relayed = static_cast<double>(nodes) * static_cast<double>(all.frames);
  if (all.group->self == all.group->first) {
    std::printf(
        "{\"format\": \"weft-figures-1\", \"correct\": true, \"figures\": {\"seconds\": %.9f, \"messages\": %.0f}, \"facts\": "
        "{}}\n",
        seconds, relayed);
  }
  all.group->by->close(all.group);
  return 0;
}
