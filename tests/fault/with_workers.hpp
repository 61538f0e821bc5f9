// What the tests of families of calls share: runtimes whose start may be refused, and threads some
// of which may be.
#pragma once

#include <weft/ext.h>
#include <weft/weft.h>

#include <initializer_list>
#include <vector>

#include "fault_test.hpp"
#include "refusal.hpp"

namespace weft::fault_test::families {

// Every call of the seam is failed in every API program by everywhere.py: here fewer occurrences
// do.
template <class Body>
void each_failure_or_last_words(std::initializer_list<os::call> calls, Body body) {
  fault_test::each_failure_or_last_words(calls, body, 8);
}

// use() in a runtime of its own.
template <class Use>
bool with_runtime(weft_config config, Use use) {
  if (const weft_status started = weft_init(&config); started != WEFT_OK) return is_refusal(started) && !weft_is_initialized();
  const bool good = use();
  return weft_finalize() == WEFT_OK && good;
}

template <class Use>
bool with_workers(unsigned workers, Use use) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  return with_runtime(config, use);
}

// Starts count threads of which some may be refused, and joins those that there are. Their number,
// or -1.
inline int run_threads(int count, weft_function function, void* argument, weft_pool* pool = nullptr) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.pool = pool;
  std::vector<weft_thread*> threads;
  bool good = true;
  for (int i = 0; i < count; ++i) {
    weft_thread* made = nullptr;
    const weft_status created = weft_thread_create(function, argument, &attr, &made);
    good = fine(created) && good;
    if (created == WEFT_OK) threads.push_back(made);
  }
  for (weft_thread* one : threads) good = weft_thread_join(one) == WEFT_OK && good;
  return good ? static_cast<int>(threads.size()) : -1;
}

// weft_scheduler_ops::next of a worker that runs what is in a pool.
inline weft_thread* take_from_pool(void* pool, unsigned) { return weft_ext_pool_pop(static_cast<weft_pool*>(pool)); }

}  // namespace weft::fault_test::families
