#include "queue/inbox.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace {

struct node {
  node* next = nullptr;
  int value = 0;
};

TEST_CASE("an inbox gives all its nodes at once, newest first") {
  weft::queue::inbox<node> box;
  node nodes[3];
  CHECK(box.is_empty());
  CHECK(box.take_all() == nullptr);
  for (node& each : nodes) box.push(&each);
  CHECK_FALSE(box.is_empty());
  node* chain = box.take_all();
  CHECK(box.is_empty());
  for (int i = 2; i >= 0; --i, chain = chain->next) CHECK(chain == &nodes[i]);
  CHECK(chain == nullptr);
}

TEST_CASE("many push and several take: every node arrives once, with what was written into it") {
  constexpr int pushers = 4, takers = 2, each_pushes = 20000;
  weft::queue::inbox<node> box;
  std::vector<node> nodes(pushers * each_pushes);
  std::atomic<int> left{pushers * each_pushes};
  std::vector<std::atomic<int>> seen(nodes.size());
  std::vector<std::thread> threads;
  for (int who = 0; who < pushers; ++who) {
    threads.emplace_back([&, who] {
      for (int i = 0; i < each_pushes; ++i) {
        const int index = who * each_pushes + i;
        nodes[static_cast<std::size_t>(index)].value = index;  // plain: published by the push
        box.push(&nodes[static_cast<std::size_t>(index)]);
      }
    });
  }
  std::atomic<bool> wrong{false};
  for (int who = 0; who < takers; ++who) {
    threads.emplace_back([&] {
      while (left.load() > 0) {
        node* chain = box.take_all();
        if (chain == nullptr) std::this_thread::yield();
        while (chain != nullptr) {
          node* next = chain->next;
          const auto index = static_cast<std::size_t>(chain - nodes.data());
          if (chain->value != static_cast<int>(index) || seen[index].fetch_add(1) != 0) wrong = true;
          left.fetch_sub(1);
          chain = next;
        }
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK_FALSE(wrong.load());
  CHECK(left.load() == 0);
  CHECK(box.is_empty());
}

}  // namespace
