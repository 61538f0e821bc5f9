#include "server/relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "net/frames/own_key.hpp"
#include "server/group.hpp"

namespace tascell {

namespace {

constexpr const char* whose = "weft tascell-server";

// A listening socket, and the port that it has; less than 0: a line has told why.
int listen_at(unsigned* port, bool is_for_all) {
  int const made = socket(is_for_all ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  int const on = 1, off = 0;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage at{};
  socklen_t size = 0;
  if (is_for_all) {
    setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    auto* const address = reinterpret_cast<sockaddr_in6*>(&at);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(static_cast<std::uint16_t>(*port));
    size = sizeof *address;
  } else {
    auto* const address = reinterpret_cast<sockaddr_in*>(&at);
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address->sin_port = htons(static_cast<std::uint16_t>(*port));
    size = sizeof *address;
  }
  bool const is_good = made >= 0 && bind(made, reinterpret_cast<sockaddr*>(&at), size) == 0 && listen(made, 128) == 0;
  if (!is_good) {
    std::fprintf(stderr, "%s: port %u: %s; name another with --port, or end what has it\n", whose, *port, std::strerror(errno));
    if (made >= 0) close(made);
    return -1;
  }
  getsockname(made, reinterpret_cast<sockaddr*>(&at), &size);
  *port = ntohs(is_for_all ? reinterpret_cast<sockaddr_in6*>(&at)->sin6_port : reinterpret_cast<sockaddr_in*>(&at)->sin_port);
  return made;
}

std::string name_of(const sockaddr_storage& at) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (at.ss_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(at).sin_addr, text.data(), text.size());
  else
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(at).sin6_addr, text.data(), text.size());
  std::string const mapped = "::ffff:", name = text.data();  // an IPv4 address, at a socket for both
  return name.starts_with(mapped) ? name.substr(mapped.size()) : name;
}

int signals() {
  sigset_t which;
  sigemptyset(&which);
  sigaddset(&which, SIGINT);
  sigaddset(&which, SIGTERM);
  sigaddset(&which, SIGHUP);
  sigprocmask(SIG_BLOCK, &which, nullptr);
  return signalfd(-1, &which, SFD_NONBLOCK | SFD_CLOEXEC);
}

// The loop around a tree of groups: sockets and time.
class relay {
 public:
  explicit relay(const relay_options& options) : options_(options) {}

  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;
  ~relay() { weft::net::remove_own_key(&own_key_); }  // while the listener keeps others from the port

