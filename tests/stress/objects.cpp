// Random scenes at objects of synchronisation, several at once: buffers, readers and writers, words
// with full/empty bits in all modes, barriers, latches, futures, threads that others join. Each has
// parties that are ULTs, forks within ULTs, and OS threads, plain or adopted, which wait for ever,
// until deadlines that pass or not, or try; and an answer that its seed gives beforehand. Usage:
// objects WORKERS.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <weft/weft.hpp>

#include "scenes_at_locks.hpp"
#include "scenes_at_words.hpp"
#include "stress.hpp"

namespace {

using weft::stress::dice;
using weft::stress::insist;
using weft::stress::scene;

// ---- phases: a barrier, and things that happen once ----

class phases_scene : public scene {
 public:
  explicit phases_scene(dice from) : scene(1 + from.below(7)), rounds_(1 + from.below(20)), steps_(rounds_) {
    OK(weft_barrier_init(&barrier_, parties()));
    for (step& each : steps_) each.latch = {{std::uint64_t{parties()} << 32, 0, 0, 0}};
  }

  void play(unsigned party, dice* time) override {
    for (unsigned round = 0; round < rounds_; ++round) {
      step& now = steps_[round];
      now.sum += party;
      if (time->one_in(3)) weft_yield();
      meet(now, time);
      MUST(now.sum == parties() * (parties() - 1) / 2);
      OK(weft_once_call(&now.once, count, &now.calls));
      MUST(now.calls == 1);
      if (party == round % parties()) OK(weft_future_set(&now.future, &now));
      void* value = nullptr;
      insist(
          time, [&](std::uint64_t deadline) { return weft_future_get_until(&now.future, deadline, &value); },
          [&] { return weft_future_is_set(&now.future) ? weft_future_get(&now.future, &value) : WEFT_BUSY; });
      MUST(value == &now);
    }
  }
  void check() override {
    for (const step& each : steps_) MUST(each.calls == 1 && each.lasts <= 1);
  }

 private:
  struct step {
    std::atomic<unsigned> sum{0}, calls{0}, lasts{0};
    weft_event latch;
    weft_once once = WEFT_ONCE_INIT;
    weft_future future = WEFT_FUTURE_INIT;
  };

  static void count(void* calls) { static_cast<std::atomic<unsigned>*>(calls)->fetch_add(1); }

  // Either by the barrier or by the latch: all do the same in the same round.
  void meet(step& now, dice* time) {
    if ((&now - steps_.data()) % 2 == 0) {
      bool is_last = false;
      OK(weft_barrier_wait(&barrier_, &is_last));
      if (is_last) MUST(now.lasts.fetch_add(1) == 0);
    } else {
      OK(weft_latch_count_down(&now.latch, 1));
      insist(
          time, [&](std::uint64_t deadline) { return weft_event_wait_until(&now.latch, deadline); },
          [&] { return weft_event_is_set(&now.latch) ? weft_event_wait(&now.latch) : WEFT_BUSY; });
    }
  }

  unsigned rounds_;
  weft_barrier barrier_;
  std::vector<step> steps_;
};

// ---- threads and tasklets that one makes and another joins ----

class adoption_scene : public scene {
 public:
  explicit adoption_scene(dice from) : scene(2 + 2 * from.below(3)), each_(1 + from.below(30)), queue_(parties() / 2 * each_) {
    for (post& one : queue_) one.arrived = WEFT_EVENT_INIT;
  }

  void play(unsigned party, dice* time) override {
    post* const posts = &queue_[std::size_t{party / 2} * each_];
    for (unsigned i = 0; i < each_; ++i) party % 2 == 0 ? make(&posts[i], time) : join(&posts[i], time);
  }
  void check() override {
    while (ended_.load() != queue_.size()) weft_yield();  // the detached ones
  }

 private:
  struct post {
    adoption_scene* of = nullptr;
    weft_event arrived;
    weft_thread* thread = nullptr;
    std::atomic<bool> has_run{false};
  };

  static void run(void* argument) {
    auto* here = static_cast<post*>(argument);
    here->has_run = true;
    here->of->ended_.fetch_add(1);
  }
  static void run_slowly(void* argument) {
    weft_yield();
    OK(weft_sleep_ns(1000));
    run(argument);
  }

