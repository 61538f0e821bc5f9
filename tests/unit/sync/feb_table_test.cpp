#include "sync/feb_table.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "sync/feb.hpp"

namespace {

using weft::status;
using weft::sync::feb_entry;
using weft::sync::feb_stripe;
using weft::sync::feb_stripe_of;
namespace feb = weft::sync::feb;

TEST_CASE("a word has an entry as long as that says something") {
  std::uint64_t word = 0;
  feb_stripe* stripe = feb_stripe_of(&word);
  const weft::queue::guard inside(stripe->lock);
  CHECK(stripe->find(&word) == nullptr);
  feb_entry** const link = stripe->find_or_add(&word);
  REQUIRE(link != nullptr);
  feb_entry* const one = *link;
  REQUIRE(one != nullptr);
  CHECK(one->is_full);
  CHECK_FALSE(one->has_waiters());
  CHECK(*stripe->find_or_add(&word) == one);
  one->is_full = false;
  stripe->tidy(stripe->link_of(&word));
  CHECK(stripe->find(&word) == one);
  one->is_full = true;
  stripe->tidy(stripe->link_of(&word));
  CHECK(stripe->find(&word) == nullptr);
}

TEST_CASE("entries are reused") {
  std::uint64_t word = 0;
  feb_stripe* stripe = feb_stripe_of(&word);
  const weft::queue::guard inside(stripe->lock);
  const feb_entry* first = *stripe->find_or_add(&word);
  stripe->tidy(stripe->link_of(&word));
  CHECK(*stripe->find_or_add(&word) == first);
  stripe->tidy(stripe->link_of(&word));
}

TEST_CASE("words next to each other spread over the stripes") {
  std::vector<std::uint64_t> words(1024);
  std::vector<const feb_stripe*> seen;
  for (const std::uint64_t& each : words) {
    const feb_stripe* stripe = feb_stripe_of(&each);
    bool is_new = true;
    for (const feb_stripe* other : seen) is_new = is_new && other != stripe;
    if (is_new) seen.push_back(stripe);
  }
  CHECK(seen.size() > 200);  // of 256
}

TEST_CASE("a table grows without losing anything") {
  std::vector<std::uint64_t> words(100'000);
  for (std::uint64_t& each : words) REQUIRE(feb::empty(&each) == status::ok);
  for (const std::uint64_t& each : words) REQUIRE_FALSE(feb::is_full(&each));
  for (std::uint64_t& each : words) REQUIRE(feb::fill(&each) == status::ok);
  for (const std::uint64_t& each : words) REQUIRE(feb::is_full(&each));
}

}  // namespace
