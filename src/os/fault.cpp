// See fault.hpp.
#include "os/fault.hpp"

#include <errno.h>

namespace weft::os::fault {
namespace {

struct call_info {
  const char* name;
  int error;  // what the kernel answers when it has run out of the resource
};

constexpr call_info calls[call_count] = {
    {"mmap", ENOMEM},       {"madvise", ENOMEM},   {"mprotect", ENOMEM}, {"thread_start", EAGAIN}, {"futex_wait", EINTR},
    {"futex_wake", EINVAL}, {"membarrier", EPERM}, {"open", EMFILE},     {"heap", ENOMEM},
};

}  // namespace

constinit base::atomic<plan*> installed{nullptr};

bool fails_by_plan(plan* active, call kind) {
  const auto index = static_cast<unsigned>(kind);
  const std::uint32_t occurrence = active->seen[index].fetch_add(1, base::relaxed) + 1;
  if (kind != active->which || active->nth == 0) return false;
  const bool hit = active->how == repeat::once ? occurrence == active->nth : occurrence >= active->nth;
  if (hit) errno = calls[index].error;
  return hit;
}

const char* call_name(call kind) { return calls[static_cast<unsigned>(kind)].name; }

}  // namespace weft::os::fault
