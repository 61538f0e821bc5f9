// What the start finds out of a transport (network.hpp), on transports that need the target's help,
// and do not, and with a target that begins late to compute.
#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <cstring>

#include "job_scene.hpp"
#include "net/network.hpp"

using namespace weft;
using net::operations_found;
using net::shm;
using test::child_end;
using test::plain_request;
using test::run_job;

namespace {

bool alias_is_late = false;  // the target's first step where it computes

constexpr std::uint64_t computing = 0x676e697475706d6f;  // as net/self_test.cpp marks it

// Of a transport that needs help: what the word holds when the target helps, which it does not
// while it computes. A target that computes does nothing but set its marks.
std::uint64_t help(const net::window& in, int rank, std::size_t offset) {
  const auto* const marked = static_cast<const volatile std::uint64_t*>(shm.alias(in, rank, offset));
  for (;;) {
    const std::uint64_t found = *marked;
    if (found != computing) return found;
    sched_yield();
  }
}

void helped_get(const net::window& from, int rank, std::size_t offset, void* into, std::size_t bytes) {
  const std::uint64_t found = help(from, rank, offset);
  std::memset(into, 0, bytes);
  std::memcpy(into, &found, sizeof found);
}
std::uint64_t helped_add(const net::window& in, int rank, std::size_t offset, std::uint64_t by) {
  return by != 0 ? (shm.fetch_add)(in, rank, offset, by) : help(in, rank, offset);
}
std::uint64_t helped_swap(const net::window& in, int rank, std::size_t offset, std::uint64_t expected, std::uint64_t desired) {
  return expected == 1 ? shm.compare_swap(in, rank, offset, expected, desired) : help(in, rank, offset);
}

bool has_put = false;
void noted_put(const net::window& into, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  has_put = true;
  shm.put(into, rank, offset, from, bytes);
}
void helped_flush(const net::window& of, int rank) {
  if (has_put) (void)help(of, rank, 64);  // where gets are tried
  has_put = false;
  shm.flush(of, rank);
}

void* late_alias(const net::window& of, int rank, std::size_t offset) {
  if (alias_is_late && rank == of.all->rank) (void)usleep(1500);
  return shm.alias(of, rank, offset);
}

net::rma with_help() {
  net::rma made = shm;
  made.name = "with help";
  made.get = helped_get;
  made.fetch_add = helped_add;
  made.compare_swap = helped_swap;
  made.alias = late_alias;
  return made;
}

net::network open(const net::job& all, const net::rma& by) {
  net::network opened;
  opened.by = &by;
  (void)by.region_create(all, net::part::region, &opened.region);
  (void)by.region_create(all, net::part::words, &opened.words);
  return opened;
}

int count_one_sided(const operations_found& found) {
  return found.get.is_one_sided + found.put.is_one_sided + found.add.is_one_sided + found.swap.is_one_sided;
}

net::job_request request_with_words() {
  net::job_request request = plain_request();
  request.words_bytes = 4096;
  return request;
}

}  // namespace

TEST_CASE("a transport that needs no help is found so, and its windows are left as they were") {
  const child_end end = run_job("2", request_with_words(), [](const net::job& all) {
    net::network opened = open(all, shm);
    const auto* const words = static_cast<const std::uint64_t*>(shm.alias(opened.words, all.rank, 0));
    operations_found seen = {};  // a rank may get no CPU while the other computes
    for (int i = 0; i < 100 && count_one_sided(seen) != 4; ++i) {
      test_network(all, &opened);
      seen.get.is_one_sided |= opened.created.get.is_one_sided;
      seen.put.is_one_sided |= opened.created.put.is_one_sided;
      seen.add.is_one_sided |= opened.allocated.add.is_one_sided;
      seen.swap.is_one_sided |= opened.allocated.swap.is_one_sided;
    }
    NEED(count_one_sided(seen) == 4);
    NEED(opened.is_tested);
    NEED(opened.created.get.median_ns != 0);
    for (int i = 0; i < 32; ++i) NEED(words[i] == 0);
    net::barrier(all);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("a transport that needs help is found so, however late its target computes") {
  for (const bool is_late : {false, true}) {
    alias_is_late = is_late;
    const child_end end = run_job("2", request_with_words(), [](const net::job& all) {
      const net::rma by = with_help();
      net::network opened = open(all, by);
      for (int i = 0; i < 3; ++i) {
        test_network(all, &opened);
        NEED(count_one_sided(opened.created) == 0);
        NEED(count_one_sided(opened.allocated) == 0);
        NEED(!opened.is_one_sided());
      }
      return 0;
    });
    CHECK(end.exit_code == 0);
    CHECK(end.errors == "");
  }
}

TEST_CASE("a put is one-sided only if its flush is") {
  const child_end end = run_job("2", request_with_words(), [](const net::job& all) {
    net::rma by = shm;
    by.put = noted_put;
    by.flush = helped_flush;
    net::network opened = open(all, by);
    bool are_gets = false;
    for (int i = 0; i < 100 && !are_gets; ++i) {
      test_network(all, &opened);
      NEED(!opened.created.put.is_one_sided);
      are_gets = opened.created.get.is_one_sided;
    }
    NEED(are_gets);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}
