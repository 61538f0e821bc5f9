// What every transport of net/frames.hpp keeps: run by all nodes of a group together, each in a
// process or, over the loopback, in an OS thread of its own. A broken promise is one line on
// stderr.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <thread>
#include <vector>

#include "net/frames.hpp"

namespace weft::test {

inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

class frames_conformance {
 public:
  // The group has just been opened, by one of `nodes`. die ends this node without a word; null: the
  // transport cannot be left so.
  frames_conformance(net::frame_group* group, unsigned nodes, void (*die)(net::frame_group*))
      : group_(group), by_(*group->by), count_(nodes), die_(die) {}

  // True: all promises are kept, as far as this node sees. The group is closed afterwards.
  bool run() {
    const struct {
      const char* name;
      bool (frames_conformance::*scene)();
    } scenes[] = {
        {"every node is told of the others", &frames_conformance::all_join},
        {"frames of all sizes arrive whole, in order and counted", &frames_conformance::all_sizes},
        {"parts are copied, or released once and not changed before", &frames_conformance::buffers},
        {"nodes that all send before they receive go on", &frames_conformance::sends_do_not_wait},
        {"large frames cross", &frames_conformance::large_cross},
        {"a wait ends at its deadline and by wake, and wakes are kept", &frames_conformance::waits_end},
        {"a wait without frames looks now and then", &frames_conformance::waits_pause},
        {"frames of many threads keep each thread's order", &frames_conformance::many_threads},
        {"what a thread sends goes out while the owner waits", &frames_conformance::sends_beside_a_wait},
        {"questions are answered", &frames_conformance::questions},
        {"a death is told once, after the frames that arrived", &frames_conformance::death},
        {"a node that closes is told once, after all its frames", &frames_conformance::leaving},
    };
    for (const auto& each : scenes) {
      ++scene_;
      bool const is_kept = (this->*each.scene)();
      if (is_dead_) return true;
      if (!is_kept || !barrier()) {
        std::fprintf(stderr, "node %u of %u over %s: broken: %s\n", group_->self, count_, by_.name, each.name);
        return false;
      }
    }
    return is_closed_ && (releases_ == owed_ || fail("not every part was released once"));
  }

 private:
  struct message {
    std::uint64_t number, fill;
  };
  struct owned {
    frames_conformance* of;
    std::vector<unsigned char> bytes;
    unsigned char first;
  };
  static constexpr std::uint64_t patience_ns = 60000000000;

  bool fail(const char* what) {
    std::fprintf(stderr, "node %u of %u over %s: %s\n", group_->self, count_, by_.name, what);
    return false;
  }
  [[nodiscard]] std::uint16_t type_of(unsigned within) const {
    return static_cast<std::uint16_t>(net::first_free_type + 8 * scene_ + within);
  }
  static constexpr unsigned of_data = 0, of_answer = 1, of_inner_barrier = 6, of_barrier = 7;

  // ---- sending ----------------------------------------------------------------------------------

  void send(std::uint32_t to, unsigned within, const void* bytes, std::size_t size) {
    const net::frame_part part{bytes, size};
    net::outgoing what;
    what.to = to;
    what.type = type_of(within);
    what.parts = &part;
    what.count = size == 0 ? 0 : 1;
    by_.send(group_, what);
  }
  // Owned bytes in two parts, which must stay as they are until they are released.
  void send_owned(std::uint32_t to, unsigned within, std::size_t size, unsigned char salt) {
    auto* const memory = new owned{this, std::vector<unsigned char>(size), salt};
    for (std::size_t i = 0; i < size; ++i) memory->bytes[i] = pattern(i, salt);
    ++owed_;
    const net::frame_part parts[] = {{memory->bytes.data(), size / 3}, {memory->bytes.data() + size / 3, size - size / 3}};
    net::outgoing what;
    what.to = to;
    what.type = type_of(within);
    what.parts = parts;
    what.count = 2;
    what.owner = memory;
    what.release = [](void* owner) {
      auto* const mine = static_cast<owned*>(owner);
      ++mine->of->releases_;
      for (unsigned char& each : mine->bytes) each = 0xEE;  // a transport that still reads sends this
      delete mine;
    };
    by_.send(group_, what);
  }
  static unsigned char pattern(std::size_t at, unsigned char salt) {
    return static_cast<unsigned char>(at * 7 + (at >> 8) + salt);
  }

  // ---- receiving --------------------------------------------------------------------------------

