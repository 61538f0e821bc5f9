// See launch_wait.hpp.
#include "launch_wait.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <linux/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>

namespace cli {

namespace {

using seconds_clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds launcher_ends_within{500};  // by itself, once the ranks have ended
constexpr std::chrono::milliseconds dies_within{500};           // after SIGTERM
constexpr std::chrono::seconds ends_unheard_within{30};         // once the keeper of rank 0 is gone without a word
constexpr int hello_ms = 1000;
constexpr std::size_t secret_letters = 32;
constexpr char failed = 'F';  // begins the line that says why the job ends
constexpr std::array passed_on = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// What the keeper of rank 0 says first, as net/mpi/watch.cpp has it.
struct hello {
  std::array<char, secret_letters> secret;
  std::int32_t rank;
};

std::string make_secret() {
  std::array<unsigned char, secret_letters / 2> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  std::string text;
  for (unsigned char const each : bytes) text += fmt::format("{:02x}", each);
  return text;
}

// An address of this machine at which other machines may reach it, or this one.
struct own_address {
  sockaddr_storage at;
  socklen_t bytes;
  std::string text;
};

std::optional<own_address> address_in(const sockaddr* from) {
  own_address found{};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (from == nullptr || (from->sa_family != AF_INET && from->sa_family != AF_INET6)) return std::nullopt;
  found.bytes = from->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&found.at, from, found.bytes);
  const auto& six = reinterpret_cast<const sockaddr_in6&>(found.at);
  if (from->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(found.at).sin_addr, text.data(), text.size());
  else if (!IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr))
    inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  found.text = text.data();
  return found.text.empty() ? std::nullopt : std::optional(found);
}

// The one that only this machine reaches comes last. No more than a meeting can name.
std::vector<own_address> addresses() {
  constexpr std::size_t most = 9;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  std::vector<own_address> others;
  std::vector<own_address> own;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if ((each->ifa_flags & IFF_UP) == 0) continue;
    if (auto found = address_in(each->ifa_addr)) ((each->ifa_flags & IFF_LOOPBACK) != 0 ? own : others).push_back(*found);
  }
  freeifaddrs(all);
  if (others.size() > most - std::min(own.size(), most)) others.resize(most - std::min(own.size(), most));
  others.insert(others.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(std::min(own.size(), most)));
  return others;
}

