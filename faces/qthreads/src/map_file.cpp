// Opens and makes the files of qalloc.
#include "map_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <qthread/qtimer.h>

namespace weft::qthreads {

namespace {

constexpr std::uint64_t mark_of_maps = 0x3150414d54464557;  // the bytes WEFTMAP1

class file {
 public:
  explicit file(int number) : number_(number) {}
  ~file() {
    const int kept = errno;
    if (number_ >= 0) close(number_);
    errno = kept;
  }
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

map_header* fail(int code) {
  errno = code;
  return nullptr;
}

void unmap(void* address, std::size_t bytes) {
  const int kept = errno;
  munmap(address, bytes);
  errno = kept;
}

map_header* map(const file& from, std::uint64_t bytes, void* address, int more_flags) {
  void* const got = mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | more_flags, from.number(), 0);
  return got != MAP_FAILED ? static_cast<map_header*>(got) : nullptr;
}

// Where a new map is likely to find a place in later processes, too: the system puts nothing there
// by itself. It is a wish, which the system does not follow if it cannot.
void* lonely_address() {
  constexpr std::uint64_t from = std::uint64_t{1} << 45;
  constexpr std::uint64_t apart = std::uint64_t{1} << 24;
  constexpr std::uint64_t places = std::uint64_t{1} << 20;
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(from + apart * (qtimer_fastrand() % places)));
}

bool fits(const map_request& wanted) {
  const auto bytes = static_cast<std::uint64_t>(wanted.bytes);
  return wanted.bytes > 0 && bytes > sizeof(map_header) && bytes - sizeof(map_header) >= wanted.item_bytes;
}

map_header* make(const file& from, const map_request& wanted) {
  if (!fits(wanted)) return fail(EINVAL);
  if (ftruncate(from.number(), wanted.bytes) != 0) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(wanted.bytes);
  map_header* const made = map(from, bytes, wanted.address != nullptr ? wanted.address : lonely_address(), 0);
  if (made == nullptr) return nullptr;
  *made = {.mark = mark_of_maps,
           .address = reinterpret_cast<std::uintptr_t>(made),
           .bytes = bytes,
           .item_bytes = wanted.item_bytes,
           .streams = wanted.streams,
           .first_free = 0,
           .fresh = sizeof(map_header),
           .reserved = 0};
  return made;
}

bool is_as_wanted(const map_header& found, std::uint64_t bytes, const map_request& wanted) {
  if (found.mark != mark_of_maps || found.bytes != bytes || found.address == 0) return false;
  if (wanted.bytes == 0) return true;
  return static_cast<std::uint64_t>(wanted.bytes) == bytes && wanted.item_bytes == found.item_bytes &&
         (wanted.address == nullptr || reinterpret_cast<std::uintptr_t>(wanted.address) == found.address);
}

map_header* load(const file& from, std::uint64_t bytes, const map_request& wanted) {
  map_header found;
  const ssize_t got = pread(from.number(), &found, sizeof(found), 0);
  if (got < 0) return nullptr;
  if (got != sizeof(found) || !is_as_wanted(found, bytes, wanted)) return fail(EINVAL);
  void* const address = reinterpret_cast<void*>(static_cast<std::uintptr_t>(found.address));
  map_header* const loaded = map(from, bytes, address, MAP_FIXED_NOREPLACE);
  if (loaded == nullptr || loaded == address) return loaded;
  unmap(loaded, bytes);  // an old kernel, to which the address is a wish
  return fail(EEXIST);
}

}  // namespace

map_header* open_map(const map_request& wanted) {
  const int created = wanted.bytes != 0 ? O_CREAT : 0;
  const file opened{open(wanted.filename, O_RDWR | O_CLOEXEC | created, S_IRUSR | S_IWUSR)};
  if (opened.number() < 0) return nullptr;
  struct stat about;
  if (fstat(opened.number(), &about) != 0) return nullptr;
  if (about.st_size == 0 && wanted.bytes != 0) return make(opened, wanted);
  return load(opened, static_cast<std::uint64_t>(about.st_size), wanted);
}

}  // namespace weft::qthreads
