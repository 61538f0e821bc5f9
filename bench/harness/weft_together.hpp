// Things that do not depend on each other, as Weft's threads and as its forks: see together.hpp.
#pragma once

#include <cstddef>
#include <tuple>

#include <weft/fork.hpp>

#include "harness/must.hpp"

namespace bench {

struct as_threads {
  template <class... Parts>
  static void run(const Parts&... parts) noexcept {
    run_first<sizeof...(Parts)>(std::tie(parts...));
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
