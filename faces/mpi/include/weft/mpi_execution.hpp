// Requests of MPI as senders (P2300), beside those of weft/execution.hpp.
//
//   auto work = weft::as_sender(weft::mpi::completion(request)) | stdexec::then(count_of);
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <mpi.h>

#include <weft/execution.hpp>
#include <weft/mpi.hpp>

namespace weft {

// Returns a sender of the MPI_Status of a request. Its error is std::exception_ptr to
// mpi::request_error or weft::error; a stop ends the wait, and the request is then as it was.
[[nodiscard]] inline auto as_sender(mpi::completion one) noexcept {
  return detail::wait_sender<mpi::detail::request_source, detail::with_value<MPI_Status>, MPI_Request*>(one.request());
}

}  // namespace weft