  void make(post* at, dice* time) {
    at->of = this;
    weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
    attr.name = "adopted";
    const weft_thread_attr* given = time->one_in(2) ? &attr : nullptr;
    if (time->one_in(3)) attr.worker = 0;
    if (time->one_in(4)) {
      OK(weft_tasklet_create(run, at, given, &at->thread));
    } else {
      OK(weft_thread_create(time->one_in(2) ? run : run_slowly, at, given, &at->thread));
    }
    OK(weft_event_set(&at->arrived));
  }
  void join(post* at, dice* time) {
    OK(weft_event_wait(&at->arrived));
    if (time->one_in(6)) {
      OK(weft_thread_detach(at->thread));
      return;
    }
    insist(
        time, [&](std::uint64_t deadline) { return weft_thread_join_until(at->thread, deadline); },
        [&] { return weft_thread_try_join(at->thread); });
    MUST(at->has_run);
  }

  unsigned each_;
  std::vector<post> queue_;
  std::atomic<std::size_t> ended_{0};
};

// ---- a program: several scenes at once ----

std::unique_ptr<scene> some_scene(dice* from) {
  const dice own(from->next());
  switch (from->below(7)) {
    case 0: return std::make_unique<weft::stress::buffer_scene>(own);
    case 1: return std::make_unique<weft::stress::shelf_scene>(own);
    case 2: return std::make_unique<weft::stress::relay_scene>(own);
    case 3: return std::make_unique<weft::stress::notice_scene>(own);
    case 4: return std::make_unique<phases_scene>(own);
    case 5: return std::make_unique<weft::stress::taking_scene>(own);
    default: return std::make_unique<adoption_scene>(own);
  }
}

struct part {
  scene* in;
  unsigned party;
  std::uint64_t seed;
  weft_event* all_ended;  // a latch

  void play() const {
    dice time(seed);
    if (time.one_in(4)) {
      weft::fork([&] { in->play(party, &time); }).join();
    } else {
      in->play(party, &time);
    }
    OK(weft_latch_count_down(all_ended, 1));
  }
};

void play(void* argument) { static_cast<const part*>(argument)->play(); }

std::vector<part> parts_of(const std::vector<std::unique_ptr<scene>>& scenes, dice* from, weft_event* all_ended) {
  std::vector<part> parts;
  for (const auto& each : scenes) {
    for (unsigned party = 0; party < each->parties(); ++party) parts.push_back({each.get(), party, from->next(), all_ended});
  }
  for (std::size_t i = parts.size(); i-- > 1;) std::swap(parts[i], parts[from->below(static_cast<unsigned>(i + 1))]);
  return parts;
}

weft_thread* start_thread(part* one, dice* from) {
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  if (from->one_in(5)) attr.worker = 0;
  if (from->one_in(5)) attr.stack_bytes = 65536;
  weft_thread* made = nullptr;
  OK(weft_thread_create(play, one, from->one_in(2) ? &attr : nullptr, &made));
  return made;
}

// As a ULT on its own OS thread, which runs others meanwhile. Under a schedule there is no second
// OS thread for workers.
void play_adopted(part* one) {
  if (std::getenv("WEFT_SCHEDULE") != nullptr) return one->play();
  OK(weft_worker_adopt(nullptr));
  one->play();
  OK(weft_worker_leave());
}

void run_program(dice from) {
  std::vector<std::unique_ptr<scene>> scenes(1 + from.below(3));
  for (auto& each : scenes) each = some_scene(&from);
  weft_event all_ended;
  std::vector<part> parts = parts_of(scenes, &from, &all_ended);
  all_ended = {{std::uint64_t{parts.size()} << 32, 0, 0, 0}};
  std::vector<weft_thread*> threads;
  std::vector<std::thread> outside;
  for (part& each : parts) {
    if (from.one_in(4)) {
      outside.emplace_back([&each, is_adopted = from.one_in(2)] { is_adopted ? play_adopted(&each) : each.play(); });
    } else {
      threads.push_back(start_thread(&each, &from));
    }
  }
  OK(weft_event_wait(&all_ended));  // those outside may need this worker
  OK(weft_thread_join_many(threads.data(), threads.size()));
  for (std::thread& each : outside) each.join();
  for (const auto& each : scenes) each->check();
  weft::stress::programs.fetch_add(1);
}

void live(unsigned workers, std::uint64_t seed) {
  dice from(seed);
  const weft_config config = weft::stress::some_config(workers, &from);
  OK(weft_init(&config));
  for (int program = 0; program < 10; ++program) run_program(dice(from.next()));
  OK(weft_finalize());
}

}  // namespace

int main(int count, char** arguments) { return weft::stress::live_on("objects", count, arguments, live); }