  // What happens next, in order; frames are checked against the count. False: nothing for a minute.
  bool happen(net::incoming* out) {
    std::uint64_t const until = monotonic_ns() + patience_ns;
    while (!by_.wait(group_, out, until))
      if (monotonic_ns() >= until) return fail("nothing came for a minute");
    if (out->what == net::happening::ended) return !expects_end_ ? fail(out->why) : true;
    if (out->from == 0 || out->from == group_->self) return fail("something came from no other node");
    std::size_t const at = out->from;
    if (at >= seen_.size()) seen_.resize(at + 1);
    if (seen_[at].is_gone) return fail("something came from a node that is gone");
    if (out->what == net::happening::joined) {
      if (seen_[at].is_there) return fail("a node joined twice");
      seen_[at].is_there = true;
      others_.insert(out->from);
      return true;
    }
    if (!seen_[at].is_there) return fail("something came from a node that was not told");
    if (out->what == net::happening::frame) {
      if (out->sequence != ++seen_[at].frames) return fail("the count of frames is wrong");
      if (reinterpret_cast<std::uintptr_t>(out->bytes) % 16 != 0) return fail("bytes are not aligned");
      return true;
    }
    seen_[at].is_gone = true;
    others_.erase(out->from);
    return true;
  }
  // The next happening that is_wanted, in order; others are kept for later: a faster node may be a
  // scene ahead, and have gone.
  template <class Condition>
  bool pick(const Condition& is_wanted, net::incoming* out) {
    for (auto each = kept_.begin(); each != kept_.end(); ++each) {
      if (!is_wanted(*each)) continue;
      *out = *each;
      kept_.erase(each);
      return true;
    }
    for (;;) {
      if (!happen(out)) return false;
      if (is_wanted(*out)) return true;
      if (out->what != net::happening::joined) kept_.push_back(*out);
    }
  }
  // The next frame of a type, from any node.
  bool next(std::uint16_t type, net::incoming* out) {
    return pick([type](const net::incoming& each) { return each.what == net::happening::frame && each.type == type; }, out);
  }
  bool barrier(unsigned within = of_barrier) {
    if (is_closed_) return true;
    std::size_t const others = others_.size();  // one may pass, and go
    for (std::uint32_t const each : others_) send(each, within, nullptr, 0);
    for (std::size_t i = 0; i < others; ++i) {
      net::incoming got;
      if (!next(type_of(within), &got)) return false;
      if (got.bytes != nullptr || got.size != 0) return fail("an empty frame has bytes");
    }
    return true;
  }
  bool is_pattern(const net::incoming& got, std::size_t size, unsigned char salt) {
    bool is_good = got.size == size;
    for (std::size_t i = 0; is_good && i < size; ++i) is_good = static_cast<unsigned char>(got.bytes[i]) == pattern(i, salt);
    std::free(got.bytes);
    return is_good || fail("bytes are wrong");
  }
  static unsigned char salt_of(std::uint32_t from, unsigned index) { return static_cast<unsigned char>(from * 31 + index); }

  // ---- scenes -----------------------------------------------------------------------------------

  bool all_join() {
    if (group_->self == 0 || group_->first == 0) return fail("a node without a number");
    if (group_->nodes != 0 && group_->nodes != count_) return fail("a wrong number of nodes");
    while (others_.size() + 1 < count_) {
      net::incoming got;
      if (!happen(&got)) return false;
      if (got.what == net::happening::frame) kept_.push_back(got);  // of a faster node
      if (got.what != net::happening::joined && got.what != net::happening::frame) return fail("a node went before its time");
    }
    return true;
  }

  bool all_sizes() {
    constexpr std::size_t sizes[] = {0,     1,     7,     8,     9,     31,    32,      4096,         16384,
                                     16385, 16416, 16417, 65535, 65536, 65537, 1 << 20, (1 << 20) + 3};
    unsigned index = 0;
    for (std::size_t const size : sizes) {
      for (std::uint32_t const each : others_) send_owned(each, of_data, size, salt_of(group_->self, index));
      ++index;
    }
    std::vector<unsigned> counts(seen_.size());
    for (std::size_t i = 0; i < others_.size() * index; ++i) {
      net::incoming got;
      if (!next(type_of(of_data), &got)) return false;
      unsigned const which = counts[got.from]++;
      if (!is_pattern(got, sizes[which], salt_of(got.from, which))) return false;
    }
    return true;
  }

  bool buffers() {
    unsigned char bytes[300];
    for (unsigned round = 0; round < 50; ++round) {
      for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = pattern(i, salt_of(group_->self, round));
      for (std::uint32_t const each : others_) send(each, of_data, bytes, sizeof bytes);
      std::memset(bytes, 0xEE, sizeof bytes);
    }
    std::vector<unsigned> counts(seen_.size());
    for (std::size_t i = 0; i < others_.size() * 50; ++i) {
      net::incoming got;
      if (!next(type_of(of_data), &got) || !is_pattern(got, sizeof bytes, salt_of(got.from, counts[got.from]++))) return false;
    }
    return true;
  }

