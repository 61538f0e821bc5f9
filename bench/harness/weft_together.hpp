// Things that do not depend on each other, as Weft's threads and as its forks: see together.hpp.
#pragma once

#include <cstddef>
#include <tuple>

#include <weft/fork.hpp>

#include "harness/children.hpp"
#include "harness/must.hpp"

namespace bench {

struct as_threads {
  template <class... Parts>
  static void run(const Parts&... parts) noexcept {
    run_first<sizeof...(Parts)>(std::tie(parts...));
  }

  template <class Record>
  static void run_all(Record* first, std::size_t count) {
    records<weft_thread*, 64> threads(count);
    auto const run_record = [](void* record) { static_cast<Record*>(record)->run(); };
    must(weft_thread_create_many(run_record, first, sizeof(Record), count, nullptr, threads.first()), "weft_thread_create_many");
    must(weft_thread_join_many(threads.first(), count), "weft_thread_join_many");
  }

 private:
  template <std::size_t Count, class Parts>
  static void run_first(const Parts& parts) noexcept {
    weft_thread* const last = start(std::get<Count - 1>(parts));
    if constexpr (Count > 1) run_first<Count - 1>(parts);
    join(last);
  }
  template <class Part>
  static weft_thread* start(const Part& part) {
    return create([](void* argument) { (*static_cast<const Part*>(argument))(); }, const_cast<Part*>(&part));
  }
};

// As above; the first part is a plain call.
struct as_forks {
  template <class... Parts>
  static void run(const Parts&... parts) noexcept {
    run_first<sizeof...(Parts)>(std::tie(parts...));
  }

  template <class Record>
  static void run_all(Record* first, std::size_t count) noexcept {
    if (count == 1) return first->run();
    std::size_t const half = count / 2;
    auto upper = weft::fork([=] { run_all(first + half, count - half); });
    run_all(first, half);
    upper.join();
  }

 private:
  template <std::size_t Count, class Parts>
  static void run_first(const Parts& parts) noexcept {
    if constexpr (Count == 1) {
      std::get<0>(parts)();
    } else {
      auto last = weft::fork([part = &std::get<Count - 1>(parts)] { (*part)(); });
      run_first<Count - 1>(parts);
      last.join();
    }
  }
};

}  // namespace bench