  int run() {
    if (!start()) return 1;
    while (!is_over_) {
      bool const has_newcomers = std::ranges::any_of(links_, [](auto const& each) { return each->is_new(); });
      std::array<epoll_event, 64> events{};
      int const count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), has_newcomers ? 1000 : -1);
      for (int i = 0; i < count; ++i) attend(events[static_cast<std::size_t>(i)]);
      if (has_newcomers) drop_silent();
      settle();
      if (options_.is_once && all_.has_ended()) is_over_ = true;
    }
    return status_;
  }

 private:
  bool start() {
    if (!options_.key_file.empty() && !weft::net::read_key(whose, options_.key_file.c_str(), true, &key_)) return false;
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
      files.rlim_cur = files.rlim_max;
      setrlimit(RLIMIT_NOFILE, &files);
    }
    poll_ = epoll_create1(EPOLL_CLOEXEC);
    signals_ = signals();
    if (!options_.parent.empty() && !connect_parent()) return false;
    unsigned port = options_.port;
    listener_ = listen_at(&port, key_.is_set);
    if (listener_ < 0) return false;
    bool const makes_key = !key_.is_set && !options_.is_keyless;
    if (makes_key && !weft::net::make_own_key(whose, port, &key_, &own_key_)) return false;
    all_.use(whose, key_);
    watch(listener_, nullptr, EPOLLIN);
    watch(signals_, nullptr, EPOLLIN);
    std::printf("%s: listens on port %u%s\n", whose, port, who_may_connect());
    std::fflush(stdout);
    return true;
  }

  [[nodiscard]] const char* who_may_connect() const {
    if (!options_.key_file.empty()) return "";
    return key_.is_set ? " of this machine alone, for nodes of this user; --key-file lets other machines in"
                       : " of this machine alone, without a key: every user of this machine can join and gets tasks";
  }

  bool connect_parent() {
    auto made = std::make_unique<link>();
    weft::net::welcome at{};
    std::uint32_t* none = nullptr;
    if (!weft::net::connect_as(whose, weft::net::is_server, options_.parent.c_str(),
                               {options_.key_file.empty() ? nullptr : options_.key_file.c_str(), options_.is_keyless}, 0,
                               &made->through, &at, &none))
      return false;
    std::free(none);
    made->name = options_.parent;
    made->state = link_state::parent;
    all_.set_parent(made.get());
    watch(made->through.socket(), made.get(), EPOLLIN);
    links_.push_back(std::move(made));
    return true;
  }

  void watch(int file, link* of, std::uint32_t what) const {
    epoll_event wanted{};
    wanted.events = what;
    wanted.data.ptr = of;
    if (of == nullptr) wanted.data.ptr = file == listener_ ? const_cast<int*>(&listener_) : const_cast<int*>(&signals_);
    epoll_ctl(poll_, EPOLL_CTL_ADD, file, &wanted);
  }

  void attend(const epoll_event& event) {
    if (event.data.ptr == &listener_) {
      accept_all();
    } else if (event.data.ptr == &signals_) {
      is_over_ = true;
    } else {
      auto* const from = static_cast<link*>(event.data.ptr);
      if (!from->is_closed && (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read(from);
      if (from->is_closed || (event.events & EPOLLOUT) != 0) from->is_dirty = true;
    }
  }

  void accept_all() {
    for (;;) {
      sockaddr_storage at{};
      socklen_t size = sizeof at;
      int const got = accept4(listener_, reinterpret_cast<sockaddr*>(&at), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (got < 0) return;
      weft::net::prepare_socket(got);
      auto made = std::make_unique<link>();
      made->through.use(got);
      made->through.read.set_limit(most_of_strangers);
      made->name = name_of(at);
      made->since = std::chrono::steady_clock::now();
      watch(got, made.get(), EPOLLIN);
      links_.push_back(std::move(made));
    }
  }

  void read(link* from) {
    for (int round = 0; round < 8 && !from->is_closed; ++round) {
      weft::net::flow const what = from->through.receive();
      if (what == weft::net::flow::blocked) return;
      if (what == weft::net::flow::broken) {
        all_.lose(from, errno == 0 ? "" : std::strerror(errno));
        return;
      }
      take_frames(from);
    }
  }

  void take_frames(link* from) {
    weft::net::frame_head head{};
    std::byte* bytes = nullptr;
    while (!from->is_closed) {
      weft::net::parsed const found = from->through.read.next(&head, &bytes);
      if (found == weft::net::parsed::nothing) return;
      if (found == weft::net::parsed::damage)
        all_.refuse(from, std::string("a frame cannot be read: ") + from->through.read.problem());
      else
        all_.take(from, head, bytes);
    }
  }

  void drop_silent() {
    auto const now = std::chrono::steady_clock::now();
    for (auto const& each : links_)
      if (!each->is_closed && each->is_new() && now - each->since > std::chrono::seconds(10))
        all_.refuse(each.get(), "it said nothing for 10 s");
  }

  // Writes what was queued, and forgets the links that are closed.
  void settle() {
    bool has_closed = false;
    for (std::size_t i = 0; i < links_.size(); ++i) {  // losing one may make others dirty, but closes none
      link* const each = links_[i].get();
      if (each->is_dirty && each->through.socket() >= 0) write(each);
      has_closed = has_closed || each->is_closed;
    }
    all_.print_lines();
    if (all_.has_lost_parent()) {
      is_over_ = true;
      status_ = all_.has_nodes() ? 1 : 0;
    }
    if (!has_closed) return;
    std::erase_if(links_,
                  [](auto const& each) { return each->is_closed && (each->through.socket() < 0 || each->through.is_drained()); });
  }

  void write(link* to) {
    to->is_dirty = false;
    weft::net::flow const what = to->through.flush();
    if (to->through.backlog() > most_waiting) {
      all_.refuse(to, "it takes nothing while 4 GiB wait for it");
      to->through.close();
      return;
    }
    if (what == weft::net::flow::broken) {
      int const error = errno;
      if (!to->is_closed) all_.lose(to, std::strerror(error));
      to->through.close();
      return;
    }
    bool const waits = what == weft::net::flow::blocked;
    if (waits == to->waits_to_write) return;
    to->waits_to_write = waits;
    epoll_event wanted{};
    wanted.events = (to->is_closed ? 0u : std::uint32_t{EPOLLIN}) | (waits ? std::uint32_t{EPOLLOUT} : 0u);
    wanted.data.ptr = to;
    epoll_ctl(poll_, EPOLL_CTL_MOD, to->through.socket(), &wanted);
  }

  static constexpr std::uint64_t most_of_strangers = 1024;
  static constexpr std::uint64_t most_waiting = std::uint64_t{4} << 30;

  relay_options options_;
  weft::net::key key_;
  weft::net::own_key_file own_key_;
  int poll_ = -1, listener_ = -1, signals_ = -1;
  std::vector<std::unique_ptr<link>> links_;
  groups all_;
  bool is_over_ = false;
  int status_ = 0;
};

}  // namespace

int run_relay(const relay_options& options) { return relay(options).run(); }

}  // namespace tascell
