// What must be equal in all ranks.
#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "job_scene.hpp"
#include "net/fingerprint.hpp"

using namespace weft;
using test::child_end;
using test::plain_request;
using test::run_job;

namespace {

std::string objection_to(const net::fingerprint& mine) {
  const char* const why = net::objection(mine, net::take_fingerprint({}));
  return why == nullptr ? "" : why;
}

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

bool is_shadow_stack_in(const std::string& text) {
  char path[] = "/tmp/weft-status-XXXXXX";
  const int descriptor = mkstemp(path);
  REQUIRE(descriptor >= 0);
  close(descriptor);
  std::ofstream(path) << text;
  const bool is_told = net::tells_shadow_stack(path);
  unlink(path);
  return is_told;
}

// Rank 2 hands a changed fingerprint in.
template <class Change>
child_end run_with_odd_rank(Change change) {
  return run_job("3", plain_request(), [&](const net::job& all) {
    net::fingerprint mine = net::take_fingerprint(all);
    if (all.rank == 2) change(&mine);
    return net::compare_fingerprints(all, mine) == status::ok ? 0 : 7;
  });
}

}  // namespace

TEST_CASE("a process has one fingerprint, in which every fact counts") {
  const net::fingerprint mine = net::take_fingerprint({});
  CHECK(objection_to(mine) == "");
  CHECK(mine.has_shadow_stack == 0);
  net::fingerprint other = mine;
  ++other.build;
  CHECK(says(objection_to(other), "another build"));
  other = mine;
  ++other.layout;
  CHECK(says(objection_to(other), "other addresses than rank 0's; start the ranks with weft launch"));
  other = mine;
  ++other.library;
  CHECK(says(objection_to(other), "another MPI than rank 0, or another version; set WEFT_LAUNCH_MPI"));
  CHECK(net::fingerprint_of("MPICH Version: 4.0.2") != net::fingerprint_of("MPICH Version: 4.0.3"));
  other = mine;
  ++other.flags;
  CHECK(says(objection_to(other), "its processor has other features"));
  other.flags = 0;  // unknown
  CHECK(objection_to(other) == "");
  ++other.features;
  CHECK(says(objection_to(other), "its processor has other features"));
  other = mine;
  ++other.canary;
  CHECK(says(objection_to(other), "canary"));
  other = mine;
  other.page_bytes *= 2;
  CHECK(says(objection_to(other), "pages are of another size"));
  other = mine;
  other.has_shadow_stack = 1;
  CHECK(says(objection_to(other), "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off"));
}

TEST_CASE("where the region lies counts") {
  net::job elsewhere;
  elsewhere.region = reinterpret_cast<std::byte*>(0x1000);
  CHECK(says(objection_to(net::take_fingerprint(elsewhere)), "another address"));
}

TEST_CASE("each size, and what is to be alike, counts") {
  for (std::size_t net::job::* const size : {&net::job::region_bytes, &net::job::shared_bytes, &net::job::words_bytes}) {
    net::job larger;
    larger.*size += 4096;
    CHECK(says(objection_to(net::take_fingerprint(larger)), "other sizes"));
  }
  net::job other;
  other.alike = 1;
  CHECK(says(objection_to(net::take_fingerprint(other)), "the same WEFT_DIST_* variables"));
}

TEST_CASE("the kernel says whether there is a shadow stack") {
  CHECK_FALSE(is_shadow_stack_in("Name:\tx\nx86_Thread_features:\t\nx86_Thread_features_locked:\tshstk\n"));
  CHECK_FALSE(is_shadow_stack_in("Name:\tshstk\n"));
  CHECK(is_shadow_stack_in("Name:\tx\nx86_Thread_features:\tshstk wrss \n"));
  CHECK_FALSE(net::tells_shadow_stack("/no/such/file"));
}

TEST_CASE("a rank that differs ends the start with one line") {
  CHECK(run_with_odd_rank([](net::fingerprint*) {}).exit_code == 0);
  const child_end end = run_with_odd_rank([](net::fingerprint* mine) { ++mine->canary; });
  CHECK(end.exit_code == 7);
  CHECK(end.errors ==
        "weft: rank 2 of 3 cannot start: its stack protector's canary is another than rank 0's; start the ranks with weft "
        "launch\n");
}

TEST_CASE("all ranks may object for one reason, which is told once") {
  const child_end end = run_job("4", plain_request(), [](const net::job& all) {
    net::fingerprint mine = net::take_fingerprint(all);
    mine.has_shadow_stack = 1;
    return net::compare_fingerprints(all, mine) == status::ok ? 0 : 7;
  });
  CHECK(end.exit_code == 7);
  CHECK(end.lines() == 1);
  CHECK(end.says("shadow stacks"));
}
