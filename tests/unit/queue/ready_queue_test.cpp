#include "queue/ready_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "base/rng.hpp"

namespace {

struct node : weft::base::list_link {
  weft::base::atomic<std::uint16_t> in{0};
  int number = 0;
  bool is_pinned = false;
  bool may_be_stolen() const { return !is_pinned; }
};
using ready_queue = weft::queue::ready_queue<node>;

std::vector<node> numbered(int count) {
  std::vector<node> nodes(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) nodes[static_cast<std::size_t>(i)].number = i;
  return nodes;
}

TEST_CASE("new units come last in first out, then those that yielded, first in first out") {
  auto nodes = numbered(6);
  ready_queue queue;
  queue.start(7);
  CHECK(queue.is_empty());
  CHECK(queue.pop() == nullptr);
  for (int i : {0, 1, 2}) queue.push_recent(&nodes[static_cast<std::size_t>(i)]);
  for (int i : {3, 4, 5}) queue.push_yielded(&nodes[static_cast<std::size_t>(i)]);
  CHECK(queue.pop_first([](const node* one) { return one->number % 2 == 1; }) == &nodes[1]);
  queue.push_recent(&nodes[1]);
  CHECK(queue.pop_first([](const node* one) { return one->number > 5; }) == nullptr);
  CHECK(queue.stealable() == 6);
  for (int wanted : {1, 2, 0, 3, 4, 5}) {
    CHECK(queue.contains(&nodes[static_cast<std::size_t>(wanted)]));
    CHECK(queue.pop()->number == wanted);
    CHECK_FALSE(queue.contains(&nodes[static_cast<std::size_t>(wanted)]));
  }
  CHECK(queue.is_empty());
  CHECK(queue.stealable() == 0);
}

TEST_CASE("a chain lies in the queue as its units would, had each come by itself") {
  auto nodes = numbered(5);
  ready_queue queue;
  queue.start(7);
  queue.push_recent(&nodes[0]);
  for (std::size_t i : {2U, 3U}) {
    nodes[i].next = &nodes[i - 1];
    nodes[i - 1].previous = &nodes[i];
  }
  for (std::size_t i : {1U, 2U, 3U}) nodes[i].in.store(queue.number(), weft::base::relaxed);
  queue.push_new_chain(&nodes[3], &nodes[1], 3);
  nodes[4].in.store(queue.number(), weft::base::relaxed);
  queue.push_new_chain(&nodes[4], &nodes[4], 1);
  CHECK(queue.stealable() == 5);
  for (int wanted : {0, 1}) CHECK(queue.pop_oldest()->number == wanted);
  for (int wanted : {4, 3, 2}) CHECK(queue.pop()->number == wanted);
  CHECK(queue.is_empty());
  CHECK(queue.stealable() == 0);
}

TEST_CASE("on demand the one that waited longest comes first, from the one list and the other in turn") {
  auto nodes = numbered(6);
  ready_queue queue;
  queue.start(1);
  for (int i : {0, 1, 2}) queue.push_recent(&nodes[static_cast<std::size_t>(i)]);
  for (int i : {3, 4, 5}) queue.push_yielded(&nodes[static_cast<std::size_t>(i)]);
  const int first = queue.pop_longest_waiting()->number;
  const int second = queue.pop_longest_waiting()->number;
  CHECK(std::min(first, second) == 0);
  CHECK(std::max(first, second) == 3);
}

TEST_CASE("nobody waits for more than two such demands, whatever is pushed meanwhile") {
  auto nodes = numbered(3);
  ready_queue queue;
  queue.start(1);
  queue.push_recent(&nodes[0]);   // the old one
  queue.push_yielded(&nodes[1]);  // likewise
  bool seen[2] = {false, false};
  for (int demand = 0; demand < 2; ++demand) {
    queue.push_recent(&nodes[2]);  // a new one every time
    seen[queue.pop_longest_waiting()->number] = true;
    CHECK(queue.pop() == &nodes[2]);
  }
  CHECK(seen[0]);
  CHECK(seen[1]);
}

TEST_CASE("a thief gets the oldest that may be stolen, and finds it behind any number that may not") {
  auto nodes = numbered(102);
  ready_queue queue;
  queue.start(1);
  for (int i = 0; i < 50; ++i) {
    nodes[static_cast<std::size_t>(i)].is_pinned = true;
    queue.push_recent(&nodes[static_cast<std::size_t>(i)]);
  }
  queue.push_recent(&nodes[100]);
  for (int i = 50; i < 100; ++i) {
    nodes[static_cast<std::size_t>(i)].is_pinned = true;
    queue.push_yielded(&nodes[static_cast<std::size_t>(i)]);
  }
  queue.push_yielded(&nodes[101]);
  CHECK(queue.stealable() == 2);
  CHECK(queue.pop_oldest() == &nodes[100]);
  CHECK(queue.stealable() == 1);
  CHECK(queue.pop_oldest() == &nodes[101]);
  CHECK(queue.stealable() == 0);
  CHECK(queue.pop_oldest() == nullptr);
  CHECK_FALSE(queue.is_empty());
}

TEST_CASE("units can be taken from the middle") {
  auto nodes = numbered(4);
  ready_queue queue, other;
  queue.start(1);
  other.start(2);
  for (node& each : nodes) queue.push_recent(&each);
  CHECK_FALSE(other.contains(&nodes[1]));
  CHECK(queue.taken(&nodes[1]) == &nodes[1]);
  CHECK_FALSE(queue.contains(&nodes[1]));
  other.push_yielded(&nodes[1]);
  CHECK(other.contains(&nodes[1]));
  CHECK(queue.stealable() == 3);
  for (int wanted : {3, 2, 0}) CHECK(queue.pop()->number == wanted);
}

TEST_CASE("two that yield to each other change places") {
  auto nodes = numbered(3);
  ready_queue queue;
  queue.start(3);
  queue.push_yielded(&nodes[0]);
  queue.push_yielded(&nodes[1]);
  CHECK(queue.next_yielded() == &nodes[0]);
  queue.exchange_yielded(&nodes[0], &nodes[2]);
  CHECK_FALSE(queue.contains(&nodes[0]));
  CHECK(queue.contains(&nodes[2]));
  CHECK(queue.stealable() == 2);
  queue.push_recent(&nodes[0]);
  CHECK(queue.next_yielded() == nullptr);
  for (int wanted : {0, 1, 2}) CHECK(queue.pop()->number == wanted);
}

TEST_CASE("the one that has waited longest") {
  auto nodes = numbered(3);
  ready_queue queue;
  queue.start(9);
  queue.push_recent(&nodes[0]);
  CHECK(queue.has_waited_longest(&nodes[0]));
  queue.push_recent(&nodes[1]);
  CHECK(queue.has_waited_longest(&nodes[0]));
  CHECK_FALSE(queue.has_waited_longest(&nodes[1]));
  queue.push_yielded(&nodes[2]);  // its turn may come first
  CHECK_FALSE(queue.has_waited_longest(&nodes[0]));
  CHECK(queue.pop() == &nodes[1]);
  CHECK(queue.pop() == &nodes[0]);
  CHECK(queue.has_waited_longest(&nodes[2]));
  CHECK(queue.pop() == &nodes[2]);
}

TEST_CASE("random operations agree with two deques") {
  weft::base::rng random(12345);
  auto nodes = numbered(64);
  for (node& each : nodes) each.is_pinned = each.number % 5 == 0;
  std::deque<node*> recent, yielded;  // front: next to run
  std::vector<node*> outside;
  for (node& each : nodes) outside.push_back(&each);
  ready_queue queue;
  queue.start(9);
  const auto forget = [&](node* one) {
    std::erase(recent, one);
    std::erase(yielded, one);
    outside.push_back(one);
  };
  for (int step = 0; step < 20000; ++step) {
    const std::uint32_t what = random.below(6);
    if (what < 3 && !outside.empty()) {
      node* one = outside.back();
      outside.pop_back();
      if (what != 0) {
        queue.push_recent(one);
        recent.push_front(one);
      } else {
        queue.push_yielded(one);
        yielded.push_back(one);
      }
    } else if (what == 3) {
      node* wanted = !recent.empty() ? recent.front() : !yielded.empty() ? yielded.front() : nullptr;
      REQUIRE(queue.pop() == wanted);
      if (wanted != nullptr) forget(wanted);
    } else if (what == 4) {
      node* one = &nodes[random.below(64)];
      const bool is_in = std::find(outside.begin(), outside.end(), one) == outside.end();
      REQUIRE(queue.contains(one) == is_in);
      if (is_in) forget(queue.taken(one));
    } else if (what == 5) {
      node* wanted = nullptr;
      for (auto at = recent.rbegin(); at != recent.rend() && wanted == nullptr; ++at) wanted = (*at)->is_pinned ? nullptr : *at;
      for (auto at = yielded.begin(); at != yielded.end() && wanted == nullptr; ++at) wanted = (*at)->is_pinned ? nullptr : *at;
      REQUIRE(queue.pop_oldest() == wanted);
      if (wanted != nullptr) forget(wanted);
    }
    const auto stealable =
        static_cast<std::uint32_t>(std::count_if(recent.begin(), recent.end(), [](node* one) { return !one->is_pinned; }) +
                                   std::count_if(yielded.begin(), yielded.end(), [](node* one) { return !one->is_pinned; }));
    REQUIRE(queue.stealable() == stealable);
  }
}

}  // namespace
