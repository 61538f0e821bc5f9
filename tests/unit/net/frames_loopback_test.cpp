// The loopback keeps what every transport keeps, so that the scenes themselves are known to pass.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "frames_conformance.hpp"
#include "frames_loopback.hpp"

TEST_CASE("nodes in threads conform over the loopback") {
  for (unsigned const nodes : {1u, 2u, 4u}) {
    std::atomic<unsigned> kept{0};
    std::string const name = std::to_string(nodes);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < nodes; ++i) {
      threads.emplace_back([&] {
        weft::net::frame_options options;
        options.address = name.c_str();
        weft::net::frame_group* const group = weft::test::loopback.open(options);
        if (weft::test::frames_conformance(group, nodes, weft::test::kill_loopback).run()) ++kept;
      });
    }
    for (std::thread& each : threads) each.join();
    CHECK(kept == nodes);
  }
}
