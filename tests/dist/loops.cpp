// Loops and reductions on several ranks. Those of values are divided among the ranks: the part of
// index 0 ends only once the last index has been run, which one rank alone would do after it,
// unless forkers go on: then one rank may run all. Those that hold addresses stay on one rank, and
// are right.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weft/loops.h>
#include <weft/algorithm.hpp>
#include <weft/dist.hpp>
#include <weft/parallel_for.hpp>
#include <weft/parallel_reduce.hpp>
#include <weft/parallel_sort.hpp>

#include "policy.hpp"
#include "shared_words.hpp"

namespace {

constexpr int size = 500;
constexpr int last_has_run = 8, visits = 16;  // words; those before count the visits of each rank

shared_words* words;

void visit(int index) {
  if (index == size - 1) (*words)[last_has_run].store(1);
  if (index == 0 && weft::dist::ranks() > 1) words->wait_for(last_has_run, 1);
  ++(*words)[weft::dist::rank()];
  ++(*words)[visits + index];
}

int ranks_that_ran() {
  int count = 0;
  for (int rank = 0; rank < weft::dist::ranks(); ++rank) count += (*words)[rank].load() != 0 ? 1 : 0;
  return count;
}

bool is_once_each() {
  for (int index = 0; index < size; ++index) {
    if ((*words)[visits + index].load() != 1) return false;
  }
  return true;
}

void clear() {
  if (weft::dist::rank() == 0) {
    for (int word = 0; word < visits + size; ++word) (*words)[word].store(0);
  }
}

bool fail(const char* what) {
  std::printf("rank %d: %s\n", weft::dist::rank(), what);
  return false;
}

// A root whose loop visits each index once, on several ranks if there are several.
template <class Root>
bool divides(const char* what, Root root) {
  clear();
  if (!weft::dist::root(root)) return fail(what);
  const bool is_right = is_once_each() && (weft::dist::ranks() == 1 || forkers_go_on() || ranks_that_ran() > 1);
  weft::dist::root([] {});  // before the words are cleared
  return is_right || fail(what);
}

template <class Root>
bool holds(const char* what, Root root) {
  return weft::dist::root(root) || fail(what);
}

// x -> scale * x + offset, modulo 2^32: to do one after the other is associative, and not
// commutative.
struct affine {
  std::uint32_t scale, offset;
  bool operator==(const affine&) const = default;
};
affine then(affine first, affine second) { return {second.scale * first.scale, second.scale * first.offset + second.offset}; }
affine of_index(std::uint32_t index) { return {2 * index + 3, 7 * index + 1}; }

affine in_order() {
  affine all{1, 0};
  for (std::uint32_t index = 0; index < size; ++index) all = then(all, of_index(index));
  return all;
}

bool loops_of_values() {
  bool is_right = divides("parallel_for of indexes", [] {
    weft::parallel_for(0, size, [](int index) { visit(index); });
    return true;
  });
  is_right &= divides("parallel_for of parts with a grain, and a captured value", [] {
    const long offset = 1000 + weft::dist::ranks();
    weft::parallel_for(weft::range(offset, offset + size, 3), [offset](const weft::range<long>& part) {
      for (long index : {part.begin(), part.begin() + 1, part.begin() + 2}) {
        if (index < part.end()) visit(static_cast<int>(index - offset));
      }
    });
    return true;
  });
  is_right &= divides("parallel_for of two dimensions", [] {
    weft::parallel_for(weft::blocked_range(weft::range(0, size / 10), weft::range(0, 10)),
                       [](int row, int column) { visit(10 * row + column); });
    return true;
  });
  is_right &= divides("for_each of indexes", [] {
    weft::for_each(weft::range(0, size), visit);
    return true;
  });
  return is_right;
}

bool reductions_of_values() {
  const bool is_sum_right = divides("parallel_reduce to a sum", [] {
    const auto body = [](int index) {
      visit(index);
      return 0.5 * index;
    };
    return weft::parallel_reduce(0, size, 0.0, body, std::plus<>()) == 0.25 * size * (size - 1);
  });
  const bool is_order_right = divides("parallel_reduce in the order of the indexes", [] {
    const auto body = [](weft::range<std::uint32_t> part, affine all) {
      for (std::uint32_t index = part.begin(); index != part.end(); ++index) {
        visit(static_cast<int>(index));
        all = then(all, of_index(index));
      }
      return all;
    };
    return weft::parallel_reduce(weft::range<std::uint32_t>(0, size, 7), affine{1, 0}, body, then) == in_order();
  });
  return is_sum_right && is_order_right;
}

void visit_part(std::size_t from, std::size_t to, void*) {
  for (std::size_t index = from; index != to; ++index) visit(static_cast<int>(index));
}
void add_part(std::size_t from, std::size_t to, void* argument, void* value) {
  visit_part(from, to, argument);
  for (std::size_t index = from; index != to; ++index) {
    auto* const all = static_cast<affine*>(value);
    *all = then(*all, of_index(static_cast<std::uint32_t>(index)));
  }
}
void combine_parts(void* value, const void* later, void*) {
  auto* const all = static_cast<affine*>(value);
  *all = then(*all, *static_cast<const affine*>(later));
}
const affine nothing{1, 0};
const weft_reduction composition{sizeof nothing, &nothing, add_part, combine_parts};

bool loops_of_c() {
  bool is_right = true;
  for (std::size_t grain : {0U, 7U}) {
    is_right &= divides("weft_parallel_for", [=] { return weft_parallel_for(0, size, grain, visit_part, nullptr) == WEFT_OK; });
    is_right &= divides("weft_parallel_reduce", [=] {
      affine all{};
      return weft_parallel_reduce(0, size, grain, &composition, nullptr, &all) == WEFT_OK && all == in_order();
    });
  }
  return is_right;
}

// The exchange of the first and the last of numbers that are in the reverse order takes long enough
// for another rank to take what its forker left.
constexpr int numbers = 40000;
struct number {
  int value;
  bool operator<(const number& other) const { return value < other.value; }
  friend void swap(number& left, number& right) noexcept {
    if (left.value - right.value == numbers - 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::swap(left.value, right.value);
  }
};

template <class Sort>
bool sorts_what_is_reversed(Sort sort) {
  std::vector<number> all;
  for (int i = numbers; i > 0; --i) all.push_back({i});
  sort(all);
  return std::is_sorted(all.begin(), all.end()) && all.front().value == 1;
}

bool loops_of_addresses() {
  bool is_right = holds("a loop that captures references", [] {
    long sum = 0;
    bool is_ordered = true;
    int before = -1;
    weft::parallel_for(0, size, [&](int index) {
      sum += index;
      is_ordered &= index == before + 1;
      before = index;
    });
    return (is_ordered || forkers_go_on()) && sum == long{size} * (size - 1) / 2;
  });
  is_right &= holds("a loop over a vector", [] {
    std::vector<int> all(size, 1);
    weft::for_each(all, [](int& each) { ++each; });
    int sum = 0;
    for (int each : all) sum += each;
    return sum == 2 * size;
  });
  is_right &= holds("a sort of a vector", [] {
    return sorts_what_is_reversed([](std::vector<number>& all) { weft::parallel_sort(all, std::less<number>()); });
  });
  is_right &= holds("a sort of a vector with weft::par", [] {
    return sorts_what_is_reversed([](std::vector<number>& all) { weft::sort(weft::par, all, std::less<number>()); });
  });
  is_right &= holds("a reduction that lies on the stack", [] {
    const affine begin{1, 0};
    const weft_reduction how{sizeof begin, &begin,
                             [](std::size_t from, std::size_t to, void*, void* value) {
                               for (std::size_t index = from; index != to; ++index)
                                 static_cast<affine*>(value)->offset += static_cast<std::uint32_t>(index);
                             },
                             [](void* value, const void* later, void*) {
                               static_cast<affine*>(value)->offset += static_cast<const affine*>(later)->offset;
                             }};
    affine all{};
    return weft_parallel_reduce(0, size, 5, &how, nullptr, &all) == WEFT_OK && all.offset == size * (size - 1) / 2;
  });
  return is_right;
}

// The first exception in the order of the indexes, thrown here or on another rank.
bool throws_first(const char* what, void (*loop)()) {
  try {
    weft::dist::root([=] {
      try {
        loop();
      } catch (const weft::dist::remote_error& error) {
        if (error.type() == "std::out_of_range") throw std::out_of_range(error.what());
      }
    });
  } catch (const weft::dist::remote_error& error) {
    return error.what() == std::string("at 7") || fail(what);
  } catch (const std::out_of_range& error) {
    return error.what() == std::string("at 7") || fail(what);
  }
  return fail(what);
}

void fail_at(int index) {
  if (index == 7 || index == size - 1) throw std::out_of_range("at " + std::to_string(index));
}

bool exceptions() {
  const bool is_right = throws_first("parallel_for that throws", [] { weft::parallel_for(weft::range(0, size, 1), fail_at); });
  return throws_first("parallel_reduce that throws",
                      [] {
                        const auto body = [](int index) {
                          fail_at(index);
                          return index;
                        };
                        (void)weft::parallel_reduce(weft::range(0, size, 1), 0, body, std::plus<>());
                      }) &&
         is_right;
}

}  // namespace

int main() {
  words = new shared_words;
  bool is_right = loops_of_values();
  is_right &= reductions_of_values();
  is_right &= loops_of_c();
  is_right &= loops_of_addresses();
  is_right &= exceptions();
  return is_right ? 0 : 1;
}
