// loops.h: C arguments become jobs of the loops' engine.

#include <weft/loops.h>

#include <cstring>
#include <utility>

#include <weft/detail/divide.hpp>
#include <weft/detail/divide_by_value.hpp>

#include "base/failure.hpp"

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

// Indexes of a part by value. One word holds the grain or, without a grain, the number of parts
// that they may be divided into.
class share_of_indexes {
 public:
  explicit share_of_indexes(const indexes& all) : begin_(all.begin), end_(all.end), grain_(all.grain) {
    if (grain_ == 0) divide_into(weft::detail::parts_to_begin_with());
  }

  [[nodiscard]] size_t begin() const { return begin_; }
  [[nodiscard]] size_t end() const { return end_; }
  [[nodiscard]] bool is_divisible() const {
    return has_grain() ? end_ - begin_ > grain_ : (grain_ & ~without_grain) > 1 && end_ - begin_ > 1;
  }
  void divide_into(unsigned parts) {
    if (grain_ == 0 || !has_grain()) grain_ = without_grain | parts;
  }
  share_of_indexes split() {
    if (!has_grain()) grain_ = without_grain | (grain_ & ~without_grain) / 2;
    share_of_indexes later = *this;
    end_ = begin_ + (end_ - begin_) / 2;
    later.begin_ = end_;
    return later;
  }

 private:
  static constexpr size_t without_grain = ~(~size_t{0} >> 1);
  [[nodiscard]] bool has_grain() const { return (grain_ & without_grain) == 0; }

  size_t begin_;
  size_t end_;
  size_t grain_;
};

struct loop_value {
  struct outcome {};
  share_of_indexes part;
  void (*body)(size_t from, size_t to, void* argument);
  void* argument;

  [[nodiscard]] bool is_divisible() const { return part.is_divisible(); }
  loop_value split() { return {part.split(), body, argument}; }
  void divide_into(unsigned parts) { part.divide_into(parts); }
  [[nodiscard]] outcome run() const {
    body(part.begin(), part.end(), argument);
    return {};
  }
  [[nodiscard]] outcome append(const outcome&, const outcome&) const { return {}; }
};
static_assert(weft::detail::value_part<loop_value>);

// Carries the address of the identity besides, so that a fork tells whether that, too, may move.
struct reduce_value {
  struct outcome {
    alignas(16) unsigned char value[WEFT_FORK_BYTES];
  };
  share_of_indexes part;
  const weft_reduction* how;
  void* argument;
  const void* identity;

  [[nodiscard]] bool is_divisible() const { return part.is_divisible(); }
  reduce_value split() { return {part.split(), how, argument, identity}; }
  void divide_into(unsigned parts) { part.divide_into(parts); }
  [[nodiscard]] outcome run() const {
    outcome result;
    std::memcpy(result.value, identity, how->value_bytes);
    how->body(part.begin(), part.end(), argument, result.value);
    return result;
  }
  [[nodiscard]] outcome append(const outcome& earlier, const outcome& later) const {
    outcome result = earlier;
    how->combine(result.value, later.value, argument);
    return result;
  }
};
static_assert(weft::detail::value_part<reduce_value>);

constexpr char name_of_for[] = "weft_parallel_for";
constexpr char name_of_reduce[] = "weft_parallel_reduce";

// WEFT_OK: the range is one.
weft_status refusal_of(const char* call, size_t begin, size_t end) {
  if (begin <= end) return WEFT_OK;
  return weft::fail(WEFT_INVALID, call, "end", "it is below begin, by %u", nullptr, begin - end);
}

weft_status refuse_part(const char* cause) { return weft::fail(WEFT_INVALID, name_of_reduce, "how", cause); }

weft_status refusal_of(const weft_reduction* how) {
  if (how == nullptr) return weft::fail_on_null(name_of_reduce, "how");
  if (how->identity == nullptr) return refuse_part("its identity is null");
  if (how->body == nullptr) return refuse_part("its body is null");
  if (how->combine == nullptr) return refuse_part("its combine is null");
  if (how->value_bytes != 0 && how->value_bytes <= WEFT_REDUCE_BYTES) return WEFT_OK;
  static_assert(WEFT_REDUCE_BYTES == 256);
  return weft::fail(WEFT_INVALID, name_of_reduce, "how", "value_bytes is %u; 1 to 256 (WEFT_REDUCE_BYTES) are possible", nullptr,
                    how->value_bytes);
}

}  // namespace

extern "C" {

weft_status weft_parallel_for(size_t begin, size_t end, size_t grain, void (*body)(size_t from, size_t to, void* argument),
                              void* argument) {
  if (body == nullptr) return weft::fail_on_null(name_of_for, "body");
  if (const weft_status refused = refusal_of(name_of_for, begin, end); refused != WEFT_OK) return refused;
  if (begin == end) return WEFT_OK;
  if (weft_forks_move()) {
    (void)weft::detail::divide_by_value(loop_value{share_of_indexes({begin, end, grain}), body, argument});
    return WEFT_OK;
  }
  loop_job all{{begin, end, grain}, body, argument};
  weft::detail::divide(all);
  return WEFT_OK;
}

weft_status weft_parallel_reduce(size_t begin, size_t end, size_t grain, const weft_reduction* how, void* argument, void* out) {
  if (const weft_status refused = refusal_of(how); refused != WEFT_OK) return refused;
  if (out == nullptr) return weft::fail_on_null(name_of_reduce, "out");
  if (const weft_status refused = refusal_of(name_of_reduce, begin, end); refused != WEFT_OK) return refused;
  if (begin == end) {
    std::memmove(out, how->identity, how->value_bytes);
    return WEFT_OK;
  }
  if (weft_forks_move() && how->value_bytes <= sizeof(reduce_value::outcome)) {
    const reduce_value all{share_of_indexes({begin, end, grain}), how, argument, how->identity};
    std::memcpy(out, weft::detail::divide_by_value(all).value, how->value_bytes);
    return WEFT_OK;
  }
  reduce_job all({begin, end, grain}, how, argument);
  weft::detail::divide(all);
  std::memcpy(out, all.value, how->value_bytes);
  return WEFT_OK;
}

}  // extern "C"
