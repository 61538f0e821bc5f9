// See shared_memory.hpp.
#include "os/shared_memory.hpp"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/fault.hpp"

namespace weft::os {
namespace {

void* map(void* at, std::size_t bytes, int protection, int flags, int descriptor, std::size_t offset) {
  if (fault::fails(call::mmap)) return nullptr;
  void* mapped = mmap(at, bytes, protection, flags, descriptor, static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

// Past RLIMIT_FSIZE the kernel would send SIGXFSZ, which ends the program, instead of an error.
bool may_have_files_of(std::size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur) return true;
  errno = EFBIG;
  return false;
}

bool grow(int descriptor, std::size_t bytes) {
  if (!may_have_files_of(bytes)) return false;
  if (fault::fails(call::write)) return false;
  return ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
}

}  // namespace

int make_memory_file(const char* name, std::size_t bytes) {
  if (fault::fails(call::memory_file)) return -1;
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  if (descriptor < 0 || grow(descriptor, bytes)) return descriptor;
  const int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

void close_memory_file(int descriptor) { close(descriptor); }

void* hold_addresses(void* at, std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at != nullptr ? MAP_FIXED_NOREPLACE : 0);
  void* held = map(at, bytes, PROT_NONE, flags, -1, 0);
  if (held == nullptr || at == nullptr || held == at) return held;
  unmap_addresses(held, bytes);  // kernels before Linux 4.17 take the address for a hint
  errno = EEXIST;
  return nullptr;
}

void* map_memory_file(void* held, std::size_t bytes, int descriptor, std::size_t offset) {
  const int flags = MAP_SHARED | MAP_NORESERVE | (held != nullptr ? MAP_FIXED : 0);
  return map(held, bytes, PROT_READ | PROT_WRITE, flags, descriptor, offset);
}

void unmap_addresses(void* base, std::size_t bytes) { (void)munmap(base, bytes); }

status lock_memory(void* base, std::size_t bytes) {
  if (!fault::fails(call::lock_memory) && mlock(base, bytes) == 0) return status::ok;
  return errno == ENOMEM || errno == EPERM || errno == EAGAIN ? status::nomem : status::unsupported;
}

}  // namespace weft::os
