// See file.hpp.
#include "os/file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "os/fault.hpp"
#include "os/heap.hpp"

namespace weft::os {
namespace {

constexpr std::size_t path_bytes = 512;

// Without waiting: the opening of a FIFO that no program writes to would wait for a writer.
int open_for_reading(const char* path) {
  if (fault::fails(call::open)) return -1;
  return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int open_formatted(const char* format, va_list arguments) {
  char path[path_bytes];
  const int length = vsnprintf(path, sizeof path, format, arguments);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return -1;
  return open_for_reading(path);
}

// Files of /proc and /sys come in pieces only when out is too small for them; a loop costs nothing.
bool read_all(int descriptor, char* out, std::size_t capacity, std::size_t* used) {
  *used = 0;
  while (*used < capacity) {
    const ssize_t got = fault::fails(call::read) ? -1 : read(descriptor, out + *used, capacity - *used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    *used += static_cast<std::size_t>(got);
  }
  return true;
}

// The whole of the regular file, or null.
char* read_regular(int descriptor) {
  struct stat about;
  if (fault::fails(call::read) || fstat(descriptor, &about) != 0) return nullptr;
  if (!S_ISREG(about.st_mode)) {
    errno = EINVAL;
    return nullptr;
  }
  const auto bytes = static_cast<std::size_t>(about.st_size);
  auto* text = static_cast<char*>(allocate(bytes + 1));
  if (text == nullptr) return nullptr;
  std::size_t used = 0;
  if (!read_all(descriptor, text, bytes, &used)) {
    free(text);
    return nullptr;
  }
  text[used] = '\0';
  return text;
}

class line_splitter {
 public:
  line_splitter(void (*each)(void* state, const char* line), void* state) : each_(each), state_(state) {}

  void take(const char* bytes, std::size_t count) {
    for (std::size_t index = 0; index < count; ++index) {
      if (bytes[index] == '\n') {
        give();
      } else if (used_ < sizeof line_ - 1) {
        line_[used_++] = bytes[index];
      }
    }
  }
  void end() {
    if (used_ != 0) give();
  }

 private:
  void give() {
    line_[used_] = '\0';
    used_ = 0;
    each_(state_, line_);
  }

  void (*each_)(void* state, const char* line);
  void* state_;
  std::size_t used_ = 0;
  char line_[256];
};

// Closes it and leaves errno as it was.
void close_quietly(int descriptor) {
  const int kept = errno;
  close(descriptor);
  errno = kept;
}

// ---- files that are written ----

// On the way to a file, part by part of its path.
struct folder {
  int descriptor = AT_FDCWD;
  bool is_shared = false;  // any user may write to it, as to /tmp

  folder() = default;
  ~folder() {
    if (descriptor >= 0) close_quietly(descriptor);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
};

// In a shared folder any user may have made a link under a name that was to be expected.
int open_part(const folder& in, const char* part, int flags) {
  if (fault::fails(call::open)) return -1;
  return openat(in.descriptor, part, flags | O_CLOEXEC | (in.is_shared ? O_NOFOLLOW : 0), 0600);
}

// False: errno says why.
bool enter(folder* in, const char* part) {
  const int next = open_part(*in, part, O_PATH);
  if (next < 0) return false;
  if (in->descriptor >= 0) close_quietly(in->descriptor);
  in->descriptor = next;
  struct stat about;
  if (fault::fails(call::read) || fstat(next, &about) != 0) return false;
  in->is_shared = (about.st_mode & S_IWOTH) != 0;
  errno = ELOOP;
  return !S_ISLNK(about.st_mode);
}

// Enters the folder in which the last part of the path lies; *last is that part. False: errno says
// why. The root is entered together with the first folder in it: qemu-user takes the root alone for
// the root of the other system's libraries.
bool enter_folder_of(const char* path, folder* in, const char** last) {
  const char* root = *path == '/' ? "/" : "";
  if (*root == '\0' && !enter(in, ".")) return false;
  for (;;) {
    path += strspn(path, "/");
    *last = path;
    const std::size_t length = strcspn(path, "/");
    if (path[length] == '\0') break;
    char part[NAME_MAX + 2];
    errno = ENAMETOOLONG;
    if (length > NAME_MAX) return false;
    snprintf(part, sizeof part, "%s%.*s", root, static_cast<int>(length), path);
    if (!enter(in, part)) return false;
    root = "";
    path += length;
  }
  if (*root != '\0' && !enter(in, root)) return false;
  errno = EISDIR;
  return **last != '\0';
}

// Whether the file that was opened in this folder may be written; it is then cut, if that is
// wanted. False: errno says why.
bool make_ready(int descriptor, const folder& in, bool cut) {
  struct stat about;
  if (fault::fails(call::read) || fstat(descriptor, &about) != 0) return false;
  const bool is_file = S_ISREG(about.st_mode);
  errno = EEXIST;
  if (in.is_shared && (about.st_uid != geteuid() || (is_file && about.st_nlink > 1))) return false;
  if (fault::fails(call::write) || fcntl(descriptor, F_SETFL, O_APPEND) != 0) return false;
  if (!cut || !is_file) return true;
  return !fault::fails(call::write) && ftruncate(descriptor, 0) == 0;
}

}  // namespace

bool read_text(char* out, std::size_t capacity, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int descriptor = open_formatted(format, arguments);
  va_end(arguments);
  if (descriptor < 0) return false;
  std::size_t used = 0;
  const bool is_read = read_all(descriptor, out, capacity - 1, &used);
  close_quietly(descriptor);
  if (!is_read) return false;
  out[used] = '\0';
  used = strlen(out);  // some files of sysfs end in NUL (Linux 5.15)
  if (used > 0 && out[used - 1] == '\n') out[used - 1] = '\0';
  return true;
}

bool walk_lines(void (*each)(void* state, const char* line), void* state, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int descriptor = open_formatted(format, arguments);
  va_end(arguments);
  if (descriptor < 0) return false;
  line_splitter splitter{each, state};
  char piece[512];
  bool is_read;
  std::size_t used = sizeof piece;
  while ((is_read = read_all(descriptor, piece, sizeof piece, &used)) && used != 0) splitter.take(piece, used);
  splitter.end();
  close_quietly(descriptor);
  return is_read;
}

char* read_whole(const char* path) {
  const int descriptor = open_for_reading(path);
  if (descriptor < 0) return nullptr;
  char* text = read_regular(descriptor);
  close_quietly(descriptor);
  return text;
}

int open_for_writing(const char* path, bool cut) {
  folder in;
  const char* part = nullptr;
  if (!enter_folder_of(path, &in, &part)) return -1;
  // Without waiting: the opening of a FIFO that no program reads would wait for a reader.
  const int descriptor = open_part(in, part, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK);
  if (descriptor < 0 || make_ready(descriptor, in, cut)) return descriptor;
  close_quietly(descriptor);
  return -1;
}

namespace {

// Of a regular file of one name that may be written, or of none that is there.
bool may_be_replaced(const folder& in, const char* part, mode_t* mode) {
  struct stat about;
  if (fault::fails(call::read)) return false;
  if (fstatat(in.descriptor, part, &about, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (!S_ISREG(about.st_mode) || about.st_nlink != 1) return false;
  *mode = about.st_mode & 07777;
  const int earlier = open_part(in, part, O_WRONLY | O_APPEND | O_NONBLOCK);
  if (earlier < 0) return false;
  const bool may = make_ready(earlier, in, false);
  close_quietly(earlier);
  return may;
}

// Less than 0: it cannot be made.
int open_anew(const folder& in, const char* part, mode_t mode) {
  const int descriptor = open_part(in, part, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NONBLOCK);
  if (descriptor < 0) return -1;
  if (make_ready(descriptor, in, true) && !fault::fails(call::write) && fchmod(descriptor, mode) == 0) return descriptor;
  close_quietly(descriptor);
  static_cast<void>(unlinkat(in.descriptor, part, 0));
  return -1;
}

}  // namespace

int whole_file::start(const char* path) {
  folder in;
  const char* part = nullptr;
  mode_t mode = 0600;
  if (!enter_folder_of(path, &in, &part)) return -1;
  const int length = snprintf(part_name_, sizeof part_name_, "%s.%d.part", part, static_cast<int>(getpid()));
  if (length >= static_cast<int>(sizeof part_name_) || !may_be_replaced(in, part, &mode)) return open_for_writing(path, true);
  const int descriptor = open_anew(in, part_name_, mode);
  if (descriptor < 0) return open_for_writing(path, true);
  snprintf(name_, sizeof name_, "%s", part);
  folder_ = std::exchange(in.descriptor, -1);
  return descriptor;
}

void whole_file::leave_folder() {
  if (folder_ >= 0) close_quietly(folder_);
  folder_ = -1;
}

bool whole_file::finish() {
  if (folder_ < 0) return true;
  const bool is_there = !fault::fails(call::write) && renameat(folder_, part_name_, folder_, name_) == 0;
  if (!is_there) {
    const int why = errno;
    give_up();
    errno = why;
  }
  leave_folder();
  return is_there;
}

void whole_file::give_up() {
  if (folder_ >= 0) static_cast<void>(unlinkat(folder_, part_name_, 0));
  leave_folder();
}

const char* why_not_opened(int error) {
  switch (error) {
    case ELOOP: return "a symbolic link in a folder that all users may write to is not followed";
    case EEXIST: return "another user's file, or a hard link, in a folder that all users may write to";
    case ENXIO: return "it is a FIFO that no program reads: start its reader first";
    default: return strerror(error);  // NOLINT(concurrency-mt-unsafe): glibc's is safe
  }
}

bool write_all(int descriptor, const char* bytes, std::size_t count) {
  while (count != 0) {
    if (fault::fails(call::write)) return false;
    const ssize_t done = write(descriptor, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

bool take_number(const char** text, unsigned* out) {
  const char* at = *text;
  unsigned value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (value > (1u << 31) / 10 - 1) return false;
    value = value * 10 + static_cast<unsigned>(*at - '0');
  }
  if (at == *text) return false;
  *text = at;
  *out = value;
  return true;
}

}  // namespace weft::os
