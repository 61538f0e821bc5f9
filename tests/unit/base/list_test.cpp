#include "base/list.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

namespace {

struct node : weft::base::list_link {
  explicit node(int number) : value(number) {}
  int value;
};
using node_list = weft::base::list<node>;

TEST_CASE("a list gives its nodes back in order from both ends") {
  node one(1), two(2), three(3);
  node_list list;
  CHECK(list.is_empty());
  CHECK(list.pop_front() == nullptr);
  list.push_back(&two);
  list.push_back(&three);
  list.push_front(&one);
  CHECK(list.front() == &one);
  CHECK(list.back() == &three);
  CHECK(list.after(&one) == &two);
  CHECK(list.after(&three) == nullptr);
  CHECK(list.before(&three) == &two);
  CHECK(list.before(&one) == nullptr);
  CHECK(list.pop_front() == &one);
  CHECK(list.back() == &three);
  CHECK(list.pop_front() == &two);
  CHECK(list.pop_front() == &three);
  CHECK(list.is_empty());
}

TEST_CASE("a node can leave from the middle and join again") {
  node one(1), two(2), three(3);
  node_list list;
  list.push_back(&one);
  list.push_back(&two);
  list.push_back(&three);
  CHECK(two.is_linked());
  list.remove(&two);
  CHECK_FALSE(two.is_linked());
  CHECK(list.after(&one) == &three);
  list.push_front(&two);
  CHECK(list.front() == &two);
}

TEST_CASE("a chain goes to the front in its order, also of an empty list") {
  node one(1), two(2), three(3), four(4);
  node_list list;
  three.next = &four;
  four.previous = &three;
  list.push_front_chain(&three, &four);
  one.next = &two;
  two.previous = &one;
  list.push_front_chain(&one, &two);
  CHECK(list.back() == &four);
  CHECK(list.before(&four) == &three);
  CHECK(list.before(&three) == &two);
  CHECK(list.before(&two) == &one);
  CHECK(list.before(&one) == nullptr);
  for (node* each : {&one, &two, &three, &four}) CHECK(list.pop_front() == each);
  CHECK(list.is_empty());
}

TEST_CASE("a node that is dropped has left, and its links are as they were") {
  node one(1), two(2), three(3);
  node_list list;
  for (node* each : {&one, &two, &three}) list.push_back(each);
  list.drop(&two);
  CHECK(list.after(&one) == &three);
  CHECK(list.before(&three) == &one);
  CHECK(two.next == &three);
  CHECK(two.previous == &one);
}

}  // namespace
