// Protocol B over src/queue/inbox.hpp: every node that was pushed is taken exactly once, with what
// its pusher wrote, and a pusher's own nodes keep their order.
#include "arch/cpu.hpp"
#include "base/list.hpp"
#include "explorer/explorer.hpp"
#include "queue/inbox.hpp"

namespace base = weft::base;
using namespace explorer::words;

namespace {

struct node : base::list_link {
  int payload = 0;  // written by the pusher before the push
  int taken = 0;    // written by the taker
};
using inbox = weft::queue::inbox<node>;

void push(inbox& box, node* one, int payload) {
  one->payload = payload;
  box.push(one);
}

// Takes what there is; returns how many. Newest first: of one pusher's nodes a later one comes
// before an earlier one.
int take(inbox& box) {
  int count = 0;
  int newest_of[2] = {100, 100};
  for (node* one = box.take_all(); one != nullptr;) {
    auto* next = static_cast<node*>(one->next);
    const int pusher = one->payload / 10 - 1;
    check(one->payload != 0, "the taker sees what the pusher wrote");
    check(one->payload % 10 < newest_of[pusher], "a pusher's nodes come out newest first");
    newest_of[pusher] = one->payload % 10;
    ++one->taken;
    ++count;
    one = next;
  }
  return count;
}

void two_pushers_one_taker() {
  inbox box;
  node a1, a2, b1;
  threads(thread{"pusher a",
                 [&] {
                   push(box, &a1, 11);
                   push(box, &a2, 12);
                 }},
          thread{"pusher b", [&] { push(box, &b1, 21); }}, thread{"taker", [&] {
                                                                    for (int got = 0; got < 3;) {
                                                                      const int more = take(box);
                                                                      got += more;
                                                                      if (more == 0) weft::arch::pause();
                                                                    }
                                                                  }});
  check(a1.taken == 1 && a2.taken == 1 && b1.taken == 1, "every node is taken once");
}

// Thieves empty other workers' mail: two takers share what comes.
void one_pusher_two_takers() {
  inbox box;
  node a1, a2;
  const auto taker = [&] {
    take(box);
    take(box);
  };
  threads(thread{"pusher",
                 [&] {
                   push(box, &a1, 11);
                   push(box, &a2, 12);
                 }},
          thread{"taker a", taker}, thread{"taker b", taker});
  take(box);
  check(a1.taken == 1 && a2.taken == 1, "every node is taken once");
}

// A node that was taken is pushed again, while the first pusher is still in its loop: no ABA.
void pushed_again() {
  inbox box;
  node a, b;
  threads(thread{"taker",
                 [&] {
                   push(box, &a, 11);
                   if (take(box) != 0) push(box, &a, 11);
                 }},
          thread{"pusher", [&] { push(box, &b, 21); }});
  take(box);
  check(a.taken >= 1 && b.taken == 1, "nothing is lost");
}

const model two_one{"B two pushers, one taker",
                    {.at_least = 500, .quick = {.spurious = 1, .executions = 300'000}, .deep = {.spurious = 1}},
                    two_pushers_one_taker};
const model one_two{"B one pusher, two takers",
                    {.at_least = 500, .quick = {.spurious = 1, .executions = 300'000}, .deep = {.spurious = 1}},
                    one_pusher_two_takers};
const model again{"B pushed again", {.at_least = 20, .quick = {.spurious = 1}, .deep = {.spurious = 1}}, pushed_again};

}  // namespace
