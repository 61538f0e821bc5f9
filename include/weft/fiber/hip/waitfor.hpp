// weft::fibers::hip::waitfor_all: Boost.Fiber's, by polling instead of a callback. It needs HIP's
// headers for the types alone.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <hip/hip_runtime_api.h>

#include <concepts>
#include <tuple>
#include <vector>

#include <weft/hip.hpp>

namespace weft::fibers::hip {

static_assert(std::same_as<hipStream_t, ihipStream_t*>,
              "HIP stands on CUDA here: its streams are CUDA's, for weft/fiber/cuda/waitfor.hpp");

namespace detail {

// What null means where the program is compiled with -fgpu-default-stream=per-thread.
inline hipStream_t named(hipStream_t stream) noexcept {
#if defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
  return stream == nullptr ? hipStreamPerThread : stream;
#else
  return stream;
#endif
}

}  // namespace detail

// Waits until all work of the stream is done. Returns the stream, and hipSuccess or the error that
// the library returned for it. Throws weft::error: unsupported (the library was not found),
// cannot_block (a tasklet). May switch. Callable from any.
inline std::tuple<hipStream_t, hipError_t> waitfor_all(hipStream_t stream) {
  weft::detail::device_wait wait = weft::hip::detail::wait_of(detail::named(stream));
  return {stream, static_cast<hipError_t>(wait.code_after(wait.until(WEFT_FOREVER)))};
}

// Waits until all work of all the streams is done. Returns what waitfor_all returns for each, in the
// order of the arguments. Throws what waitfor_all of one stream throws, and std::bad_alloc. May
// switch. Callable from any.
template <std::same_as<hipStream_t>... Streams>
  requires(sizeof...(Streams) > 0)
std::vector<std::tuple<hipStream_t, hipError_t>> waitfor_all(hipStream_t first, Streams... others) {
  return {waitfor_all(first), waitfor_all(others)...};
}

}  // namespace weft::fibers::hip

// Boost's header for HIP has its function in this namespace.
namespace weft::fibers::cuda {
using hip::waitfor_all;
}  // namespace weft::fibers::cuda