  bool sends_do_not_wait() {
    constexpr std::uint64_t frames = 5000;
    for (std::uint64_t i = 0; i < frames; ++i)
      for (std::uint32_t const each : others_) send(each, of_data, &i, sizeof i);
    return counted(frames);
  }
  // From every other node the numbers from 0.
  bool counted(std::uint64_t frames) {
    std::vector<std::uint64_t> counts(seen_.size());
    for (std::uint64_t i = 0; i < others_.size() * frames; ++i) {
      net::incoming got;
      if (!next(type_of(of_data), &got)) return false;
      std::uint64_t number = 0;
      if (got.size == sizeof number) std::memcpy(&number, got.bytes, sizeof number);
      std::free(got.bytes);
      if (got.size != sizeof number || number != counts[got.from]++) return fail("frames are out of order");
    }
    return true;
  }

  bool large_cross() {
    constexpr std::size_t size = (8 << 20) + 5;
    for (std::uint32_t const each : others_) send_owned(each, of_data, size, salt_of(group_->self, 0));
    for (std::size_t i = 0; i < others_.size(); ++i) {
      net::incoming got;
      if (!next(type_of(of_data), &got) || !is_pattern(got, size, salt_of(got.from, 0))) return false;
    }
    return true;
  }

  bool waits_end() {
    if (!barrier(of_inner_barrier)) return false;
    if (!waits_to_deadline()) return fail("a wait ended before its deadline");
    net::incoming got;
    by_.wake(group_);  // before the wait: it is kept
    bool has_frame = by_.wait(group_, &got, UINT64_MAX);
    if (has_frame) kept_.push_back(count(got));
    if (!has_frame && !waits_to_deadline()) return fail("a wake ended two waits");
    std::thread waker([this] { by_.wake(group_); });
    has_frame = by_.wait(group_, &got, UINT64_MAX);
    if (has_frame) kept_.push_back(count(got));
    waker.join();
    return true;
  }
  // True also if a frame came, of a node that is faster.
  bool waits_to_deadline() {
    net::incoming got;
    std::uint64_t const deadline = monotonic_ns() + 3000000;
    bool const has_frame = by_.wait(group_, &got, deadline);
    if (has_frame) kept_.push_back(count(got));
    return has_frame || monotonic_ns() >= deadline;
  }
  net::incoming count(const net::incoming& got) {
    ++seen_[got.from].frames;
    return got;
  }

  // Looks that a pause of 20 us lets happen, the shortest of a transport's own choice; without
  // pauses there are ten times as many, unless the machine is very busy.
  bool waits_pause() {
    constexpr std::uint64_t most = 20000;
    if (!barrier(of_inner_barrier)) return false;
    std::uint64_t const before = net::read_count(&group_->counts.empty), until = monotonic_ns() + 300000000;
    net::incoming got;
    while (monotonic_ns() < until)
      if (by_.wait(group_, &got, until)) kept_.push_back(count(got));  // of a node that is faster
    return net::read_count(&group_->counts.empty) - before < most || fail("a wait does not pause");
  }

  // The node with the smallest number sends what no network takes at once, and nothing else
  // happens.
  bool sends_beside_a_wait() {
    constexpr std::size_t size = 16 << 20;
    if (!by_.sends_from_any_thread || others_.empty()) return true;
    net::incoming got;
    std::uint32_t const least = *others_.begin();
    if (least < group_->self)
      return next(type_of(of_data), &got) && is_pattern(got, size, salt_of(least, 0)) &&
             (send(least, of_answer, nullptr, 0), true);
    std::thread sender([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the owner waits by then
      for (std::uint32_t const each : others_) send_owned(each, of_data, size, salt_of(group_->self, 0));
    });
    bool is_good = true;
    std::size_t const others = others_.size();
    for (std::size_t i = 0; is_good && i < others; ++i) is_good = next(type_of(of_answer), &got);
    sender.join();
    return is_good;
  }

