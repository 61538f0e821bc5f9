// See watch.hpp.
#include "net/mpi/watch.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::net {
namespace {

constexpr int reach_ms = 1000;  // for an address, and for what the other side says there
constexpr std::size_t secret_letters = 32;

// What a keeper says first.
struct hello {
  char secret[secret_letters];
  std::int32_t rank;
};
constexpr char welcome = 'W';
constexpr char end_of_line = '\n';
constexpr std::size_t most_digits = 11;  // of a status

union address {
  sockaddr any;
  sockaddr_in four;
  sockaddr_in6 six;
};

void set_option(int connection, int level, int name, int value) {
  (void)setsockopt(connection, level, name, &value, sizeof value);
}

void have_kernel_ask(int connection, int lost_after) {
  if (lost_after == 0) return;
  set_option(connection, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set_option(connection, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(connection, IPPROTO_TCP, TCP_KEEPCNT, lost_after > 1 ? lost_after - 1 : 1);
  set_option(connection, SOL_SOCKET, SO_KEEPALIVE, 1);
}

bool wait_until_ready(int connection, short what) {
  pollfd one = {connection, what, 0};
  return poll(&one, 1, reach_ms) == 1;
}

bool receive(int connection, void* into, std::size_t bytes) {
  auto* at = static_cast<char*>(into);
  while (bytes != 0) {
    if (!wait_until_ready(connection, POLLIN)) return false;
    const ssize_t got = recv(connection, at, bytes, 0);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool make_secret(char* out) {
  std::uint8_t bytes[secret_letters / 2];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return false;
  for (std::size_t i = 0; i < sizeof bytes; ++i) (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

// An address at which this machine can listen; link-local ones mean nothing elsewhere.
bool take_address(const sockaddr& of, address* out, socklen_t* bytes) {
  *out = {};
  *bytes = of.sa_family == AF_INET ? sizeof out->four : of.sa_family == AF_INET6 ? sizeof out->six : 0;
  memcpy(out, &of, *bytes);
  return *bytes != 0 && (of.sa_family == AF_INET || !IN6_IS_ADDR_LINKLOCAL(&out->six.sin6_addr));
}

void add_address(const address& one, char (&addresses)[meeting_bytes]) {
  char text[INET6_ADDRSTRLEN] = "";
  if (one.any.sa_family == AF_INET)
    (void)inet_ntop(AF_INET, &one.four.sin_addr, text, sizeof text);
  else
    (void)inet_ntop(AF_INET6, &one.six.sin6_addr, text, sizeof text);
  const std::size_t length = strlen(addresses);
  (void)snprintf(addresses + length, meeting_bytes - length, "/%s", text);
}

// Besides the secret and the port.
bool has_room(const char (&addresses)[meeting_bytes]) {
  return strlen(addresses) + INET6_ADDRSTRLEN + 1 + secret_letters + sizeof "/65535" < meeting_bytes;
}

std::uint16_t& port_in(address* of) { return of->any.sa_family == AF_INET6 ? of->six.sin6_port : of->four.sin_port; }

// At one address and a port, in the network's order; 0: at one that is free, which *port is then.
// Less than 0: the system refuses.
int listen_at(address at, socklen_t bytes, std::uint16_t* port) {
  const int made = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  port_in(&at) = *port;
  if (made >= 0 && bind(made, &at.any, bytes) == 0 && listen(made, SOMAXCONN) == 0 && getsockname(made, &at.any, &bytes) == 0) {
    *port = port_in(&at);
    return made;
  }
  const int problem = errno;
  if (made >= 0) close(made);
  errno = problem;
  return -1;
}

// False: another process has the port at one of the addresses.
bool listen_at_all(const ifaddrs* all, reach from, std::uint16_t* port, keeper_listeners* out, char (&addresses)[meeting_bytes]) {
  constexpr unsigned orders[] = {0, IFF_LOOPBACK};  // the one that only this machine reaches last
  for (const unsigned loopback : orders) {
    if (loopback == 0 && from == reach::this_machine) continue;
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
      address at;
      socklen_t bytes = 0;
      const bool is_meant = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == loopback;
      if (!is_meant || each->ifa_addr == nullptr || !take_address(*each->ifa_addr, &at, &bytes)) continue;
      if (out->count == most_listeners || !has_room(addresses)) continue;
      const int made = listen_at(at, bytes, port);
      if (made < 0 && errno == EADDRINUSE) return false;
      if (made < 0) continue;
      out->of[out->count++] = made;
      add_address(at, addresses);
    }
  }
  return true;
}

// An address of the meeting, with its port. False: it is none.
bool read_address(const char* text, std::uint16_t port, address* out, socklen_t* bytes) {
  *out = {};
  if (inet_pton(AF_INET, text, &out->four.sin_addr) == 1) {
    out->four.sin_family = AF_INET;
    out->four.sin_port = htons(port);
    *bytes = sizeof out->four;
    return true;
  }
  out->six.sin6_family = AF_INET6;
  out->six.sin6_port = htons(port);
  *bytes = sizeof out->six;
  return inet_pton(AF_INET6, text, &out->six.sin6_addr) == 1;
}

bool has_connected(int connection) {
  int error = 0;
  socklen_t bytes = sizeof error;
  return wait_until_ready(connection, POLLOUT) && getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0;
}

// A connection on which the other side has answered; less than 0: none.
int try_address(const address& to, socklen_t bytes, const hello& mine) {
  const int made = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  const bool is_begun = connect(made, &to.any, bytes) == 0 || errno == EINPROGRESS;
  char answer = 0;
  if (is_begun && has_connected(made) && send(made, &mine, sizeof mine, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof mine) &&
      receive(made, &answer, 1) && answer == welcome)
    return made;
  close(made);
  return -1;
}

}  // namespace

keeper_listeners listen_for_keepers(reach from, char (&meeting)[meeting_bytes]) {
  constexpr int tries = 16;  // of ports that are free at one address and perhaps not at the next
  char secret[secret_letters + 1] = "", addresses[meeting_bytes];
  keeper_listeners made;
  ifaddrs* all = nullptr;
  if (!make_secret(secret) || getifaddrs(&all) != 0) return made;
  for (int i = 0; i < tries; ++i) {
    std::uint16_t port = 0;
    close_listeners(&made);
    addresses[0] = '\0';
    if (!listen_at_all(all, from, &port, &made, addresses)) continue;
    (void)snprintf(meeting, meeting_bytes, "%s/%u%.*s", secret, ntohs(port),
                   static_cast<int>(meeting_bytes - secret_letters - sizeof "/65535"), addresses);
    break;
  }
  freeifaddrs(all);
  return made;
}

void close_listeners(keeper_listeners* all) {
  while (all->count != 0) close(all->of[--all->count]);
}

int accept_keeper(int listener, const char* meeting, int lost_after, int* rank) {
  const int made = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (made < 0) return -1;
  hello its = {};
  if (!receive(made, &its, sizeof its) || memcmp(its.secret, meeting, secret_letters) != 0 ||
      send(made, &welcome, 1, MSG_NOSIGNAL) != 1) {
    close(made);
    return -1;
  }
  have_kernel_ask(made, lost_after);
  *rank = its.rank;
  return made;
}

int meet_keeper(const char* meeting, int rank, int lost_after) {
  char text[meeting_bytes];
  (void)snprintf(text, sizeof text, "%s", meeting);
  hello mine = {};
  char* rest = nullptr;
  const char* const secret = strtok_r(text, "/", &rest);
  const char* const port = strtok_r(nullptr, "/", &rest);
  if (secret == nullptr || port == nullptr || strlen(secret) != secret_letters) return -1;
  memcpy(mine.secret, secret, secret_letters);
  mine.rank = rank;
  const auto number = static_cast<std::uint16_t>(strtoul(port, nullptr, 10));
  for (const char* each = strtok_r(nullptr, "/", &rest); each != nullptr; each = strtok_r(nullptr, "/", &rest)) {
    address to = {};
    socklen_t bytes = 0;
    if (!read_address(each, number, &to, &bytes)) continue;
    const int made = try_address(to, bytes, mine);
    if (made < 0) continue;
    have_kernel_ask(made, lost_after);
    return made;
  }
  return -1;
}

heard listen_to(int connection, int* status, char (&line)[line_bytes]) {
  farewell said = {};
  char text[line_bytes + most_digits + 1];
  line[0] = '\0';
  const ssize_t got = recv(connection, &said, sizeof said, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno == ECONNRESET)) return heard::closed;
  if (got < 0) return errno == EAGAIN || errno == EINTR ? heard::nothing : heard::lost;
  std::size_t length = 0;
  while (length + 1 < sizeof text && receive(connection, &text[length], 1) && text[length] != end_of_line) ++length;
  text[length] = '\0';
  char* rest = text;
  *status = static_cast<int>(strtol(text, &rest, 10));
  (void)snprintf(line, line_bytes, "%s", *rest == ' ' ? rest + 1 : rest);
  return said == farewell::ended ? heard::ended : heard::failed;
}

void say(int connection, farewell what, int status, const char* line) {
  char text[line_bytes + most_digits + 3];
  const int length = snprintf(text, sizeof text, "%c%d %s%c", static_cast<char>(what), status, line, end_of_line);
  (void)send(connection, text, static_cast<std::size_t>(length), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void await_answer(int connection) { (void)wait_until_ready(connection, POLLIN); }

}  // namespace weft::net
