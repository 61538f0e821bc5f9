// See failure.hpp.
#include "base/failure.hpp"

#include <cstdio>
#include <cstring>

namespace weft {

namespace {

// The end of a text of a fixed size, to which more is appended as long as there is room.
class end_of_text {
 public:
  end_of_text(char* text, std::size_t bytes) : at_(text), left_(bytes) {}

  void add(const char* words, std::size_t length) {
    const std::size_t taken = length < left_ ? length : left_ - 1;
    std::memcpy(at_, words, taken);
    advance(taken);
  }
  void add(const char* words) { add(words, std::strlen(words)); }

  void add_number(char how, std::uint64_t number) {
    char digits[24];
    int length = 0;
    switch (how) {
      case 'd': length = std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(number)); break;
      case 'p': length = std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(number)); break;
      default: length = std::snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(number));
    }
    add(digits, static_cast<std::size_t>(length));
  }

 private:
  void advance(std::size_t bytes) {
    at_ += bytes;
    left_ -= bytes;
    *at_ = '\0';
  }

  char* at_;
  std::size_t left_;
};

void add_cause(end_of_text* to, const char* cause, std::uint64_t value) {
  const char* const mark = std::strchr(cause, '%');
  if (mark == nullptr) return to->add(cause);
  to->add(cause, static_cast<std::size_t>(mark - cause));
  to->add_number(mark[1], value);
  to->add(mark + 2);
}

}  // namespace

const char* failure::write_text() {
  text[0] = '\0';
  if (call == nullptr) return text;
  end_of_text end(text, sizeof text);
  end.add(call);
  end.add(": ");
  if (argument != nullptr) {
    end.add("argument ");
    end.add(argument);
    if (object != nullptr) {
      end.add(" (");
      end.add_number('p', reinterpret_cast<std::uintptr_t>(object));
      end.add(")");
    }
    end.add(": ");
  }
  add_cause(&end, cause, value);
  return text;
}

}  // namespace weft
