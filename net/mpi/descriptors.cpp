// See descriptors.hpp.
#include "net/mpi/descriptors.hpp"

#include <string.h>
#include <sys/socket.h>

namespace weft::net {
namespace {

union control_bytes {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

void send_descriptor(int socket, std::uint8_t what, int descriptor) {
  iovec text = {&what, sizeof what};
  control_bytes more = {};
  msghdr message = {};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = &more;
  message.msg_controllen = sizeof more;
  more.header.cmsg_level = SOL_SOCKET;
  more.header.cmsg_type = SCM_RIGHTS;
  more.header.cmsg_len = CMSG_LEN(sizeof descriptor);
  memcpy(CMSG_DATA(&more.header), &descriptor, sizeof descriptor);
  (void)sendmsg(socket, &message, MSG_NOSIGNAL);
}

int take_descriptor(int socket, std::uint8_t* what) {
  iovec text = {what, sizeof *what};
  control_bytes more = {};
  msghdr message = {};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = &more;
  message.msg_controllen = sizeof more;
  if (recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0 || more.header.cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  memcpy(&descriptor, CMSG_DATA(&more.header), sizeof descriptor);
  return descriptor;
}

}  // namespace weft::net