// port: in the network's order; 0: one that is free, which it is then. Less than 0: the system
// refuses.
int listen_at(own_address where, in_port_t* port) {
  int const made = socket(where.at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  auto* const at = reinterpret_cast<sockaddr*>(&where.at);
  in_port_t& own = reinterpret_cast<sockaddr_in6&>(where.at).sin6_port;  // it stands where sockaddr_in has it
  own = *port;
  if (made >= 0 && bind(made, at, where.bytes) == 0 && listen(made, 1) == 0 && getsockname(made, at, &where.bytes) == 0) {
    *port = own;
    return made;
  }
  int const problem = errno;
  if (made >= 0) close(made);
  errno = problem;
  return -1;
}

void set_option(int connection, int name, int value) { setsockopt(connection, IPPROTO_TCP, name, &value, sizeof value); }

// The kernel asks the other side whether it is there; without an answer the connection ends.
void have_kernel_ask(int connection) {
  const char* const text = std::getenv("WEFT_LAUNCH_LOST_AFTER");  // NOLINT(concurrency-mt-unsafe): one OS thread
  int const lost_after = text != nullptr ? std::atoi(text) : 4;
  if (lost_after <= 0) return;
  int const on = 1;
  set_option(connection, TCP_KEEPIDLE, 1);
  set_option(connection, TCP_KEEPINTVL, 1);
  set_option(connection, TCP_KEEPCNT, lost_after > 1 ? lost_after - 1 : 1);
  setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

// A connection whose other side knows the secret, with which the meeting begins; less than 0: there
// is none.
int welcome(int listener, const std::string& meeting) {
  int const made = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (made < 0) return -1;
  hello its{};
  pollfd one{.fd = made, .events = POLLIN, .revents = 0};
  char const answer = 'W';
  if (poll(&one, 1, hello_ms) == 1 && recv(made, &its, sizeof its, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof its) &&
      meeting.compare(0, secret_letters, its.secret.data(), its.secret.size()) == 0 &&
      send(made, &answer, 1, MSG_NOSIGNAL) == 1) {
    have_kernel_ask(made);
    return made;
  }
  close(made);
  return -1;
}

// What was started and has not ended by itself.
void kill_children() {
  for (int rounds = 0; rounds < 100; ++rounds) {
    std::ifstream list("/proc/thread-self/children");
    pid_t process = 0;
    bool is_any = false;
    while (list >> process) is_any = kill(process, SIGKILL) == 0 || is_any;
    if (!is_any) return;
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
    usleep(1000);
  }
}

// What a keeper says of a job that fails, as net/mpi/watch.cpp has it.
struct failure {
  int status = 1;         // never 0
  std::string_view line;  // empty: it has been told
};

failure read_failure(std::string_view said) {
  failure read;
  auto const [rest, error] = std::from_chars(said.data(), said.data() + said.size(), read.status);
  if (error != std::errc() || read.status == 0) read.status = 1;
  read.line = said.substr(static_cast<std::size_t>(rest - said.data()));
  if (read.line.starts_with(' ')) read.line.remove_prefix(1);
  if (read.line.starts_with('\n')) read.line = {};
  return read;
}

class wait_for_launcher {
 public:
  wait_for_launcher(pid_t launcher, std::vector<int> listeners, std::string meeting, int signals)
      : launcher_(launcher), listeners_(std::move(listeners)), meeting_(std::move(meeting)), signals_(signals) {}

  // As waitpid has it.
  int wait() {
    int status = 0;
    while (true) {
      std::vector<pollfd> of = {pollfd{.fd = signals_, .events = POLLIN, .revents = 0},
                                pollfd{.fd = connection_, .events = POLLIN, .revents = 0}};
      for (int const each : listening()) of.push_back(pollfd{.fd = each, .events = POLLIN, .revents = 0});
      poll(of.data(), of.size(), time_left());
      pass_signals_on();
      if (waitpid(launcher_, &status, WNOHANG) == launcher_) {
        hear_last_line();
        return status;
      }
      if (of[1].revents != 0) hear();
      take_connection();
      end_late_launcher();
    }
  }
  [[nodiscard]] bool has_killed() const { return has_killed_; }
  // Of the rank whose end ended the job. Launchers return a signal, or 128 more, or mix it with the
  // statuses of ranks that they have ended.
  [[nodiscard]] std::optional<int> status_of_rank() const { return status_of_rank_; }

 private:
  [[nodiscard]] int time_left() const {
    if (!deadline_) return -1;
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - seconds_clock::now()).count();
    return left < 0 ? 0 : static_cast<int>(left) + 1;
  }

  // The terminal has sent its own to the launcher as well.
  void pass_signals_on() const {
    signalfd_siginfo one{};
    while (read(signals_, &one, sizeof one) == static_cast<ssize_t>(sizeof one)) {
      auto const signal = static_cast<int>(one.ssi_signo);
      if (signal != SIGCHLD && one.ssi_code != SI_KERNEL) kill(launcher_, signal);
    }
  }

  // The line may have come with the launcher's end, and so may the connection on which it comes.
  void hear_last_line() {
    take_connection();
    if (connection_ >= 0) hear();
  }

  // The ranks end: the launcher has a while to end, too.
  void hear() {
    std::array<char, 1024> said{};
    ssize_t const got = recv(connection_, said.data(), said.size() - 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    bool const is_lost = got < 0 && errno != ECONNRESET;
    if (is_lost) fmt::print(stderr, "weft: the node of rank 0 did not answer; the job was ended\n");
    if (said[0] == failed) take(read_failure(said.data() + 1));
    if (got <= 0) deadline_ = seconds_clock::now() + ends_unheard_within;
    if (is_lost || said[0] == failed) deadline_ = seconds_clock::now() + launcher_ends_within;
    close(connection_);
    connection_ = -1;
  }

  // One connection is heard. Another side that comes later finds no answer, and is soon ended.
  [[nodiscard]] std::span<const int> listening() const {
    return was_connected_ ? std::span<const int>() : std::span<const int>(listeners_);
  }

  void take_connection() {
    for (int const each : listening()) {
      if (connection_ < 0) connection_ = welcome(each, meeting_);
    }
    was_connected_ = was_connected_ || connection_ >= 0;
  }

  void take(const failure& told) {
    if (!told.line.empty()) fmt::print(stderr, "weft: {}", told.line);
    status_of_rank_ = told.status;
  }

  void end_late_launcher() {
    if (!deadline_ || seconds_clock::now() < *deadline_) return;
    has_killed_ = true;
    kill(launcher_, was_asked_ ? SIGKILL : SIGTERM);
    was_asked_ = true;
    deadline_ = seconds_clock::now() + dies_within;
  }

  pid_t launcher_;
  std::vector<int> listeners_;
  int connection_ = -1;
  std::string meeting_;
  int signals_;
  std::optional<seconds_clock::time_point> deadline_;
  std::optional<int> status_of_rank_;
  bool was_connected_ = false, was_asked_ = false, has_killed_ = false;
};

[[noreturn]] void become(const std::string& file, std::vector<std::string> words, const sigset_t& mask) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execv(file.c_str(), arguments.data());
  fmt::print(stderr, "weft: {} cannot be run: {}\n", file, std::generic_category().message(errno));
  _exit(1);
}

}  // namespace

