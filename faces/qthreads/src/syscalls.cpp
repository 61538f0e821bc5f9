// qt_read and the like: calls of the system in blocking regions.
#include <qthread/qt_syscalls.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "blocking_region.hpp"

using weft::qthreads::blocking_region;

int qt_accept(int socket, sockaddr* restrict address, socklen_t* restrict address_len) {
  const blocking_region region;
  return accept(socket, address, address_len);
}

int qt_connect(int socket, const sockaddr* address, socklen_t address_len) {
  const blocking_region region;
  return connect(socket, address, address_len);
}

int qt_poll(pollfd fds[], nfds_t nfds, int timeout) {
  const blocking_region region;
  return poll(fds, nfds, timeout);
}

ssize_t qt_pread(int filedes, void* buf, size_t nbyte, off_t offset) {
  const blocking_region region;
  return pread(filedes, buf, nbyte, offset);
}

ssize_t qt_pwrite(int filedes, const void* buf, size_t nbyte, off_t offset) {
  const blocking_region region;
  return pwrite(filedes, buf, nbyte, offset);
}

ssize_t qt_read(int filedes, void* buf, size_t nbyte) {
  const blocking_region region;
  return read(filedes, buf, nbyte);
}

int qt_select(int nfds, fd_set* restrict readfds, fd_set* restrict writefds, fd_set* restrict errorfds,
              timeval* restrict timeout) {
  const blocking_region region;
  return select(nfds, readfds, writefds, errorfds, timeout);
}

int qt_system(const char* command) {
  const blocking_region region;
  return std::system(command);  // NOLINT(concurrency-mt-unsafe): glibc's is safe
}

pid_t qt_wait4(pid_t pid, int* stat_loc, int options, rusage* usage) {
  const blocking_region region;
  return wait4(pid, stat_loc, options, usage);
}

ssize_t qt_write(int filedes, const void* buf, size_t nbyte) {
  const blocking_region region;
  return write(filedes, buf, nbyte);
}
