// boost::fibers::cuda::waitfor_all and hip::waitfor_all, by the headers of weft/boost, on drivers
// that do nothing (fake_device.h) and with stand-ins for the headers of CUDA and HIP. With
// CUDA_API_PER_THREAD_DEFAULT_STREAM and its like for HIP, null is the caller's own stream.
#include <boost/fiber/all.hpp>
#include <boost/fiber/cuda/waitfor.hpp>
#include <boost/fiber/hip/waitfor.hpp>

#include <doctest/doctest.h>

#include <tuple>
#include <type_traits>
#include <vector>

#include "fake_device.h"

namespace fibers = boost::fibers;

namespace {

fake_work working(int left, int error = 0) { return {left, error, 0, fake_cuda_context(0)}; }

cudaStream_t cuda_stream(fake_work& work) { return reinterpret_cast<cudaStream_t>(&work); }
hipStream_t hip_stream(fake_work& work) { return reinterpret_cast<hipStream_t>(&work); }

template <class Body>
void in_a_fiber(Body body) {
  fibers::fiber(body).join();
}

}  // namespace

TEST_CASE("one stream: another fiber runs meanwhile") {
  in_a_fiber([] {
    fake_work work = working(FAKE_UNTIL_TOLD), other = working(FAKE_UNTIL_TOLD, FAKE_LAUNCH_FAILED);
    fibers::fiber device([&] { fake_end(&work); });
    const std::tuple<cudaStream_t, cudaError_t> done = fibers::cuda::waitfor_all(cuda_stream(work));
    CHECK(std::get<0>(done) == cuda_stream(work));
    CHECK(std::get<1>(done) == cudaSuccess);
    device.join();
    fibers::fiber other_device([&] { fake_end(&other); });
    const std::tuple<hipStream_t, hipError_t> failed = fibers::hip::waitfor_all(hip_stream(other));
    CHECK(std::get<0>(failed) == hip_stream(other));
    CHECK(static_cast<int>(std::get<1>(failed)) == FAKE_LAUNCH_FAILED);
    other_device.join();
  });
}

TEST_CASE("several streams: each with its own error") {
  in_a_fiber([] {
    fake_work works[3] = {working(7), working(2, FAKE_LAUNCH_FAILED), working(0)};
    const auto done = fibers::cuda::waitfor_all(cuda_stream(works[0]), cuda_stream(works[1]), cuda_stream(works[2]));
    static_assert(std::is_same_v<decltype(done), const std::vector<std::tuple<cudaStream_t, cudaError_t>>>);
    REQUIRE(done.size() == 3);
    for (std::size_t each = 0; each < 3; ++each) {
      CHECK(std::get<0>(done[each]) == cuda_stream(works[each]));
      CHECK(static_cast<int>(std::get<1>(done[each])) == works[each].error);
      CHECK(fake_get(&works[each].left) == 0);
      works[each].left = 2;
    }
    const auto hip_done = fibers::hip::waitfor_all(hip_stream(works[0]), hip_stream(works[1]));
    static_assert(std::is_same_v<decltype(hip_done), const std::vector<std::tuple<hipStream_t, hipError_t>>>);
    REQUIRE(hip_done.size() == 2);
    CHECK(static_cast<int>(std::get<1>(hip_done[1])) == FAKE_LAUNCH_FAILED);
    works[0].left = 2;
    CHECK(std::get<1>(fibers::cuda::waitfor_all(hip_stream(works[0]))) == hipSuccess);  // where Boost's header has it
  });
}

TEST_CASE("null is the default stream that the program is compiled for") {
  in_a_fiber([] {
    fake_cuda_set_current(fake_cuda_context(1));
    fake_hip_set_current(fake_hip_context(1));
    fake_set(&fake_cuda_context(1)->default_stream.left, 2);
    fake_set(&fake_hip_context(1)->default_stream.left, 2);
    fake_set(&fake_cuda_own_stream()->left, 4);
    fake_set(&fake_hip_own_stream()->left, 4);
    CHECK(std::get<0>(fibers::cuda::waitfor_all(cudaStream_t{})) == nullptr);
    CHECK(std::get<0>(fibers::hip::waitfor_all(hipStream_t{})) == nullptr);
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    CHECK(fake_get(&fake_cuda_own_stream()->left) == 0);
    CHECK(fake_get(&fake_hip_own_stream()->left) == 0);
#else
    CHECK(fake_get(&fake_cuda_context(1)->default_stream.left) == 0);
    CHECK(fake_get(&fake_hip_context(1)->default_stream.left) == 0);
#endif
  });
  CHECK(fake_cuda_wrong_calls() + fake_hip_wrong_calls() == 0);
  CHECK(fake_cuda_events() + fake_hip_events() == 0);
}