  bool many_threads() {
    constexpr std::uint64_t frames = 500;
    unsigned const threads = by_.sends_from_any_thread ? 4 : 1;
    const auto send_all = [this](std::uint64_t thread) {
      for (std::uint64_t i = 0; i < frames; ++i) {
        message const what{i, thread};
        for (std::uint32_t const each : others_) send(each, of_data, &what, sizeof what);
      }
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(send_all, i);
    send_all(0);
    std::vector<std::uint64_t> counts(seen_.size() * threads);
    bool is_good = true;
    for (std::uint64_t i = 0; is_good && i < others_.size() * frames * threads; ++i) {
      net::incoming got;
      is_good = next(type_of(of_data), &got);
      message what{};
      if (is_good) std::memcpy(&what, got.bytes, sizeof what);
      std::free(got.bytes);
      is_good = is_good && what.fill < threads && what.number == counts[got.from * threads + what.fill]++;
    }
    for (std::thread& each : others) each.join();
    return is_good || fail("frames of a thread are out of order");
  }

  // Every node asks every other, one question at a time each, and answers meanwhile.
  bool questions() {
    constexpr unsigned rounds = 300;
    std::size_t left = others_.size() * rounds, asked_of_me = left;
    std::vector<unsigned> counts(seen_.size());
    unsigned zero = 0;
    for (std::uint32_t const each : others_) send(each, of_data, &zero, sizeof zero);
    while (left != 0 || asked_of_me != 0) {
      net::incoming got;
      auto const is_one = [this](const net::incoming& each) {
        return each.what == net::happening::frame && (each.type == type_of(of_data) || each.type == type_of(of_answer));
      };
      if (!pick(is_one, &got)) return false;
      unsigned number = 0;
      std::memcpy(&number, got.bytes, sizeof number);
      std::free(got.bytes);
      if (got.type == type_of(of_data)) {
        --asked_of_me;
        send(got.from, of_answer, &number, sizeof number);
        continue;
      }
      --left;
      if (number != counts[got.from]++) return fail("an answer to no question");
      ++number;
      if (number < rounds) send(got.from, of_data, &number, sizeof number);
    }
    return true;
  }

  // The node with the largest number dies.
  bool death() {
    if (die_ == nullptr || count_ < 2) return true;
    std::uint32_t last = group_->self;
    for (std::uint32_t const each : others_) last = each > last ? each : last;
    if (last == group_->self) {
      while (by_.backlog(group_) != 0) {  // what the network has taken arrives
        net::incoming got;
        if (by_.wait(group_, &got, monotonic_ns() + 1000000)) kept_.push_back(got);
      }
      is_dead_ = true;
      die_(group_);
      return true;
    }
    expects_end_ = !by_.survives_death;
    net::incoming got;
    if (!pick([](const net::incoming& each) { return each.what != net::happening::frame; }, &got)) return false;
    if (expects_end_) {
      is_closed_ = true;
      by_.close(group_);
      return got.what == net::happening::ended || fail("a death was not told");
    }
    if (got.what != net::happening::died || got.from != last) return fail("a death was not told");
    --count_;
    send_owned(last, of_data, 1000, 0);  // dropped, and released
    return true;
  }

  // One after the other, from the largest number.
  bool leaving() {
    if (is_closed_) return true;
    constexpr std::uint64_t frames = 100;
    constexpr std::size_t large = 4 << 20;  // which is still under way when its node closes
    std::vector<std::uint64_t> counts(seen_.size());
    while (!others_.empty() || !kept_.empty()) {
      if (kept_.empty() && *others_.rbegin() < group_->self) break;
      net::incoming got;
      auto const is_of_leaving = [this](const net::incoming& each) {
        return each.what != net::happening::frame || each.type == type_of(of_data);
      };
      if (!pick(is_of_leaving, &got)) return false;
      if (got.what == net::happening::frame) {
        std::free(got.bytes);
        ++counts[got.from];
        continue;
      }
      if (got.what != net::happening::left || got.from < group_->self) return fail("leaving was not told");
      if (counts[got.from] != frames + 1) return fail("frames of a node that left are missing");
      // Frames to a node that has left are dropped, and released.
      for (std::size_t const size : {0U, 1000U, 1U << 20U}) send_owned(got.from, of_data, size, 0);
    }
    for (std::uint64_t i = 0; i < frames; ++i)
      for (std::uint32_t const each : others_) send(each, of_data, &i, sizeof i);
    for (std::uint32_t const each : others_) send_owned(each, of_data, large, 0);
    is_closed_ = true;
    by_.close(group_);
    return true;
  }

  struct node {
    bool is_there = false, is_gone = false;
    std::uint64_t frames = 0;
  };

  net::frame_group* group_;
  const net::frames& by_;
  unsigned count_;
  void (*die_)(net::frame_group*);
  unsigned scene_ = 0;
  std::vector<node> seen_;
  std::set<std::uint32_t> others_;
  std::deque<net::incoming> kept_;
  std::atomic<unsigned> releases_{0};
  unsigned owed_ = 0;
  bool is_closed_ = false, is_dead_ = false, expects_end_ = false;
};

}  // namespace weft::test
