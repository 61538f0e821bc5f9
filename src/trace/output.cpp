// See output.hpp.
#include "trace/output.hpp"

#include <errno.h>
#include <unistd.h>

#include "os/fault.hpp"
#include "os/file.hpp"
#include "os/vm.hpp"

namespace weft::trace {

namespace {

// How many bytes the UTF-8 character at `at` has; 0: none is there. Reads up to the first byte that
// does not belong to it.
unsigned utf8_length(const char* at) {
  const auto first = static_cast<unsigned char>(*at);
  const unsigned length = first < 0x80                    ? 1
                          : first >= 0xc2 && first < 0xe0 ? 2
                          : (first & 0xf0) == 0xe0        ? 3
                          : first >= 0xf0 && first < 0xf5 ? 4
                                                          : 0;
  for (unsigned index = 1; index < length; ++index) {
    if ((static_cast<unsigned char>(at[index]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(length > 1 ? at[1] : 0);
  const bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return is_overlong || is_no_character ? 0 : length;
}

}  // namespace

bool output::start(const char* path) { return start_at(os::open_for_writing(path, true)); }

bool output::start_at(int descriptor) {
  fd_ = descriptor;
  if (fd_ < 0) return false;
  buffer_ = static_cast<char*>(os::reserve(capacity, os::page_bytes()));
  if (buffer_ != nullptr) return true;
  close(fd_);
  errno = ENOMEM;
  return false;
}

bool output::open_again(const char* path) {
  const int opened = os::open_for_writing(path, true);
  if (opened < 0) return false;
  close(fd_);
  fd_ = opened;
  return true;
}

void output::stop() {
  if (!is_started()) return;
  close(fd_);
  os::release(buffer_, capacity);
}

void output::begin_anew() {
  const bool is_cut = !os::fault::fails(os::call::write) && ftruncate(fd_, 0) == 0;
  if (!is_cut && errno != EINVAL) error_ = errno;  // pipes and the like have no beginning
}

output& output::operator<<(const char* words) {
  while (*words != '\0') *this << *words++;
  return *this;
}

output& output::operator<<(std::uint64_t number) {
  char digits[24];
  std::size_t at = sizeof digits;
  digits[--at] = '\0';
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return *this << digits + at;
}

output& output::microseconds(std::uint64_t ns) {
  const auto digit = [](std::uint64_t number) { return static_cast<char>('0' + number % 10); };
  return *this << ns / 1000 << '.' << digit(ns / 100) << digit(ns / 10) << digit(ns);
}

output& output::quoted(const char* text) {
  *this << '"';
  while (*text != '\0') {
    unsigned length = utf8_length(text);
    if (length == 0) {
      *this << "\\ufffd";
      ++text;
    } else if (length == 1 && static_cast<unsigned char>(*text) < ' ') {
      const auto value = static_cast<unsigned char>(*text++);
      *this << "\\u00" << "0123456789abcdef"[value / 16] << "0123456789abcdef"[value % 16];
    } else {
      if (*text == '"' || *text == '\\') *this << '\\';
      for (; length != 0; --length) *this << *text++;
    }
  }
  return *this << '"';
}

bool output::flush() {
  std::size_t done = 0;
  if (others_write_ != nullptr && others_write_->load(base::relaxed)) error_ = ECANCELED;
  while (done < used_ && error_ == 0) {
    const ssize_t written = os::fault::fails(os::call::write) ? -1 : write(fd_, buffer_ + done, used_ - done);
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      error_ = written == 0 ? EIO : errno;
    }
  }
  used_ = 0;
  return error_ == 0;
}

}  // namespace weft::trace
