#include "frames_loopback.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace weft::test {
namespace {

struct network;

struct node : net::frame_group {
  std::shared_ptr<network> all;
  std::deque<net::incoming> arrived;
  std::map<std::uint32_t, std::uint64_t> sent;  // to each node
  bool is_woken = false;
  std::condition_variable changed;
};

struct network {
  std::mutex lock;
  std::map<std::uint32_t, node*> nodes;
  std::uint32_t last = 0, first = 0;
};

std::mutex names_lock;
std::map<std::string, std::weak_ptr<network>> names;

void tell(node* to, const net::incoming& what) {
  to->arrived.push_back(what);
  to->changed.notify_one();
}

net::incoming about(const node* of, net::happening what) {
  net::incoming result;
  result.what = what;
  result.from = of->self;
  return result;
}

net::frame_group* open(const net::frame_options& options) {
  std::lock_guard const names_guard(names_lock);
  std::weak_ptr<network>& known = names[options.address];
  std::shared_ptr<network> all = known.lock();
  if (all == nullptr) known = all = std::make_shared<network>();
  auto* const self = new node;
  std::lock_guard const guard(all->lock);
  self->by = &loopback;
  self->self = ++all->last;
  if (all->first == 0) all->first = self->self;
  self->first = all->first;
  self->all = all;
  for (auto const& [number, other] : all->nodes) {
    tell(other, about(self, net::happening::joined));
    tell(self, about(other, net::happening::joined));
  }
  all->nodes[self->self] = self;
  return self;
}

void send(net::frame_group* group, const net::outgoing& what) {
  auto* const self = static_cast<node*>(group);
  {
    std::lock_guard const guard(self->all->lock);
    auto const found = self->all->nodes.find(what.to);
    if (found != self->all->nodes.end()) {
      net::incoming got = about(self, net::happening::frame);
      got.type = what.type;
      got.sequence = ++self->sent[what.to];
      for (unsigned i = 0; i < what.count; ++i) got.size += what.parts[i].bytes;
      if (got.size != 0) got.bytes = static_cast<std::byte*>(std::malloc(got.size));
      std::size_t at = 0;
      for (unsigned i = 0; i < what.count; ++i) {
        if (what.parts[i].bytes != 0) std::memcpy(got.bytes + at, what.parts[i].at, what.parts[i].bytes);
        at += what.parts[i].bytes;
      }
      tell(found->second, got);
    }
  }
  if (what.release != nullptr) what.release(what.owner);
}

bool take(node* self, net::incoming* out) {
  if (self->arrived.empty()) return false;
  *out = self->arrived.front();
  self->arrived.pop_front();
  return true;
}

bool poll(net::frame_group* group, net::incoming* out) {
  auto* const self = static_cast<node*>(group);
  std::lock_guard const guard(self->all->lock);
  return take(self, out);
}

bool wait(net::frame_group* group, net::incoming* out, std::uint64_t deadline_ns) {
  auto* const self = static_cast<node*>(group);
  std::unique_lock guard(self->all->lock);
  auto const is_over = [self] { return !self->arrived.empty() || self->is_woken; };
  if (deadline_ns == UINT64_MAX) {
    self->changed.wait(guard, is_over);
  } else {
    std::chrono::steady_clock::time_point const until{std::chrono::nanoseconds(deadline_ns)};
    self->changed.wait_until(guard, until, is_over);
  }
  self->is_woken = false;
  return take(self, out);
}

void wake(net::frame_group* group) {
  auto* const self = static_cast<node*>(group);
  std::lock_guard const guard(self->all->lock);
  self->is_woken = true;
  self->changed.notify_one();
}

std::uint64_t backlog(const net::frame_group*) { return 0; }

void go(net::frame_group* group, net::happening how) {
  auto* const self = static_cast<node*>(group);
  {
    std::lock_guard const guard(self->all->lock);
    self->all->nodes.erase(self->self);
    for (auto const& [number, other] : self->all->nodes) tell(other, about(self, how));
  }
  for (net::incoming const& each : self->arrived) std::free(each.bytes);
  delete self;
}

void close(net::frame_group* group) { go(group, net::happening::left); }

}  // namespace

const net::frames loopback = {"loopback", true, true, open, send, poll, wait, wake, backlog, close};

void kill_loopback(net::frame_group* group) { go(group, net::happening::died); }

}  // namespace weft::test
