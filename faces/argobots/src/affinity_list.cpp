#include "affinity_list.hpp"

namespace weft::abt {

namespace {

constexpr long most = 1 << 20;  // of anything: more is a slip

struct visitor {
  void (*each)(void* state, long number);
  void* state;
  long shift;

  void operator()(long number) const {
    if (each != nullptr) each(state, number + shift);
  }
};

class reader {
 public:
  explicit reader(const char* text) : at_(text) {}

  bool is_good() const { return is_good_; }
  bool is_at_end() {
    skip_spaces();
    return *at_ == '\0';
  }
  const char* place() const { return at_; }

  bool take(char expected) {
    skip_spaces();
    if (*at_ != expected) return false;
    ++at_;
    return true;
  }
  void expect(char expected) { is_good_ = take(expected) && is_good_; }

  long number() {
    long sign = 1;
    skip_spaces();
    while (*at_ == '+' || *at_ == '-') sign *= *at_++ == '-' ? -1 : 1;
    if (*at_ < '0' || *at_ > '9') is_good_ = false;
    long value = 0;
    while (*at_ >= '0' && *at_ <= '9' && value < most) value = value * 10 + (*at_++ - '0');
    if (value >= most) is_good_ = false;
    return sign * value;
  }

  // [":" count [":" stride]]
  void repetition(long* count, long* stride) {
    *count = *stride = 1;
    if (!take(':')) return;
    *count = number();
    if (*count <= 0) is_good_ = false;
    if (take(':')) *stride = number();
  }

 private:
  void skip_spaces() {
    while (*at_ == ' ' || *at_ == '\t') ++at_;
  }

  const char* at_;
  bool is_good_ = true;
};

void read_some(reader& from, const visitor& each) {
  const long first = from.number();
  long count;
  long stride;
  from.repetition(&count, &stride);
  for (long index = 0; from.is_good() && index < count; ++index) each(first + index * stride);
}

void read_ids(reader& from, const visitor& each) {
  if (!from.take('{')) return each(from.number());
  do {
    read_some(from, each);
  } while (from.is_good() && from.take(','));
  from.expect('}');
}

}  // namespace

unsigned count_cpu_lists(const char* text) {
  reader from(text);
  long sum = 0;
  do {
    read_ids(from, {nullptr, nullptr, 0});
    long times;
    long stride;
    from.repetition(&times, &stride);
    sum += times;
  } while (from.is_good() && sum < most && from.take(','));
  return from.is_good() && sum < most && from.is_at_end() ? static_cast<unsigned>(sum) : 0;
}

void walk_cpu_list(const char* text, unsigned index, void (*each)(void* state, long number), void* state) {
  long left = static_cast<long>(index % count_cpu_lists(text));
  reader from(text);
  for (;;) {
    reader ids(from.place());
    read_ids(from, {nullptr, nullptr, 0});
    long times;
    long stride;
    from.repetition(&times, &stride);
    if (left < times) return read_ids(ids, {each, state, left * stride});
    left -= times;
    from.expect(',');
  }
}

}  // namespace weft::abt
