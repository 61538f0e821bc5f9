// Parents that park until their children have ended, over family.cpp of the Qthreads face: a parent
// sees what the children did, is woken by the last of those that it awaits, and the word that they
// share is freed once, by the last that uses it.
// Built with faces/qthreads/src/family.cpp
#include "family.hpp"
#include "qthread_world.hpp"

// A pause does not pass: a parent that is not woken is a deadlock.
extern "C" std::uint64_t weft_deadline_in(std::uint64_t) { return WEFT_FOREVER; }

namespace {

using namespace qthread_world::words;

struct households {
  unit parent, first, second, grandchild;
  int done[3] = {};  // by first, second, grandchild

  households() { qthread_world::begin(); }
  void add(unit& maker, unit& child) {
    add_to_family(&maker.fields, &child.fields);
    check(child.fields.parent != nullptr, "there is memory");
  }
  void work(unit& one, int number) {
    qthread_world::run_as(one);
    done[number] = 1;
    end_family(&one.fields);
  }
  void join(unit& one) {
    const offspring& made = one.fields.made;
    while (yield_to_children(&one.fields) || made.seen != made.forked) {
    }
  }
};

void two_children() {
  households shared;
  shared.add(shared.parent, shared.first);
  shared.add(shared.parent, shared.second);
  threads(thread{"parent",
                 [&] {
                   qthread_world::run_as(shared.parent);
                   shared.join(shared.parent);
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what the children did");
                   end_family(&shared.parent.fields);
                 }},
          thread{"first", [&] { shared.work(shared.first, 0); }}, thread{"second", [&] { shared.work(shared.second, 1); }});
  check(face_heap::live() == 0, "the words are freed");
}

// A second group, while a child of the first may still run.
void two_groups() {
  households shared;
  shared.add(shared.parent, shared.first);
  flag is_forked;
  threads(thread{"parent",
                 [&] {
                   qthread_world::run_as(shared.parent);
                   static_cast<void>(yield_to_children(&shared.parent.fields));
                   shared.add(shared.parent, shared.second);
                   is_forked.raise();
                   shared.join(shared.parent);
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what the children did");
                   end_family(&shared.parent.fields);
                 }},
          thread{"first", [&] { shared.work(shared.first, 0); }}, thread{"second", [&] {
                                                                           is_forked.await();
                                                                           shared.work(shared.second, 1);
                                                                         }});
  check(face_heap::live() == 0, "the words are freed");
}

// A parent that a child has woken once, so that it does not await the first group any more: it parks
// until one child has ended, and both may end before it has announced that.
void a_group_after_a_wake_up() {
  households shared;
  shared.add(shared.parent, shared.first);
  shared.parent.fields.made.has_parked = true;
  shared.add(shared.parent, shared.second);
  threads(thread{"parent",
                 [&] {
                   qthread_world::run_as(shared.parent);
                   shared.join(shared.parent);
                   check(shared.done[0] == 1 && shared.done[1] == 1, "what the children did");
                   end_family(&shared.parent.fields);
                 }},
          thread{"first", [&] { shared.work(shared.first, 0); }}, thread{"second", [&] { shared.work(shared.second, 1); }});
  check(face_heap::live() == 0, "the words are freed");
}

// The parent does not wait.
void a_parent_that_ends() {
  households shared;
  shared.add(shared.parent, shared.first);
  shared.add(shared.parent, shared.second);
  threads(thread{"parent", [&] { end_family(&shared.parent.fields); }}, thread{"first", [&] { shared.work(shared.first, 0); }},
          thread{"second", [&] { shared.work(shared.second, 1); }});
  check(face_heap::live() == 0, "the words are freed");
}

// A child that is a parent: its end is told when it has ended itself.
void three_generations() {
  households shared;
  shared.add(shared.parent, shared.first);
  shared.add(shared.first, shared.grandchild);
  threads(thread{"parent",
                 [&] {
                   qthread_world::run_as(shared.parent);
                   shared.join(shared.parent);
                   check(shared.done[0] == 1 && shared.done[2] == 1, "what the child and its child did");
                   end_family(&shared.parent.fields);
                 }},
          thread{"child",
                 [&] {
                   qthread_world::run_as(shared.first);
                   shared.join(shared.first);
                   check(shared.done[2] == 1, "what the grandchild did");
                   shared.work(shared.first, 0);
                 }},
          thread{"grandchild", [&] { shared.work(shared.grandchild, 2); }});
  check(face_heap::live() == 0, "the words are freed");
}

constexpr bounds quick{.preemptions = 2, .weak = 2, .executions = 20'000};
constexpr bounds deep{.preemptions = 4, .weak = 3, .spurious = 1, .executions = 300'000};

const model m1{"Q family of two children", {.at_least = 50, .quick = quick, .deep = deep}, two_children};
const model m2{"Q family of two groups", {.at_least = 50, .quick = quick, .deep = deep}, two_groups};
const model m5{"Q family of a group after a wake-up", {.at_least = 50, .quick = quick, .deep = deep}, a_group_after_a_wake_up};
const model m3{"Q family whose parent ends", {.at_least = 10, .quick = quick, .deep = deep}, a_parent_that_ends};
const model m4{"Q family of three generations", {.at_least = 50, .quick = quick, .deep = deep}, three_generations};

}  // namespace
