// Work that comes from outside, without an OS thread that watches, in C++: messages in a pipe. The
// worker that has nothing to do sleeps in epoll_wait, and the message itself wakes it.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <weft/ext.h>
#include <weft/channel.hpp>
#include <weft/runtime.hpp>
#include <weft/thread.hpp>

namespace {

using namespace std::chrono_literals;

constexpr int message_count = 5;

void must(weft_status status) {
  if (status != WEFT_OK) throw weft::error(status, "29_sleep_in_a_source");
}

class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {
    if (number < 0) throw std::runtime_error("no file descriptor is left");
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { ::close(number_); }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

// The messages of a pipe, in a channel.
class pipe_source {
 public:
  explicit pipe_source(int pipe) : pipe_(pipe) {
    watch(pipe_);
    watch(bell_.number());
    weft_source_ops ops{};
    ops.size = sizeof ops;
    ops.poll = [](void* self) { return static_cast<pipe_source*>(self)->poll(); };
    ops.wait = [](void* self, std::uint64_t deadline_ns) { static_cast<pipe_source*>(self)->wait(deadline_ns); };
    ops.wake = [](void* self) { static_cast<pipe_source*>(self)->wake(); };
    must(weft_ext_source_add_with(&ops, this, &source_));
    weft_ext_source_expect(source_, 1);  // a thread that waits for messages is no deadlock
  }
  pipe_source(const pipe_source&) = delete;
  pipe_source& operator=(const pipe_source&) = delete;
  ~pipe_source() { static_cast<void>(weft_ext_source_remove(source_)); }

  char receive() { return arrived_.value_pop(); }

 private:
  void watch(int number) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = number;
    if (::epoll_ctl(set_.number(), EPOLL_CTL_ADD, number, &event) != 0) throw std::runtime_error("epoll_ctl");
  }

  // On a worker, one at a time. What finds no room stays in the pipe until the next poll.
  std::size_t poll() noexcept {
    std::size_t count = 0;
    while (has_message_ || ::read(pipe_, &message_, 1) == 1) {
      has_message_ = arrived_.try_push(message_) != weft::channel_op_status::success;
      if (has_message_) break;
      ++count;
    }
    return count;
  }

  void wait(std::uint64_t deadline_ns) noexcept {
    epoll_event event;
    std::uint64_t rings;
    if (::epoll_wait(set_.number(), &event, 1, milliseconds_until(deadline_ns)) != 1) return;
    if (event.data.fd == bell_.number() && ::read(bell_.number(), &rings, sizeof rings) < 0) std::perror("read");
  }

  void wake() noexcept {
    const std::uint64_t one = 1;
    if (::write(bell_.number(), &one, sizeof one) < 0) std::perror("write");
  }

  static int milliseconds_until(std::uint64_t deadline_ns) noexcept {
    if (deadline_ns == WEFT_FOREVER) return -1;
    const std::uint64_t now_ns = weft_now_ns();
    return deadline_ns > now_ns ? static_cast<int>((deadline_ns - now_ns) / 1'000'000) + 1 : 0;
  }

  int pipe_;
  descriptor set_{::epoll_create1(EPOLL_CLOEXEC)};
  descriptor bell_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  weft::buffered_channel<char> arrived_{16};
  char message_ = '?';
  bool has_message_ = false;
  weft_source* source_ = nullptr;
};

}  // namespace

int main() {
  const weft::runtime runtime;
  int ends[2];
  if (::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) return 1;
  const descriptor from(ends[0]), to(ends[1]);
  pipe_source messages(from.number());

  std::thread sender([&] {  // the outside
    for (int i = 0; i < message_count; ++i) {
      std::this_thread::sleep_for(20ms);
      const char message = static_cast<char>('a' + i);
      if (::write(to.number(), &message, 1) != 1) std::perror("write");
    }
  });
  weft::thread receiver([&] {
    for (int i = 0; i < message_count; ++i) std::printf("got %c\n", messages.receive());
  });
  receiver.join();
  sender.join();
}
