// weft::fibers::cuda::waitfor_all: Boost.Fiber's, by polling instead of a callback. It needs CUDA's
// headers, of 10.1 or newer, for the types alone.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <cuda_runtime_api.h>

#include <concepts>
#include <tuple>
#include <vector>

#include <weft/cuda.hpp>

namespace weft::fibers::cuda {

static_assert(static_cast<int>(cudaErrorNotReady) == WEFT_DEVICE_NOT_READY,
              "weft::fibers::cuda needs CUDA 10.1 or newer, whose runtime numbers errors as the driver does");

namespace detail {

// What null means where the program is compiled with --default-stream per-thread.
inline cudaStream_t named(cudaStream_t stream) noexcept {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
  return stream == nullptr ? cudaStreamPerThread : stream;
#else
  return stream;
#endif
}

}  // namespace detail

// Waits until all work of the stream is done. Returns the stream, and cudaSuccess or the error that
// the driver returned for it. Throws weft::error: unsupported (the driver was not found),
// cannot_block (a tasklet). May switch. Callable from any.
inline std::tuple<cudaStream_t, cudaError_t> waitfor_all(cudaStream_t stream) {
  weft::detail::device_wait wait = weft::cuda::detail::wait_of(detail::named(stream));
  return {stream, static_cast<cudaError_t>(wait.code_after(wait.until(WEFT_FOREVER)))};
}

// Waits until all work of all the streams is done. Returns what waitfor_all returns for each, in the
// order of the arguments. Throws what waitfor_all of one stream throws, and std::bad_alloc. May
// switch. Callable from any.
template <std::same_as<cudaStream_t>... Streams>
  requires(sizeof...(Streams) > 0)
std::vector<std::tuple<cudaStream_t, cudaError_t>> waitfor_all(cudaStream_t first, Streams... others) {
  return {waitfor_all(first), waitfor_all(others)...};
}

}  // namespace weft::fibers::cuda
