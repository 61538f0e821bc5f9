// Fuzzing of the parser of frames. Frames from a generator are put one behind the other, the stream
// is damaged or not, and is fed in pieces of random sizes. Up to the first damaged byte every frame
// comes out as it went in; behind it the parser may refuse the stream, or find other frames; it
// neither crashes nor takes more memory than a frame may have. A seed repeats a failure.
//
// usage: net_frames_fuzz SECONDS [SEED]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "net/frames/channel.hpp"
#include "net/frames/parser.hpp"

namespace {

namespace net = weft::net;

constexpr std::uint64_t limit = 1 << 20;
unsigned long seed = 1;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "fuzz: %s with seed %lu\n", what, seed);
  std::exit(1);
}

class stream {
 public:
  explicit stream(std::mt19937_64& by) : by_(by) {
    for (std::size_t i = 1 + draw(12); i != 0; --i) add_frame();
  }

  [[nodiscard]] std::size_t draw(std::size_t below) { return static_cast<std::size_t>(by_() % below); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::size_t frames() const { return ends_.size(); }

  // What a network or an enemy does. Returns the first byte that is not as it was.
  std::size_t damage() {
    std::size_t const at = draw(bytes_.size());
    unsigned char const was = bytes_[at];
    switch (draw(5)) {
      case 0: bytes_[at] = static_cast<unsigned char>(was ^ 1u << draw(8)); return at;
      case 1: bytes_.resize(at); return at;
      case 2: bytes_.erase(bytes_.begin() + static_cast<std::ptrdiff_t>(at)); return at;
      case 3: bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(at), static_cast<unsigned char>(by_())); return at;
      default:
        for (std::size_t i = at; i < bytes_.size() && i < at + 8; ++i) bytes_[i] = 0xFF;
        return at;
    }
  }

  // Feeds all; intact: the bytes up to which frames must come out as they went in.
  void feed(std::size_t intact, bool is_whole) {
    net::frame_parser parser;
    parser.set_limit(limit);
    std::size_t fed = 0, found = 0;
    bool is_refused = false;
    while (fed < bytes_.size() && !is_refused) {
      std::size_t room = 0;
      std::byte* const into = parser.room(&room);
      if (into == nullptr || room == 0) fail("no room");
      std::size_t const piece = std::min({room, bytes_.size() - fed, 1 + draw(draw(2) == 0 ? 40 : 70000)});
      std::memcpy(into, bytes_.data() + fed, piece);
      parser.took(piece);
      fed += piece;
      is_refused = !take_all(parser, intact, &found);
    }
    std::size_t whole = 0;
    while (whole < ends_.size() && ends_[whole] <= intact) ++whole;
    if (found < whole) fail("a frame was lost");
    if (is_whole && (is_refused || !parser.is_between())) fail("a good stream was refused");
  }

 private:
  void add_frame() {
    constexpr std::size_t sizes[] = {0, 1, 8, 15, 100, 4000, 65535, 65536, 200000};
    net::frame_head head = {net::frame_magic, net::frame_version, static_cast<std::uint16_t>(by_()), sizes[draw(9)], 1, 2, by_()};
    auto const* const raw = reinterpret_cast<const unsigned char*>(&head);
    heads_.push_back(head);
    bytes_.insert(bytes_.end(), raw, raw + sizeof head);
    for (std::uint64_t i = 0; i < net::padded(head.bytes); ++i)
      bytes_.push_back(i < head.bytes ? static_cast<unsigned char>(i * 31 + head.sequence) : 0);
    ends_.push_back(bytes_.size());
  }

  bool take_all(net::frame_parser& parser, std::size_t intact, std::size_t* found) {
    for (;;) {
      net::frame_head head{};
      std::byte* bytes = nullptr;
      net::parsed const what = parser.next(&head, &bytes);
      if (what == net::parsed::nothing) return true;
      if (what == net::parsed::damage) {
        if (parser.problem() == nullptr || parser.next(&head, &bytes) != net::parsed::damage) fail("damage did not stay");
        return false;
      }
      if (head.bytes > limit) fail("a frame beyond the limit");
      if (*found < ends_.size() && ends_[*found] <= intact) compare(*found, head, bytes);
      ++*found;
      std::free(bytes);
    }
  }

