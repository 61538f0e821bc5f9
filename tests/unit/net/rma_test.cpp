// The operations of rma.hpp between ranks of one node; conformance.hpp has what holds for every
// transport.
#include <doctest/doctest.h>

#include <cstring>

#include "job_scene.hpp"
#include "net/rma.hpp"

using namespace weft;
using net::shm;
using test::child_end;
using test::plain_request;
using test::run_job;

TEST_CASE("bytes that were put are what the target reads, in both parts") {
  const child_end end = run_job("3", plain_request(), [](const net::job& all) {
    for (const net::part which : {net::part::region, net::part::shared}) {
      net::window opened;
      NEED(shm.region_create(all, which, &opened) == status::ok);
      const int next = (all.rank + 1) % all.ranks;
      char text[16] = "from rank x";
      text[10] = static_cast<char>('0' + all.rank);
      shm.put(opened, next, 100, text, sizeof text);
      shm.flush(opened, next);
      net::barrier(all);
      const std::byte* const own =
          which == net::part::region ? all.region : opened.ranks + static_cast<std::size_t>(all.rank) * opened.bytes;
      NEED(reinterpret_cast<const char*>(own)[110] == '0' + (all.rank + all.ranks - 1) % all.ranks);
      char got[16] = "";
      shm.get(opened, next, 100, got, sizeof got);
      shm.flush(opened, next);
      NEED(std::strcmp(got, text) == 0);
      NEED(std::memcmp(shm.alias(opened, next, 100), text, sizeof text) == 0);
      net::barrier(all);
    }
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("words are changed at once") {
  const child_end end = run_job("4", plain_request(), [](const net::job& all) {
    constexpr std::uint64_t times = 20'000;
    net::window words;
    NEED(shm.region_create(all, net::part::shared, &words) == status::ok);
    for (std::uint64_t i = 0; i < times; ++i) {
      shm.fetch_add(words, 2, 8, 3);
      std::uint64_t seen = 0;
      for (std::uint64_t old; (old = shm.compare_swap(words, 1, 16, seen, seen + 5)) != seen; seen = old) shm.progress(words);
    }
    net::barrier(all);
    NEED(shm.fetch_add(words, 2, 8, 0) == 4 * 3 * times);
    NEED(shm.compare_swap(words, 1, 16, 0, 1) == 4 * 5 * times);
    return 0;
  });
  CHECK(end.exit_code == 0);
  CHECK(end.errors == "");
}

TEST_CASE("a job without a region has no window on it") {
  net::job_request request = plain_request();
  request.region_bytes = 0;
  const child_end end = run_job("2", request, [](const net::job& all) {
    net::window opened;
    NEED(shm.region_create(all, net::part::region, &opened) == status::invalid);
    return 0;
  });
  CHECK(end.exit_code == 0);
}

#ifdef WEFT_CHECKED
TEST_CASE("what lies outside of a window is named") {
  const auto last_words = [](auto use) {
    return run_job("1", plain_request(), [use](const net::job& all) {
      net::window opened;
      NEED(shm.region_create(all, net::part::shared, &opened) == status::ok);
      use(opened);
      return 0;
    });
  };
  CHECK(last_words([](const net::window& in) { shm.fetch_add(in, 0, in.bytes, 1); }).says("past the end of a window"));
  CHECK(last_words([](const net::window& in) { shm.fetch_add(in, 0, 4, 1); }).says("not aligned"));
  CHECK(last_words([](const net::window& in) { shm.fetch_add(in, 1, 0, 1); }).says("a rank that the job does not have"));
}
#endif
