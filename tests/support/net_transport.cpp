// See net_transport.hpp.
#include "net_transport.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "net/rma.hpp"

using namespace weft;

namespace {

// A copy that was begun and has not ended.
struct copy {
  const net::window* window;
  int rank;
  std::size_t offset;
  void* into;  // of a get; null: a put
  std::vector<unsigned char> bytes;
};

const net::rma* inner = nullptr;
bool reorders = false;
std::uint64_t fails_at = 0;
test::net_counts counts;
std::uint64_t operations_begun = 0;
std::uint64_t random_state = 88172645463325252;

std::vector<copy>& open_copies() {
  static std::vector<copy> all;
  return all;
}

std::uint64_t draw() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

void count(const net::window& in, int rank, const char* what) {
  ++counts.operations;
  if (++operations_begun != fails_at) return;
  net::fail(*in.all, "rank %d of %d: %s of rank %d's memory failed: the test wants it", in.all->rank, in.all->ranks, what, rank);
}

void begin(const copy& one) {
  if (one.into != nullptr)
    inner->get(*one.window, one.rank, one.offset, one.into, one.bytes.size());
  else
    inner->put(*one.window, one.rank, one.offset, one.bytes.data(), one.bytes.size());
}

void get(const net::window& from, int rank, std::size_t offset, void* into, std::size_t bytes) {
  count(from, rank, "get");
  if (!reorders) {
    open_copies().push_back({&from, rank, offset, into, {}});
    return inner->get(from, rank, offset, into, bytes);
  }
  std::memset(into, 0xdb, bytes);
  open_copies().push_back({&from, rank, offset, into, std::vector<unsigned char>(bytes)});
}

void put(const net::window& into, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  count(into, rank, "put");
  if (!reorders) return inner->put(into, rank, offset, from, bytes);
  const auto* const first = static_cast<const unsigned char*>(from);
  open_copies().push_back({&into, rank, offset, nullptr, std::vector<unsigned char>(first, first + bytes)});
}

// Some of the puts that wait begin by themselves: a network does not wait for a flush.
void begin_some() {
  std::vector<copy>& all = open_copies();
  for (std::size_t i = 0; reorders && i < all.size();) {
    if (all[i].into != nullptr || draw() % 4 != 0) {
      ++i;
      continue;
    }
    begin(all[i]);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::uint64_t fetch_add(const net::window& in, int rank, std::size_t offset, std::uint64_t by) {
  count(in, rank, "addition");
  ++counts.waits;
  begin_some();
  return inner->fetch_add(in, rank, offset, by);
}

std::uint64_t compare_swap(const net::window& in, int rank, std::size_t offset, std::uint64_t expected, std::uint64_t desired) {
  count(in, rank, "swap");
  ++counts.waits;
  begin_some();
  return inner->compare_swap(in, rank, offset, expected, desired);
}

void flush(const net::window& of, int rank) {
  std::vector<copy>& all = open_copies();
  std::vector<copy> mine;
  for (std::size_t i = 0; i < all.size();) {
    if (all[i].window != &of || all[i].rank != rank) {
      ++i;
      continue;
    }
    mine.push_back(std::move(all[i]));
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
  bool has_get = false;
  for (const copy& each : mine) has_get = has_get || each.into != nullptr;
  if (has_get) ++counts.waits;
  while (reorders && !mine.empty()) {
    const auto chosen = static_cast<std::ptrdiff_t>(draw() % mine.size());
    begin(mine[static_cast<std::size_t>(chosen)]);
    mine.erase(mine.begin() + chosen);
  }
  inner->flush(of, rank);
}

void progress(const net::window& of) {
  begin_some();
  inner->progress(of);
}

// In any order.
void send_puts(const net::window& of, int rank) {
  std::vector<copy>& all = open_copies();
  std::vector<copy> mine;
  for (std::size_t i = 0; i < all.size();) {
    if (all[i].into != nullptr || all[i].window != &of || all[i].rank != rank) {
      ++i;
      continue;
    }
    mine.push_back(std::move(all[i]));
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (; !mine.empty(); mine.erase(mine.begin())) {
    std::swap(mine.front(), mine[draw() % mine.size()]);
    begin(mine.front());
  }
  if (inner->send_puts != nullptr) inner->send_puts(of, rank);
}

net::rma wrapped = {};

}  // namespace

test::net_counts test::read_net_counts() { return counts; }

extern "C" const net::rma* weft_net_wrap_transport(const net::rma* of) {
  const char* const wanted = std::getenv("TEST_NET");
  if (wanted == nullptr) return of;
  inner = of;
  reorders = std::strcmp(wanted, "reordered") == 0;
  if (const char* const nth = std::getenv("TEST_NET_FAIL")) fails_at = std::strtoull(nth, nullptr, 10);
  wrapped = {of->name, of->region_create, get, put, fetch_add, compare_swap, flush, progress, of->alias, of->assist, send_puts};
  return &wrapped;
}
