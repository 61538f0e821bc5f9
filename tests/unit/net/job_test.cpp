// A job of forked ranks: memory, barrier, ends. Each job is a child process of the test.
#include <doctest/doctest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/atomic.hpp"
#include "job_scene.hpp"
#include "net/control.hpp"
#include "net/job.hpp"

using namespace weft;
using test::child_end;
using test::plain_request;
using test::run_in_child;
using test::run_job;

namespace {

base::atomic<int>& word_of(const net::job& all, int rank) {
  return *reinterpret_cast<base::atomic<int>*>(all.shared + static_cast<std::size_t>(rank) * all.shared_bytes);
}

bool holds_memory_file(pid_t process) {
  std::error_code gone;  // a descriptor that was closed meanwhile
  for (const auto& each : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    if (std::filesystem::read_symlink(each.path(), gone).string().find("weft-job") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a region at one address has each rank's own bytes, which all ranks see by aliases") {
  const child_end end = run_job("4", plain_request(), [](const net::job& all) {
    *all.region = std::byte(all.rank + 1);
    word_of(all, all.rank).store(static_cast<int>(reinterpret_cast<std::uintptr_t>(all.region) >> 12), base::relaxed);
    net::barrier(all);
    for (int rank = 0; rank < all.ranks; ++rank) {
      NEED(all.aliases[static_cast<std::size_t>(rank) * all.region_bytes] == std::byte(rank + 1));
      NEED(word_of(all, rank).load(base::relaxed) == word_of(all, 0).load(base::relaxed));
    }
    net::barrier(all);
    all.aliases[static_cast<std::size_t>((all.rank + 1) % all.ranks) * all.region_bytes] = std::byte(77);
    net::barrier(all);
    NEED(*all.region == std::byte(77));
    NEED(all.ranks == 4);
    NEED(std::getenv("WEFT_LAUNCH_RANKS") == nullptr);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("without the variable there is one rank, in the process that asked") {
  const child_end end = run_in_child([] {
    unsetenv("WEFT_LAUNCH_RANKS");
    net::job all;
    const pid_t before = getpid();
    NEED(net::start(plain_request(), &all) == status::ok);
    NEED(getpid() == before);
    NEED(all.rank == 0 && all.ranks == 1);
    *all.region = std::byte(5);
    NEED(*all.aliases == std::byte(5));
    net::barrier(all);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("a barrier holds every rank until all have come") {
  const child_end end = run_job("3", plain_request(), [](const net::job& all) {
    constexpr int rounds = 1000;
    for (int round = 1; round <= rounds; ++round) {
      word_of(all, all.rank).store(round, base::relaxed);
      net::barrier(all);
      for (int rank = 0; rank < all.ranks; ++rank) {
        const int seen = word_of(all, rank).load(base::relaxed);
        NEED(seen == round || seen == round + 1);
      }
    }
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("ranks that all fail at once tell one line") {
  for (int round = 0; round < 300; ++round) {
    const child_end end = run_job("4", plain_request(), [](const net::job& all) -> int {
      net::barrier(all);
      net::fail(all, "rank %d cannot go on", all.rank);
    });
    CHECK(end.exit_code == 1);
    CHECK(end.says(" cannot go on\n"));
    CHECK(end.lines() == 1);
  }
}

// A rank that went on would exit, and might end the job before the line is there.
TEST_CASE("a rank that fails while another tells its failure waits for the line") {
  const child_end end = run_job("2", plain_request(), [](const net::job& all) {
    constexpr int patience = 50;  // milliseconds for a rank that does not wait
    if (all.rank == 0) all.common->failed.store(net::failure::being_told, base::relaxed);
    net::barrier(all);
    if (all.rank == 1) {
      net::tell_failure(all, "a second line");
      word_of(all, 0).store(all.common->failed.load(base::relaxed) == net::failure::told ? 1 : 2, base::relaxed);
    } else {
      for (int i = 0; i < patience && word_of(all, 0).load(base::relaxed) == 0; ++i) usleep(1000);
      all.common->failed.store(net::failure::told, base::relaxed);
    }
    net::barrier(all);
    NEED(word_of(all, 0).load(base::relaxed) == 1);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("a gather has the bytes of every rank, more than fit at once, again and again") {
  constexpr std::size_t words = 100;
  const child_end end = run_job("4", plain_request(), [](const net::job& all) {
    for (int round = 0; round < 500; ++round) {
      int mine[words], of_all[4][words];
      for (std::size_t at = 0; at < words; ++at) mine[at] = (round * 4 + all.rank) * 1000 + static_cast<int>(at);
      net::gather(all, mine, sizeof mine, of_all);
      for (int rank = 0; rank < all.ranks; ++rank) {
        for (std::size_t at = 0; at < words; ++at) NEED(of_all[rank][at] == (round * 4 + rank) * 1000 + static_cast<int>(at));
      }
    }
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("neither ranks nor their launcher keep a descriptor of the memory") {
  const child_end end = run_job("2", plain_request(), [](const net::job& all) {
    NEED(!holds_memory_file(getpid()));
    // The launcher closes its own once it has started all ranks.
    for (int look = 0; look < 5000 && holds_memory_file(getppid()); ++look) usleep(1000);
    NEED(!holds_memory_file(getppid()));
    net::barrier(all);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("a killed rank ends the job with a line") {
  net::job_request request = plain_request();
  request.describe = [](const net::job& all, int rank, char* text, std::size_t bytes) {
    std::snprintf(text, bytes, "the number %d", word_of(all, rank).load(base::relaxed));
  };
  const child_end end = run_job("3", request, [](const net::job& all) {
    word_of(all, all.rank).store(40 + all.rank, base::relaxed);
    net::barrier(all);
    if (all.rank == 1) raise(SIGKILL);
    net::barrier(all);
    return 0;
  });
  CHECK(end.exit_code == 128 + SIGKILL);
  CHECK(end.says("weft: rank 1 of 3 (process "));
  CHECK(end.says(") was killed by signal 9 (Killed)"));
  CHECK(end.says(" while it held the number 41; the other ranks were ended\n"));
  CHECK(end.lines() == 1);
}
