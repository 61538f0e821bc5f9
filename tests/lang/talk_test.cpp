// What waits for the door, where only it may send: in order, whole, and released once.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../../lang/runtime/node_talk.hpp"

using namespace weft::tascell_runtime;

namespace {

struct door_group : net::frame_group {
  std::vector<std::string> sent;
  unsigned wakes = 0;
};

void send(net::frame_group* group, const net::outgoing& what) {
  std::string text = std::to_string(what.to) + ":" + std::to_string(what.type) + ":";
  for (unsigned i = 0; i < what.count; ++i) text.append(static_cast<const char*>(what.parts[i].at), what.parts[i].bytes);
  static_cast<door_group*>(group)->sent.push_back(text);
  if (what.release != nullptr) what.release(what.owner);
}
void wake(net::frame_group* group) { ++static_cast<door_group*>(group)->wakes; }

constexpr net::frames by_door = {"by-door", false, false, nullptr, send, nullptr, nullptr, wake, nullptr, nullptr};

}  // namespace

TEST_CASE("what waits for the door goes out in order and is released once") {
  door_group group;
  node self;
  self.by = &by_door;
  self.group = &group;
  unsigned releases = 0;
  const auto release = +[](void* count) { ++*static_cast<unsigned*>(count); };
  self.door = pthread_self();
  std::thread worker([&] {  // not the door
    char head[] = "one", rest[] = "copied";
    say(&self, 2, ask_message, head, 3, rest, 6);
    std::memset(head, 'x', 3);
    std::memset(rest, 'x', 6);
    static const char owned[] = "owned";
    say(&self, 3, give_message, "two", 3, owned, 5, release, &releases);
    say(&self, 2, none_message, "three", 5);
    say(&self, 2, hint_message, nullptr, 0);
  });
  worker.join();
  CHECK(group.sent.empty());
  CHECK(group.wakes == 4);
  CHECK(releases == 0);
  send_waiting(&self);
  CHECK(group.sent == std::vector<std::string>{"2:64:onecopied", "3:66:twoowned", "2:65:three", "2:70:"});
  CHECK(releases == 1);
  say(&self, 2, back_message, "of the door", 11);
  CHECK(group.sent.back() == "2:69:of the door");
  std::thread([&] { say(&self, 3, give_message, "late", 4, "owned", 5, release, &releases); }).join();
  drop_waiting(&self);
  CHECK(releases == 2);
  send_waiting(&self);
  CHECK(group.sent.size() == 5);
}
