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

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
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

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address == nullptr) return "";
  if (address->sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, address, sizeof four);
    inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
  } else if (address->sa_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, address, sizeof six);
    if (!IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

// The addresses of this machine. The one that only this machine reaches comes last.
std::string addresses() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  std::string own;
  std::string others;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if ((each->ifa_flags & IFF_UP) == 0) continue;
    std::string const text = text_of(each->ifa_addr);
    if (!text.empty()) ((each->ifa_flags & IFF_LOOPBACK) != 0 ? own : others) += "/" + text;
  }
  freeifaddrs(all);
  return others + own;
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

// A connection whose other side knows the secret; less than 0: there is none.
int welcome(int listener, const std::string& secret) {
  int const made = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  if (made < 0) return -1;
  hello its{};
  pollfd one{.fd = made, .events = POLLIN, .revents = 0};
  char const answer = 'W';
  if (poll(&one, 1, hello_ms) == 1 && recv(made, &its, sizeof its, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof its) &&
      secret.compare(0, secret_letters, its.secret.data(), its.secret.size()) == 0 && send(made, &answer, 1, MSG_NOSIGNAL) == 1) {
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

// The exit status other than 0 that a line about a rank names.
std::optional<int> status_in(std::string_view line) {
  constexpr std::string_view before = "exited with status ";
  auto const at = line.find(before);
  int status = 0;
  if (at != std::string_view::npos) std::from_chars(line.data() + at + before.size(), line.data() + line.size(), status);
  return status != 0 ? std::optional(status) : std::nullopt;
}

class wait_for_launcher {
 public:
  wait_for_launcher(pid_t launcher, int listener, std::string secret, int signals)
      : launcher_(launcher), listener_(listener), secret_(std::move(secret)), signals_(signals) {}

  // As waitpid has it.
  int wait() {
    int status = 0;
    while (true) {
      std::array<pollfd, 3> of = {pollfd{.fd = signals_, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = listener_, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = connection_, .events = POLLIN, .revents = 0}};
      poll(of.data(), of.size(), time_left());
      pass_signals_on();
      if (waitpid(launcher_, &status, WNOHANG) == launcher_) {
        hear_last_line();
        return status;
      }
      if (of[1].revents != 0 && connection_ < 0) connection_ = welcome(listener_, secret_);
      if (of[2].revents != 0) hear();
      end_late_launcher();
    }
  }
  [[nodiscard]] bool has_killed() const { return has_killed_; }
  // Of the rank whose exit ended the job: the launcher's may be that of a rank which that one took
  // along.
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
    pollfd one{.fd = listener_, .events = POLLIN, .revents = 0};
    if (connection_ < 0 && poll(&one, 1, 0) == 1) connection_ = welcome(listener_, secret_);
    if (connection_ >= 0) hear();
  }

  // The ranks end: the launcher has a while to end, too.
  void hear() {
    std::array<char, 1024> said{};
    ssize_t const got = recv(connection_, said.data(), said.size() - 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    bool const is_lost = got < 0 && errno != ECONNRESET;
    if (is_lost) fmt::print(stderr, "weft: the node of rank 0 did not answer; the job was ended\n");
    if (said[0] == failed && said[1] != '\n') fmt::print(stderr, "weft: {}", said.data() + 1);
    if (said[0] == failed) status_of_rank_ = status_in(said.data() + 1);
    if (got <= 0) deadline_ = seconds_clock::now() + ends_unheard_within;
    if (is_lost || said[0] == failed) deadline_ = seconds_clock::now() + launcher_ends_within;
    close(connection_);
    connection_ = -1;
    listener_ = -1;
  }

  void end_late_launcher() {
    if (!deadline_ || seconds_clock::now() < *deadline_) return;
    has_killed_ = true;
    kill(launcher_, was_asked_ ? SIGKILL : SIGTERM);
    was_asked_ = true;
    deadline_ = seconds_clock::now() + dies_within;
  }

  pid_t launcher_;
  int listener_, connection_ = -1;
  std::string secret_;
  int signals_;
  std::optional<seconds_clock::time_point> deadline_;
  std::optional<int> status_of_rank_;
  bool was_asked_ = false, has_killed_ = false;
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

mpi_wait::mpi_wait() {
  int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int const both = 0;
  if (listener >= 0) setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof both);
  if (listener < 0) listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in6 bound{};  // the port stands where sockaddr_in has it
  socklen_t bytes = sizeof bound;
  std::string const secret = make_secret();
  // listen(2) without bind(2) takes a free port on all addresses.
  if (listener < 0 || secret.empty() || listen(listener, 1) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &bytes) != 0) {
    if (listener >= 0) close(listener);
    return;
  }
  listener_ = listener;
  meeting_ = fmt::format("{}/{}{}", secret, ntohs(bound.sin6_port), addresses());
}

mpi_wait::~mpi_wait() {
  if (listener_ >= 0) close(listener_);
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
  wait_for_launcher waiting(launcher, listener_, meeting_, signals);
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
