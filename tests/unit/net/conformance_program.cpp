// The conformance program of transports: each test starts it in another way.
#include <cstdio>

#include "conformance.hpp"

int main() {
  weft::net::job_request request;
  request.region_bytes = 256 << 10;
  request.shared_bytes = 64 << 10;
  request.words_bytes = 64 << 10;
  weft::net::job all;
  if (weft::net::start(request, &all) != weft::status::ok) return 1;
  if (!weft::test::conformance(all).run()) return 1;
  weft::net::barrier(all);
  if (all.rank == 0) std::printf("%d ranks conform over %s\n", all.ranks, all.network->by->name);
  return 0;
}
