// See fault.hpp.
#include "os/fault.hpp"

#include <errno.h>

namespace weft::os::fault {
namespace {

struct call_info {
  const char* name;
  int error;  // what the kernel answers when it has run out of the resource
};

// In the order of the enumeration.
constexpr call_info calls[] = {
    {"mmap", ENOMEM},         {"munmap", ENOMEM},       {"madvise", ENOMEM},      {"mincore", EAGAIN},  {"mprotect", ENOMEM},
    {"thread_start", EAGAIN}, {"thread_stack", ENOENT}, {"thread_key", EAGAIN},   {"callback", ENOMEM}, {"futex_wait", EINTR},
    {"futex_wake", EINVAL},   {"membarrier", EPERM},    {"affinity", EPERM},      {"open", EMFILE},     {"read", EIO},
    {"write", ENOSPC},        {"peek", EPERM},          {"getrandom", ENOSYS},    {"io_uring", EPERM},  {"sigaction", EPERM},
    {"sigaltstack", EPERM},   {"timer", EAGAIN},        {"load_library", ENOENT}, {"heap", ENOMEM},     {"memory_file", EMFILE},
    {"fork", EAGAIN},         {"parent_death", EPERM},  {"lock_memory", ENOMEM},
};
static_assert(sizeof calls / sizeof *calls == call_count, "each call has a row");

}  // namespace

constinit base::atomic<plan*> installed{nullptr};

bool fails_by_plan(plan* active, call kind) {
  const auto index = static_cast<unsigned>(kind);
  const std::uint32_t occurrence = active->seen[index].fetch_add(1, base::relaxed) + 1;
  if (kind != active->which || active->nth == 0) return false;
  const bool hit = active->how == repeat::once ? occurrence == active->nth : occurrence >= active->nth;
  if (!hit) return false;
  active->failed.fetch_add(1, base::relaxed);
  errno = calls[index].error;
  return true;
}

const char* call_name(call kind) { return calls[static_cast<unsigned>(kind)].name; }

}  // namespace weft::os::fault
