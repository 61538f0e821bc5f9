// What brings the elements that a predicate chooses next to each other, in their order. Each chunk
// is gone through by one worker, and its place follows from how many the chunks before it keep.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/detail/merging.hpp>
#include <weft/detail/policy.hpp>
#include <weft/parallel_for.hpp>

namespace weft::detail {

inline constexpr std::size_t least_to_pack_in_parallel = 4096;

inline bool packs_in_parallel(std::size_t size) { return size >= least_to_pack_in_parallel && has_helpers(); }

struct chunk {
  std::size_t begin;
  std::size_t end;
  std::size_t kept;    // how many elements are chosen
  std::size_t before;  // how many are chosen in earlier chunks
};

class chunks {
 public:
  explicit chunks(std::size_t size) {
    const std::size_t count = std::min<std::size_t>(parts_to_begin_with(), size / (least_to_pack_in_parallel / 4));
    const std::size_t each = size / count, rest = size % count;
    for (std::size_t k = 0; k < count; ++k) {
      all_.push_back({k * each + std::min(k, rest), (k + 1) * each + std::min(k + 1, rest), 0, 0});
    }
  }

  template <class Run>
  void run(const Run& run) {
    weft::parallel_for(range<std::size_t>(0, all_.size(), 1), [&](std::size_t k) { run(all_[k]); });
  }
  // Sums up what the chunks keep. Returns how many elements that are.
  std::size_t place() {
    std::size_t sum = 0;
    for (chunk& each : all_) {
      each.before = sum;
      sum += each.kept;
    }
    return sum;
  }
  const std::vector<chunk>& all() const { return all_; }

 private:
  std::vector<chunk> all_;
};

// Which of [0, size) are chosen.
class choice {
 public:
  template <class IsChosen>
  choice(std::size_t size, const IsChosen& is_chosen) : chunks_(size), flags_(new unsigned char[size]) {
    chunks_.run([&](chunk& each) {
      std::size_t kept = 0;
      for (std::size_t i = each.begin; i != each.end; ++i) {
        const bool is = static_cast<bool>(is_chosen(i));
        flags_[i] = is;
        kept += is;
      }
      each.kept = kept;
    });
    chosen_ = chunks_.place();
  }

  std::size_t chosen() const { return chosen_; }
  // Calls put(i, place among the chosen ones) for each that is chosen.
  template <class Put>
  void for_chosen(const Put& put) {
    chunks_.run([&](const chunk& each) {
      std::size_t place = each.before;
      for (std::size_t i = each.begin; i != each.end; ++i) {
        if (flags_[i] != 0) put(i, place++);
      }
    });
  }
  // Calls put(i, place among all if the chosen ones come first) for each.
  template <class Put>
  void for_both(const Put& put) {
    chunks_.run([&](const chunk& each) {
      std::size_t chosen = each.before, other = chosen_ + each.begin - each.before;
      for (std::size_t i = each.begin; i != each.end; ++i) put(i, flags_[i] != 0 ? chosen++ : other++);
    });
  }

 private:
  chunks chunks_;
  std::unique_ptr<unsigned char[]> flags_;
  std::size_t chosen_ = 0;
};

template <class Iterator, class Output, class IsChosen>
Output copy_chosen(Iterator first, std::size_t size, Output out, const IsChosen& is_chosen) {
  choice chosen(size, is_chosen);
  chosen.for_chosen([&](std::size_t i, std::size_t place) { *detail::at(out, place) = *detail::at(first, i); });
  return detail::at(out, chosen.chosen());
}

template <class Iterator, class Predicate>
Iterator run_stable_partition(Iterator first, std::size_t size, const Predicate& predicate) {
  using value = std::iter_value_t<Iterator>;
  if constexpr (std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>) {
    if (packs_in_parallel(size)) {
      const raw_buffer<value> buffer(size);
      if (buffer.begin() != nullptr) {
        choice chosen(size, [&](std::size_t i) { return std::invoke(predicate, *detail::at(first, i)); });
        chosen.for_both([&](std::size_t i, std::size_t place) {
          std::construct_at(buffer.begin() + place, std::move(*detail::at(first, i)));
        });
        detail::run_parts(size, [&](std::size_t begin, std::size_t end) {
          std::move(buffer.begin() + begin, buffer.begin() + end, detail::at(first, begin));
        });
        buffer.destroy_values();
        return detail::at(first, chosen.chosen());
      }
    }
  }
  return std::stable_partition(first, detail::at(first, size), detail::passed(predicate));
}

// Moves [first, last) to an earlier place. Returns the end of what was moved.
template <class Iterator>
Iterator move_down(Iterator first, Iterator last, Iterator to) {
  const std::size_t size = detail::size_between(first, last);
  if (to == first) return last;
  if (detail::size_between(to, first) < size || size < least_to_pack_in_parallel) return std::move(first, last, to);
  weft::parallel_for(range<std::size_t>(0, size), [&](const range<std::size_t>& part) {
    std::move(detail::at(first, part.begin()), detail::at(first, part.end()), detail::at(to, part.begin()));
  });
  return detail::at(to, size);
}

// Removes from each chunk, and moves what is left together. remove(begin, end) returns the new end.
template <class Iterator, class Remove, class IsJoined>
Iterator run_removal(Iterator first, std::size_t size, const Remove& remove, const IsJoined& is_joined) {
  chunks parts(size);
  parts.run([&](chunk& each) {
    const Iterator begin = detail::at(first, each.begin);
    each.kept = detail::size_between(begin, remove(begin, detail::at(first, each.end)));
  });
  Iterator end = first;
  for (const chunk& each : parts.all()) {
    Iterator begin = detail::at(first, each.begin);
    const Iterator last = detail::at(begin, each.kept);
    if (begin != last && end != first && is_joined(*(end - 1), *begin)) ++begin;
    end = detail::move_down(begin, last, end);
  }
  return end;
}

}  // namespace weft::detail
