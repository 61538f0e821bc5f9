// Jobs as children of a test.
#pragma once

#include <cstdlib>

#include "../../support/child.hpp"
#include "net/job.hpp"

namespace weft::test {

inline net::job_request plain_request() {
  net::job_request request;
  request.region_bytes = 256 << 10;
  request.shared_bytes = 4096;
  return request;
}

// body(job) runs in each rank; its int is the rank's exit status.
template <class Body>
child_end run_job(const char* ranks, const net::job_request& request, Body body) {
  return run_in_child([&] {
    setenv("WEFT_LAUNCH_RANKS", ranks, 1);
    net::job all;
    if (net::start(request, &all) != status::ok) return 99;
    return body(all);
  });
}

}  // namespace weft::test
