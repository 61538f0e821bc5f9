#include "base/linked_queue.hpp"

#include <doctest/doctest.h>

#include <vector>

using weft::base::linked_queue;

namespace {

struct node {
  int number = 0;
  node* next = nullptr;
};

struct chained {
  chained* next = nullptr;
};
struct linked : chained {
  explicit linked(int which) : number(which) {}
  int number;
};

std::vector<int> numbers(const linked_queue<node>& queue) {
  std::vector<int> found;
  for (const node* each = queue.front(); each != nullptr; each = queue.after(each)) found.push_back(each->number);
  return found;
}

}  // namespace

TEST_CASE("nodes leave in the order in which they came") {
  linked_queue<node> queue;
  node nodes[3] = {{0}, {1}, {2}};
  CHECK(queue.is_empty());
  CHECK(queue.front() == nullptr);
  CHECK(queue.pop_front() == nullptr);
  for (node& each : nodes) queue.push_back(&each);
  CHECK(numbers(queue) == std::vector{0, 1, 2});
  for (node& each : nodes) {
    CHECK(queue.front() == &each);
    CHECK(queue.pop_front() == &each);
  }
  CHECK(nodes[0].next == &nodes[1]);
  CHECK(queue.is_empty());
}

TEST_CASE("a queue that became empty takes nodes again") {
  linked_queue<node> queue;
  node nodes[2] = {{0}, {1}};
  for (int round = 0; round < 3; ++round) {
    queue.push_back(&nodes[0]);
    CHECK(queue.pop_front() == &nodes[0]);
    queue.push_back(&nodes[0]);
    queue.push_back(&nodes[1]);
    CHECK(numbers(queue) == std::vector{0, 1});
    CHECK(queue.take_all() == &nodes[0]);
    CHECK(nodes[0].next == &nodes[1]);
    CHECK(nodes[1].next == nullptr);
    CHECK(queue.is_empty());
    CHECK(queue.take_all() == nullptr);
  }
}

TEST_CASE("a node leaves from any place, and what comes later is behind the rest") {
  for (int gone = 0; gone < 3; ++gone) {
    linked_queue<node> queue;
    node nodes[4] = {{0}, {1}, {2}, {3}};
    for (int i = 0; i < 3; ++i) queue.push_back(&nodes[i]);
    CHECK(queue.remove(&nodes[gone]));
    CHECK(!queue.remove(&nodes[gone]));
    CHECK(!queue.remove(&nodes[3]));
    queue.push_back(&nodes[3]);
    std::vector<int> rest{0, 1, 2, 3};
    rest.erase(rest.begin() + gone);
    CHECK(numbers(queue) == rest);
  }
}

TEST_CASE("the only node leaves") {
  linked_queue<node> queue;
  node one{1}, two{2};
  queue.push_back(&one);
  CHECK(queue.remove(&one));
  CHECK(queue.is_empty());
  queue.push_back(&two);
  CHECK(numbers(queue) == std::vector{2});
}

TEST_CASE("the link may be that of a base class") {
  linked_queue<linked, chained> queue;
  linked one(1), two(2);
  queue.push_back(&one);
  queue.push_back(&two);
  CHECK(queue.after(&one) == &two);
  CHECK(queue.pop_front()->number == 1);
  CHECK(queue.pop_front()->number == 2);
  CHECK(queue.pop_front() == nullptr);
}

TEST_CASE("a node that is put in front leaves first, and what comes later is behind it") {
  linked_queue<node> queue;
  node nodes[3] = {{0}, {1}, {2}};
  queue.push_front(&nodes[1]);
  queue.push_back(&nodes[2]);
  queue.push_front(&nodes[0]);
  CHECK(numbers(queue) == std::vector{0, 1, 2});
}

TEST_CASE("the first node that is wanted leaves") {
  linked_queue<node> queue;
  node nodes[4] = {{0}, {1}, {2}, {3}};
  for (node& each : nodes) queue.push_back(&each);
  CHECK(queue.take_first([](const node* each) { return each->number % 2 == 1; }) == &nodes[1]);
  CHECK(queue.take_first([](const node* each) { return each->number > 3; }) == nullptr);
  CHECK(queue.take_first([](const node* each) { return each->number == 3; }) == &nodes[3]);
  queue.push_back(&nodes[1]);
  CHECK(numbers(queue) == std::vector{0, 2, 1});
}

TEST_CASE("all nodes that are wanted leave in their order, and each is looked at once") {
  linked_queue<node> queue;
  node nodes[4] = {{0}, {1}, {2}, {3}};
  for (node& each : nodes) queue.push_back(&each);
  std::vector<int> seen;
  linked_queue<node> taken = queue.take_each([&seen](const node* each) {
    seen.push_back(each->number);
    return each->number % 2 == 1;
  });
  CHECK(seen == std::vector{0, 1, 2, 3});
  CHECK(numbers(taken) == std::vector{1, 3});
  CHECK(numbers(queue) == std::vector{0, 2});
  queue.push_back(&nodes[1]);
  CHECK(numbers(queue) == std::vector{0, 2, 1});
  CHECK(queue.take_each([](const node*) { return false; }).is_empty());
  CHECK(numbers(queue.take_each([](const node*) { return true; })) == std::vector{0, 2, 1});
  CHECK(queue.is_empty());
  queue.push_front(&nodes[3]);
  CHECK(numbers(queue) == std::vector{3});
}
