// Protocol D over src/queue/biased_lock.hpp and ready_queue.hpp: owner and thieves are never inside
// together, each sees what the other left behind, every question gets one end, and every unit is
// taken once. D11 and D12 are in steal_model.cpp.
#include "arch/cpu.hpp"
#include "explorer/explorer.hpp"
#include "queue/biased_lock.hpp"
#include "queue/ready_queue.hpp"

namespace base = weft::base;
namespace queue = weft::queue;
using namespace explorer::words;

namespace {

struct node : base::list_link {
  base::atomic<std::uint16_t> in{0};
  int taken = 0;
  bool may_be_stolen() const { return true; }
};

struct thief {
  base::atomic<int> reply{0};  // 1: no unit, 2: `given`
  node* given = nullptr;
};

struct owner {
  owner() { ready.start(1); }

  queue::biased_lock<thief> lock;
  queue::ready_queue<node> ready;

  // Inside the lock: answers the thief that asked.
  void answer(thief* who) {
    who->given = ready.pop_oldest();
    who->reply.store(who->given != nullptr ? 2 : 1, base::release);
  }
  void enter() {
    if (thief* who = lock.enter(); who != nullptr) answer(who);
  }
  void push(node* one) {
    enter();
    ready.push_recent(one);
    lock.leave();
  }
  bool run_one() {
    enter();
    node* one = ready.pop();
    lock.leave();
    if (one != nullptr) ++one->taken;
    return one != nullptr;
  }
};

void read_reply(thief& me) {
  while (me.reply.load(base::acquire) == 0) weft::arch::pause();
  if (me.given != nullptr) ++me.given->taken;
}

// Asks; looks once for an answer; takes the question back by a raid.
void steal(owner& victim, thief& me) {
  using result = queue::biased_lock<thief>::raid_result;
  me.reply.store(0, base::relaxed);
  if (!victim.lock.ask(&me)) return;
  if (me.reply.load(base::relaxed) != 0) return read_reply(me);
  switch (victim.lock.raid(&me)) {
    case result::answered: return read_reply(me);
    case result::owner_busy: return;
    case result::inside: break;
  }
  node* one = victim.ready.pop_oldest();
  victim.lock.end_raid();
  if (one != nullptr) ++one->taken;
}

void retract(owner& victim, thief& me) {
  if (!victim.lock.retract(&me)) read_reply(me);
}

// As the thief does where there is no asymmetric fence.
void ask_and_retract(owner& victim, thief& me) {
  me.reply.store(0, base::relaxed);
  if (victim.lock.ask(&me)) retract(victim, me);
}

template <std::size_t Count>
void check_taken(owner& victim, node (&units)[Count]) {
  while (victim.run_one()) {
  }
  for (const node& each : units) check(each.taken == 1, "every unit is taken once");
}

void one_thief() {
  owner victim;
  thief robber;
  node units[2];
  explorer::name(robber.reply, "reply");
  threads(thread{"owner",
                 [&] {
                   victim.push(&units[0]);
                   victim.push(&units[1]);
                   victim.run_one();
                 }},
          thread{"thief", [&] { steal(victim, robber); }});
  check_taken(victim, units);
}

// The lock alone, the shortest form of the exclusion: one access each side, twice by the owner.
void exclusion() {
  owner victim;
  thief robber;
  int inside = 0;
  threads(thread{"owner",
                 [&] {
                   for (int round = 0; round < 2; ++round) {
                     victim.enter();
                     ++inside;
                     victim.lock.leave();
                   }
                 }},
          thread{"thief", [&] {
                   using result = queue::biased_lock<thief>::raid_result;
                   if (!victim.lock.ask(&robber) || victim.lock.raid(&robber) != result::inside) return;
                   ++inside;
                   victim.lock.end_raid();
                 }});
  check(inside >= 2 && inside <= 3, "no access is lost inside");
}

// Two raids after each other: the second sees what the first left behind, although the owner never
// came.
void two_thieves() {
  owner victim;
  thief first, second;
  node units[2];
  victim.push(&units[0]);
  victim.push(&units[1]);
  threads(thread{"thief a", [&] { steal(victim, first); }}, thread{"thief b", [&] { steal(victim, second); }});
  check_taken(victim, units);
}

void two_thieves_and_owner() {
  owner victim;
  thief first, second;
  node units[2];
  victim.push(&units[0]);
  victim.push(&units[1]);
  threads(thread{"owner", [&] { victim.run_one(); }}, thread{"thief a", [&] { steal(victim, first); }},
          thread{"thief b", [&] { steal(victim, second); }});
  check_taken(victim, units);
}

void without_heavy_fence() {
  owner victim;
  thief robber;
  node units[2];
  threads(thread{"owner",
                 [&] {
                   victim.push(&units[0]);
                   victim.push(&units[1]);
                 }},
          thread{"thief", [&] { ask_and_retract(victim, robber); }});
  check_taken(victim, units);
}

// The way in that answers no thief: the owner turns back when one wants attention.
void turning_back() {
  owner victim;
  thief robber;
  int inside = 0;
  threads(thread{"owner",
                 [&] {
                   for (int round = 0; round < 2; ++round) {
                     if (!victim.lock.try_enter()) continue;
                     ++inside;
                     victim.lock.leave();
                   }
                 }},
          thread{"thief", [&] {
                   using result = queue::biased_lock<thief>::raid_result;
                   if (!victim.lock.ask(&robber) || victim.lock.raid(&robber) != result::inside) return;
                   ++inside;
                   victim.lock.end_raid();
                 }});
  check(inside <= 3, "no access is lost inside");
}

// One question is taken back and another one comes while the owner is about to accept the first.
void question_replaced() {
  owner victim;
  thief first, second;
  node units[2];
  victim.push(&units[0]);
  victim.push(&units[1]);
  check(victim.lock.ask(&first), "no other thief asks");
  threads(thread{"owner", [&] { victim.run_one(); }}, thread{"thief a", [&] { retract(victim, first); }},
          thread{"thief b", [&] { ask_and_retract(victim, second); }});
  check_taken(victim, units);
}

// The same thief asks again: the owner must see what it prepared for the second question, although
// it has seen the first.
void question_asked_again() {
  owner victim;
  thief robber;
  node units[2];
  victim.push(&units[0]);
  victim.push(&units[1]);
  check(victim.lock.ask(&robber), "no other thief asks");
  threads(thread{"owner", [&] { victim.run_one(); }}, thread{"thief", [&] {
                                                               retract(victim, robber);
                                                               ask_and_retract(victim, robber);
                                                             }});
  check_taken(victim, units);
}

constexpr explorer::bounds quick{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 400'000};
constexpr explorer::bounds quick_three{.preemptions = 2, .weak = 1, .impatience = 1, .executions = 400'000};
constexpr explorer::bounds deep{.preemptions = 5, .weak = 3, .impatience = 1, .executions = 20'000'000};
constexpr explorer::bounds deep_three{.preemptions = 3, .weak = 2, .impatience = 1, .executions = 20'000'000};

const model shortest{"D exclusion", {.at_least = 100, .quick = quick, .deep = {.impatience = 1}}, exclusion};
const model single{"D owner and thief", {.at_least = 1000, .quick = quick, .deep = deep}, one_thief};
const model thieves{"D two thieves", {.at_least = 100, .quick = quick, .deep = deep}, two_thieves};
const model three{"D owner and two thieves", {.at_least = 1000, .quick = quick_three, .deep = deep_three}, two_thieves_and_owner};
const model retracted{"D question taken back", {.at_least = 50, .quick = quick, .deep = deep}, without_heavy_fence};
const model back{"D owner turns back", {.at_least = 50, .quick = quick, .deep = deep}, turning_back};
const model replaced{"D question replaced", {.at_least = 50, .quick = quick, .deep = deep}, question_replaced};
const model again{"D question asked again", {.at_least = 50, .quick = quick, .deep = deep}, question_asked_again};

}  // namespace
