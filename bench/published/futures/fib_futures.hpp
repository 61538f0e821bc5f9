// fib with two futures a call, as a program that times itself: one text for every implementation of
// futures.
//
//   fib-futures-WAY N     prints {"format": "weft-figures-1", ...}; bench/published/fib_threshold.py reads it
//
// Calls with n < 10 are plain calls. A way is a file of this folder: a class with
//   async(function, n)    a future, by whose get() the result of function(n) comes
//   start()               called first
//   version(), settings() words for the table
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness/memory.hpp"
#include "kernels/fib/fib.hpp"

namespace bench::futures {

template <class Way>
std::uint64_t fib(std::uint64_t n) {
  if (n < bench::fib::cutoff) return bench::fib::plain(n);
  auto left = Way::async(fib<Way>, n - 1);
  auto right = Way::async(fib<Way>, n - 2);
  const std::uint64_t result = left.get();
  return result + right.get();
}

inline void print(std::uint64_t n, bool is_correct, double seconds, const std::string& version, const std::string& settings) {
  std::printf(
      "{\"format\": \"weft-figures-1\", \"correct\": %s, \"figures\": {\"seconds\": %.9f, \"peak_bytes\": %llu}, "
      "\"facts\": {\"size\": %llu, \"units\": %llu, \"version\": \"%s\", \"settings\": \"%s\"}}\n",
      is_correct ? "true" : "false", seconds, static_cast<unsigned long long>(read_process_memory().peak_resident_bytes),
      static_cast<unsigned long long>(n), static_cast<unsigned long long>(bench::fib::calls(n, bench::fib::cutoff)),
      version.c_str(), settings.c_str());
}

template <class Way>
int run(int count, char** words) {
  const std::uint64_t n = count == 2 ? std::strtoull(words[1], nullptr, 10) : 0;
  if (n < 1 || n > 60) {
    std::fprintf(stderr, "usage: %s N, with N from 1 to 60\n", words[0]);
    return 2;
  }
  Way::start();
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t result = fib<Way>(n);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  print(n, result == bench::fib::answer(n), took.count(), Way::version(), Way::settings());
  return 0;
}

}  // namespace bench::futures
