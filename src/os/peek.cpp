// See peek.hpp. The kernel copies: a bad address is an error there, not a fault.
#include "os/peek.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include "os/fault.hpp"

namespace weft::os {

bool peek(const void* from, void* to, std::size_t bytes) {
  if (fault::fails(call::peek)) return false;
  const iovec here{to, bytes};
  const iovec there{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

bool peek_text(const char* from, char* to, std::size_t capacity) {
  for (std::size_t used = 0; used + 1 < capacity; ++used) {
    if (!peek(from + used, to + used, 1)) return false;
    if (to[used] == '\0') return used != 0;
    if (to[used] < ' ' || to[used] > '~') return false;
  }
  to[capacity - 1] = '\0';
  return true;
}

}  // namespace weft::os
