// Not a test: what a transport of frames takes between two nodes, as lang/README.md tells.
//
// usage: frames_times TRANSPORT ADDRESS FRAMES [ROUNDS [IDLE-SLEEP-US]]
// Started twice, over an MPI by its launcher and with any word as the address; the second node
// prints.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "frames_conformance.hpp"
#include "net/frames/choose.hpp"
#include "net/frames/note.hpp"

namespace {

namespace net = weft::net;

void send(net::frame_group* group, std::uint32_t to, const std::vector<std::byte>& bytes) {
  const net::frame_part part{bytes.data(), bytes.size()};
  net::outgoing what;
  what.to = to;
  what.type = net::first_free_type;
  what.parts = &part;
  what.count = 1;
  group->by->send(group, what);
}

// The next frame; false: the other node has gone.
bool receive(net::frame_group* group, std::uint32_t* from) {
  net::incoming got;
  for (;;) {
    if (!group->by->wait(group, &got, UINT64_MAX)) continue;
    if (got.what != net::happening::frame && got.what != net::happening::joined) return false;
    *from = got.from;
    std::free(got.bytes);
    if (got.what == net::happening::frame) return true;
  }
}

double round_trip_us(net::frame_group* group, std::uint32_t to, std::size_t size, int rounds) {
  std::vector<std::byte> const bytes(size);
  std::uint32_t from = 0;
  std::uint64_t const start = weft::test::monotonic_ns();
  for (int i = 0; i < rounds; ++i) {
    send(group, to, bytes);
    if (!receive(group, &from)) std::exit(1);
  }
  return static_cast<double>(weft::test::monotonic_ns() - start) / rounds / 1000;
}

// Both nodes have then come to their longest pauses.
void after_silence(net::frame_group* group, std::uint32_t to) {
  constexpr timespec silence{0, 50000000};
  std::vector<double> us(40);
  for (double& each : us) {
    nanosleep(&silence, nullptr);
    each = round_trip_us(group, to, 0, 1);
  }
  std::sort(us.begin(), us.end());
  std::printf("after 50 ms of silence: median %.0f us, most %.0f us\n", us[us.size() / 2], us.back());
}

}  // namespace

int main(int count, char** words) {
  const net::frames* const by = count < 4 ? nullptr : net::find_frames(words[1]);
  if (by == nullptr) return 2;
  net::frame_options options;
  options.address = words[2];
  const int rounds = count > 4 ? std::atoi(words[4]) : 2000;
  if (count > 5) options.idle_sleep_ns = std::strtoull(words[5], nullptr, 10) * 1000;
  net::frame_group* const group = by->open(options);
  if (group == nullptr) return 1;
  std::uint32_t from = group->first;
  if (group->self == group->first) {  // sends back small frames, and swallows what comes in a row
    while (receive(group, &from)) send(group, from, {});
  } else {
    std::printf("round trip of 0 B, 1 KB, 1 MB: %.0f, %.0f, %.0f us\n", round_trip_us(group, from, 0, rounds),
                round_trip_us(group, from, 1 << 10, rounds), round_trip_us(group, from, 1 << 20, rounds / 60 + 1));
    int const frames = std::atoi(words[3]);
    std::uint64_t const start = weft::test::monotonic_ns();
    for (int i = 0; i < frames; ++i) send(group, from, {});
    for (int i = 0; i < frames; ++i)
      if (!receive(group, &from)) return 1;
    double const seconds = static_cast<double>(weft::test::monotonic_ns() - start) / 1e9;
    std::printf("%d frames there and back in %.2f s\n", frames, seconds);
    after_silence(group, from);
  }
  group->by->close(group);
  return 0;
}