  void compare(std::size_t which, const net::frame_head& head, const std::byte* bytes) const {
    if (std::memcmp(&head, &heads_[which], sizeof head) != 0) fail("a head changed");
    for (std::uint64_t i = 0; i < head.bytes; ++i)
      if (static_cast<unsigned char>(bytes[i]) != static_cast<unsigned char>(i * 31 + head.sequence)) fail("bytes changed");
  }

  std::mt19937_64& by_;
  std::vector<unsigned char> bytes_;
  std::vector<net::frame_head> heads_;
  std::vector<std::size_t> ends_;
};

// What must be refused, each with its reason.
void refuse_each() {
  struct {
    net::frame_head head;
    const char* reason;
  } const bad[] = {{{1, net::frame_version, 70, 0, 1, 2, 1}, "begin"},
                   {{net::frame_magic, 77, 70, 0, 1, 2, 1}, "version"},
                   {{net::frame_magic, net::frame_version, 70, limit + 1, 1, 2, 1}, "length"},
                   {{net::frame_magic, net::frame_version, 70, std::uint64_t{1} << 63, 1, 2, 1}, "length"},
                   {{net::frame_magic, net::frame_version, 70, UINT64_MAX, 1, 2, 1}, "length"}};
  for (auto const& each : bad) {
    net::frame_parser parser;
    parser.set_limit(limit);
    std::size_t room = 0;
    std::memcpy(parser.room(&room), &each.head, sizeof each.head);
    parser.took(sizeof each.head);
    net::frame_head head{};
    std::byte* bytes = nullptr;
    bool const is_refused = parser.next(&head, &bytes) == net::parsed::damage;
    if (!is_refused || std::string(parser.problem()).find(each.reason) == std::string::npos) fail(each.reason);
  }
}

// Of a frame with 3 bytes, each byte of its padding.
void refuse_padding() {
  constexpr std::size_t bytes = 3;
  for (std::size_t at = bytes; at < net::padded(bytes); ++at) {
    net::frame_parser parser;
    net::frame_head head = {net::frame_magic, net::frame_version, 70, bytes, 1, 2, 1};
    std::size_t room = 0;
    std::byte* const into = parser.room(&room);
    std::memcpy(into, &head, sizeof head);
    std::memset(into + sizeof head, 0, net::padded(bytes));
    into[sizeof head + at] = std::byte{1};
    parser.took(sizeof head + net::padded(bytes));
    std::byte* got = nullptr;
    if (parser.next(&head, &got) != net::parsed::damage) fail("padding that is not zero was taken");
  }
}

void split_each() {
  struct {
    const char* text;
    bool is_good;
  } const all[] = {{"host:1", true},   {"[::1]:9865", true},  {"a.b:65535", true}, {"host", false},    {":1", false},
                   {"host:", false},   {"host:65536", false}, {"host:x", false},   {"[::1]", false},   {"[::1]9", false},
                   {"host:1x", false}, {"", false},           {"[]:1", false},     {"host:-1", false}, {"h:123456", false}};
  for (auto const& each : all) {
    char host[256], port[8];
    if (net::split_address(each.text, host, port) != each.is_good) fail(each.text);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(words[1]));
  if (count > 2) seed = std::strtoul(words[2], nullptr, 10);
  refuse_each();
  refuse_padding();
  split_each();
  unsigned long made = 0;
  do {
    std::mt19937_64 by(seed);
    stream its(by);
    its.feed(its.size(), true);
    its.feed(its.damage(), false);
    ++made;
    ++seed;
  } while (std::chrono::steady_clock::now() < end && count < 3);
  std::printf("figure: fuzzed streams of frames = %lu\n", made);
  return 0;
}