// An MPI may start rank 0 on another machine.
mpi_wait::mpi_wait() {
  constexpr int tries = 16;  // of ports that are free at one address and perhaps not at the next
  std::string const secret = make_secret();
  std::vector<own_address> const all = secret.empty() ? std::vector<own_address>() : addresses();
  bool is_done = all.empty();
  for (int i = 0; i < tries && !is_done; ++i) {
    in_port_t port = 0;
    std::string told;
    is_done = true;
    for (const own_address& each : all) {
      int const made = listen_at(each, &port);
      is_done = is_done && (made >= 0 || errno != EADDRINUSE);
      if (made >= 0) listeners_.push_back(made);
      if (made >= 0) told += "/" + each.text;
    }
    if (is_done && !listeners_.empty()) meeting_ = fmt::format("{}/{}{}", secret, ntohs(port), told);
    if (!is_done) stop_listening();
  }
}

mpi_wait::~mpi_wait() { stop_listening(); }

void mpi_wait::stop_listening() {
  for (int const each : listeners_) close(each);
  listeners_.clear();
}

int mpi_wait::run(const std::string& file, std::vector<std::string> words) {
  sigset_t waited_for;
  sigset_t before;
  sigemptyset(&waited_for);
  sigaddset(&waited_for, SIGCHLD);
  for (int const each : passed_on) sigaddset(&waited_for, each);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &waited_for, &before);
  int const signals = signalfd(-1, &waited_for, SFD_CLOEXEC | SFD_NONBLOCK);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t const launcher = fork();
  if (launcher == 0) become(file, std::move(words), before);
  if (launcher < 0 || signals < 0)
    throw std::runtime_error(fmt::format("{} cannot be started: {}", file, std::generic_category().message(errno)));
  wait_for_launcher waiting(launcher, listeners_, meeting_, signals);
  int const status = waiting.wait();
  if (waiting.has_killed()) kill_children();
  if (waiting.has_killed() || waiting.status_of_rank()) return waiting.status_of_rank().value_or(1);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  rlimit const none{};
  setrlimit(RLIMIT_CORE, &none);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 1;
}

}  // namespace cli
