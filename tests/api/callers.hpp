// Runs a test's body on 1, 2, 4 and 16 workers, each time by every kind of caller: the main thread,
// a ULT, a tasklet, an OS thread outside.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

#include <doctest/doctest.h>
#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

// Sanitizers make the frames of std::sort large.
inline weft::runtime_config config_of(unsigned workers) { return {.workers = workers, .stack_bytes = 1 << 18}; }

inline void by_every_caller(const std::function<void()>& body) {
  const auto as = [&body](std::string_view caller) {
    CAPTURE(caller);
    body();
  };
  as("before weft_init");
  for (unsigned workers : {1U, 2U, 4U, 16U}) {
    CAPTURE(workers);
    const weft::runtime runtime(config_of(workers));
    as("main");
    weft::thread(body).join();  // without CAPTURE, which is bound to the OS thread
    std::function<void()> in_tasklet = body;
    weft_thread* tasklet = nullptr;
    REQUIRE(weft_tasklet_create([](void* call) { (*static_cast<std::function<void()>*>(call))(); }, &in_tasklet, nullptr,
                                &tasklet) == WEFT_OK);
    REQUIRE(weft_thread_join(tasklet) == WEFT_OK);
    weft::latch has_ended(1);  // not join, which would keep a worker from its threads
    std::thread outside([&] {
      as("outside");
      has_ended.count_down();
    });
    has_ended.wait();
    outside.join();
  }
}

// Whether the caller's children can run elsewhere, so that it may wait for something that they do.
inline bool is_parallel() { return weft_worker_count() > 1 && weft_self() != nullptr && !weft_thread_is_tasklet(weft_self()); }
