// weft::cuda and weft::hip: wait, wait_for and wait_until for streams and events, and the errors, on
// drivers that do nothing (fake_device.h).
#include <weft/cuda.hpp>
#include <weft/hip.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <system_error>

#include <weft/runtime.hpp>
#include <weft/thread.hpp>

#include "fake_device.h"

using namespace std::chrono_literals;

namespace {

using weft::cuda::wait;
using weft::cuda::wait_for;
using weft::cuda::wait_until;
using weft::hip::wait;
using weft::hip::wait_for;
using weft::hip::wait_until;

fake_work working(int left, int error = 0) { return {left, error, 0, fake_cuda_context(0)}; }

template <class Handle>
Handle* as(fake_work& work) {
  return reinterpret_cast<Handle*>(&work);
}

template <class Wait>
void in_all_forms(const Wait& wait, fake_work& work) {
  work = working(3);
  wait();
  CHECK(fake_get(&work.queries) == 4);
}

template <class Handle>
void waits(const std::string& call) {
  fake_work work = working(0);
  Handle* const handle = as<Handle>(work);
  in_all_forms([&] { wait(handle); }, work);
  in_all_forms([&] { CHECK(wait_for(handle, 1000s)); }, work);
  in_all_forms([&] { CHECK(wait_until(handle, std::chrono::steady_clock::now() + 1000s)); }, work);
  work = working(FAKE_UNTIL_TOLD);
  CHECK(!wait_for(handle, 1ms));
  CHECK(!wait_until(handle, std::chrono::system_clock::now() + 1ms));
  work = working(2, FAKE_LAUNCH_FAILED);
  try {
    wait(handle);
    FAIL("no error");
  } catch (const weft::device_error& error) {
    CHECK(error.driver_code() == FAKE_LAUNCH_FAILED);
    CHECK(error.code() == std::errc::invalid_argument);
    CHECK(std::string(error.what()).starts_with(call + ": argument "));
    CHECK(std::string(error.what()).find("719") != std::string::npos);
  }
  CHECK_THROWS_AS(static_cast<void>(wait_for(handle, 1s)), weft::device_error);
}

template <class Handle>
void waits_in_a_tasklet() {
  static fake_work never;
  never = working(FAKE_UNTIL_TOLD);
  weft_thread* tasklet = nullptr;
  const auto body = [](void*) {
    try {
      wait(as<Handle>(never));
      FAIL("no error");
    } catch (const weft::device_error&) {
      FAIL("not the driver's");
    } catch (const weft::error& error) {
      CHECK(error.status() == WEFT_CANNOT_BLOCK);
    }
  };
  REQUIRE(weft_tasklet_create(body, nullptr, nullptr, &tasklet) == WEFT_OK);
  REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
}

void all() {
  waits<CUstream_st>("weft_cuda_stream_wait");
  waits<CUevent_st>("weft_cuda_event_wait");
  waits<ihipStream_t>("weft_hip_stream_wait");
  waits<ihipEvent_t>("weft_hip_event_wait");
}

}  // namespace

TEST_CASE("streams and events: outside, in main, in a thread, in a tasklet") {
  all();
  const weft::runtime runtime({.workers = 2});
  all();
  weft::thread(all).join();
  waits_in_a_tasklet<CUstream_st>();
  waits_in_a_tasklet<ihipStream_t>();
  CHECK(fake_cuda_wrong_calls() + fake_hip_wrong_calls() == 0);
}
