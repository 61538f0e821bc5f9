// loops.h: C arguments become jobs of the loops' engine.

#include <weft/loops.h>

#include <cstring>
#include <utility>

#include <weft/detail/divide.hpp>

namespace {

struct indexes {
  size_t begin;
  size_t end;
  size_t grain;

  bool is_divisible(bool is_wanted) const {
    const size_t size = end - begin;
    return grain != 0 ? size > grain : is_wanted && size > 1;
  }
  indexes split() {
    const size_t middle = begin + (end - begin) / 2;
    return {middle, std::exchange(end, middle), grain};
  }
};

struct loop_job {
  indexes part;
  void (*body)(size_t from, size_t to, void* argument);
  void* argument;

  bool is_divisible(bool is_wanted) const { return part.is_divisible(is_wanted); }
  loop_job split() { return {part.split(), body, argument}; }
  void run() { body(part.begin, part.end, argument); }
  void append(const loop_job&) {}
};

struct reduce_job {
  indexes part;
  const weft_reduction* how;
  void* argument;
  alignas(16) unsigned char value[WEFT_REDUCE_BYTES];

  reduce_job(indexes own_part, const weft_reduction* reduction, void* its_argument)
      : part(own_part), how(reduction), argument(its_argument) {}
  bool is_divisible(bool is_wanted) const { return part.is_divisible(is_wanted); }
  reduce_job split() { return {part.split(), how, argument}; }
  void run() {
    std::memcpy(value, how->identity, how->value_bytes);
    how->body(part.begin, part.end, argument, value);
  }
  void append(const reduce_job& later) { how->combine(value, later.value, argument); }
};

bool is_good(const weft_reduction* how) {
  return how != nullptr && how->value_bytes != 0 && how->value_bytes <= WEFT_REDUCE_BYTES && how->identity != nullptr &&
         how->body != nullptr && how->combine != nullptr;
}

}  // namespace

extern "C" {

weft_status weft_parallel_for(size_t begin, size_t end, size_t grain, void (*body)(size_t from, size_t to, void* argument),
                              void* argument) {
  if (body == nullptr || end < begin) return WEFT_INVALID;
  if (begin == end) return WEFT_OK;
  loop_job all{{begin, end, grain}, body, argument};
  weft::detail::divide(all);
  return WEFT_OK;
}

weft_status weft_parallel_reduce(size_t begin, size_t end, size_t grain, const weft_reduction* how, void* argument, void* out) {
  if (!is_good(how) || out == nullptr || end < begin) return WEFT_INVALID;
  if (begin == end) {
    std::memmove(out, how->identity, how->value_bytes);
    return WEFT_OK;
  }
  reduce_job all({begin, end, grain}, how, argument);
  weft::detail::divide(all);
  std::memcpy(out, all.value, how->value_bytes);
  return WEFT_OK;
}

}  // extern "C"
