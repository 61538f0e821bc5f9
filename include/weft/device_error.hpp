// weft::device_error: what the driver of a GPU said of a stream or an event that was waited for.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <weft/error.hpp>

namespace weft {

// The error that ended a wait of cuda.hpp or hip.hpp. It compares equal to errc::invalid.
class device_error : public error {
 public:
  // Makes an error of the driver's number. words is what what() says. Throws std::bad_alloc. Never
  // switches. Callable from any.
  device_error(int driver_code, const char* words) : error(WEFT_INVALID, words), driver_code_(driver_code) {}

  // Returns the driver's number: a CUresult or cudaError_t, or a hipError_t.
  int driver_code() const noexcept { return driver_code_; }

 private:
  int driver_code_;
};

}  // namespace weft
