// Protocol Y over lang/runtime/words.hpp: a request is answered or withdrawn, and never both; what
// a thief wants, what a victim gives and what a task leaves are seen by the other side; a worker
// that sleeps is woken by what it waits for.
#include "explorer/explorer.hpp"
#include "lang/runtime/words.hpp"

namespace base = weft::base;
using namespace weft::tascell_runtime;
using namespace explorer::words;

namespace {

constexpr unsigned thief_index = 3;

// A victim and a thief. What is no atomic is plain: the explorer finds races of it.
struct scene {
  atomic<std::uint32_t> poll_word{0};
  atomic<std::uint64_t> bits[1] = {};
  request_set requests;
  mailbox answers;
  int wanted = 0, given = 0;
  int answered = 0;  // of the victim

  scene() { requests.use(bits); }

  void ask(int what) {
    wanted = what;
    answers.clear();
    requests.post(thief_index);
    draw_attention(poll_word, wants_work);
  }
  std::uintptr_t wait() {
    while (answers.look() == mailbox::empty) spin_hint();
    return answers.look();
  }
  void attend() {
    const std::uint64_t taken = requests.take(0);
    if (taken == 0) return;
    check(taken == std::uint64_t{1} << thief_index, "the bit of the thief");
    ++answered;
    given = wanted * 10;
    answers.answer(reinterpret_cast<std::uintptr_t>(&given));
  }
};

void answered() {
  scene its;
  threads(thread{"thief",
                 [&] {
                   its.ask(7);
                   check(its.wait() != mailbox::none && its.given == 70, "the task is the one that was made");
                 }},
          thread{"victim", [&] {
                   while (!draws_attention(its.poll_word)) spin_hint();
                   take_attention(its.poll_word, 0);
                   its.attend();
                   check(its.answered == 1, "attention is drawn to a request that is there");
                 }});
}

// The thief gives up, and asks for something else unless it is answered.
void withdrawn() {
  scene its;
  int tasks = 0;
  threads(thread{"thief",
                 [&] {
                   its.ask(1);
                   if (!its.requests.withdraw(thief_index)) {
                     its.wait();
                     check(its.given == 10, "the answer is to this request");
                     tasks = 1;
                     return;
                   }
                   its.ask(2);
                   if (its.requests.withdraw(thief_index)) return;
                   its.wait();
                   check(its.given == 20, "the answer is to this request");
                   tasks = 1;
                 }},
          thread{"victim", [&] {
                   its.attend();
                   if (its.answered == 0) its.attend();
                 }});
  check(its.answered == tasks, "what was answered was not withdrawn");
}

void cancelled() {
  atomic<std::uint32_t> poll_word{0}, is_cancelled{0};
  threads(thread{"giver",
                 [&] {
                   is_cancelled.store(1, base::relaxed);
                   draw_attention(poll_word, wants_end);
                 }},
          thread{"thief", [&] {
                   if (take_attention(poll_word, 0) == 0) return;
                   check(is_cancelled.load(base::relaxed) == 1, "attention is drawn to a task that was cancelled");
                 }});
}

struct given_task {
  atomic<std::uint32_t> state{task_given};
  int result = 0;
  sleeper bed;
  base::atomic<int> token{0};

  void run() {
    result = 5;
    end_task(state, 0);
    if (bed.must_be_woken(sleeper::shallow)) token.fetch_add(1, base::release);
  }
  void take_token() {
    while (token.load(base::acquire) == 0) spin_hint();
    token.fetch_sub(1, base::relaxed);
  }
  void take() {
    check(result == 5, "the results are there");
    result = 0;  // as if it were freed
  }
};

void joined() {
  given_task one;
  threads(thread{"thief", [&] { one.run(); }}, thread{"giver", [&] {
                                                        while (!has_ended(one.state)) spin_hint();
                                                        one.take();
                                                      }});
}

void slept() {
  given_task one;
  threads(thread{"thief", [&] { one.run(); }}, thread{"giver", [&] {
                                                        one.bed.lie_down(sleeper::shallow);
                                                        if (!has_ended(one.state))
                                                          one.take_token();
                                                        else if (!one.bed.get_up())
                                                          one.take_token();
                                                        check(has_ended(one.state), "the sleeper is woken by the end");
                                                        one.take();
                                                      }});
  check(one.token.load(base::relaxed) == 0, "no token is left");
}

// The watch is left while another idle worker goes to sleep: one of them goes on asking.
void watched() {
  watch keeper;
  sleeper bed;
  base::atomic<int> token{0};
  check(keeper.take(0), "the watch is free");
  threads(thread{"watcher",
                 [&] {
                   if (keeper.leave(0) && bed.must_be_woken(sleeper::deep)) token.store(1, base::release);
                 }},
          thread{"idle", [&] {
                   while (!keeper.take(1)) {
                     bed.lie_down(sleeper::deep);
                     if (keeper.is_kept() || !bed.get_up())
                       while (token.load(base::acquire) == 0) spin_hint();
                   }
                 }});
  check(keeper.is_kept(), "one keeps the watch");
}

const model m1{"Y a request is answered", {.at_least = 3}, answered};
const model m2{"Y a request is withdrawn", {.at_least = 10}, withdrawn};
const model m3{"Y a task is cancelled", {.at_least = 2}, cancelled};
const model m4{"Y a task is joined", {.at_least = 2}, joined};
const model m5{"Y a giver sleeps", {.at_least = 5}, slept};
const model m6{"Y the watch is left", {.at_least = 3}, watched};

}  // namespace
