// A transport for tests, before the one of the job: it counts, puts copies off and reorders them,
// and fails. By the environment of the program that links net_transport.cpp:
//
// - TEST_NET=plain|reordered: reordered begins copies only in the flush, in an order drawn from a
//   generator, and spoils the target of a get until then.
// - TEST_NET_FAIL=N: the N-th operation of each rank ends the job, as one of a broken network does.
#pragma once

#include <cstdint>

namespace weft::test {

// Of this rank. A *wait* is what a caller cannot go on without: an atomic operation, or a flush
// with a get before it.
struct net_counts {
  std::uint64_t operations, waits;
};
net_counts read_net_counts();

}  // namespace weft::test
