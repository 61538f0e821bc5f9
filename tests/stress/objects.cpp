// Random scenes at objects of synchronisation, several at once: buffers, readers and writers, words with full/empty bits in all modes,
// barriers, latches, futures, threads that others join. Each has parties that are ULTs, forks within ULTs, and plain OS threads, which wait
// for ever, until deadlines that pass or not, or try; and an answer that its seed gives beforehand. Usage: objects WORKERS.
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <weft/weft.hpp>

#include "stress.hpp"

namespace {

using weft::stress::dice;
using weft::stress::some_deadline;

// Repeats a call that may time out or be refused for now, in one of its three forms, until it succeeds.
template <class Until, class Try>
void insist(dice* time, Until until, Try try_once) {
  for (;;) {
    const weft_status result = time->one_in(3) ? try_once() : until(some_deadline(time));
    if (result == WEFT_OK) return;
    MUST(result == WEFT_TIMEOUT || result == WEFT_BUSY);
    weft_yield();
  }
}

class scene {
 public:
  explicit scene(unsigned parties) : parties_(parties) {}
  virtual ~scene() = default;
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  unsigned parties() const { return parties_; }
  // time decides what does not matter for the answer.
  virtual void play(unsigned party, dice* time) = 0;
  virtual void check() = 0;  // when all have played

 private:
  unsigned parties_;
};

// ---- a buffer between makers and takers ----

class buffer_scene : public scene {
 public:
  explicit buffer_scene(dice from) : scene(2 + 2 * from.below(4)), each_(1 + from.below(40)), places_(1 + from.below(5)) {}

  void play(unsigned party, dice* time) override {
    for (unsigned i = 0; i < each_; ++i) {
      if (party % 2 == 0) {
        put(party * 1000 + i, time);
      } else {
        taken_ += take(time);
      }
    }
  }
  void check() override {
    std::uint64_t sum = 0;
    for (unsigned party = 0; party < parties(); party += 2)
      sum += each_ * (party * std::uint64_t{1000}) + each_ * (each_ - 1) / 2;
    MUST(taken_ == sum && items_.empty());
  }

 private:
  void lock(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_mutex_lock_until(&mutex_, deadline); },
        [&] { return weft_mutex_try_lock(&mutex_); });
  }
  void wait(weft_cond* cond, dice* time) {
    const weft_status result = weft_cond_wait_until(cond, &mutex_, some_deadline(time));
    MUST(result == WEFT_OK || result == WEFT_TIMEOUT);
  }
  void put(std::uint64_t item, dice* time) {
    lock(time);
    while (items_.size() == places_) wait(&has_room_, time);
    items_.push_back(item);
    OK(time->one_in(2) ? weft_cond_signal(&has_items_) : weft_cond_broadcast(&has_items_));
    OK(weft_mutex_unlock(&mutex_));
  }
  std::uint64_t take(dice* time) {
    lock(time);
    while (items_.empty()) wait(&has_items_, time);
    const std::uint64_t item = items_.back();
    items_.pop_back();
    OK(time->one_in(2) ? weft_cond_signal(&has_room_) : weft_cond_broadcast(&has_room_));
    OK(weft_mutex_unlock(&mutex_));
    return item;
  }

  unsigned each_;
  std::size_t places_;
  weft_mutex mutex_ = WEFT_MUTEX_INIT;
  weft_cond has_room_ = WEFT_COND_INIT, has_items_ = WEFT_COND_INIT;
  std::vector<std::uint64_t> items_;  // guarded by mutex_
  std::atomic<std::uint64_t> taken_{0};
};

// ---- readers and writers, with a recursive mutex and tokens among them ----

class shelf_scene : public scene {
 public:
  explicit shelf_scene(dice from) : scene(2 + from.below(6)), each_(1 + from.below(40)), tokens_{{tokens, 0, 0, 0}} {}

  void play(unsigned party, dice* time) override {
    for (unsigned i = 0; i < each_; ++i) {
      if ((party + i) % 3 == 0) {
        write(time);
      } else {
        read(time);
      }
      hold_token(time);
      nest(time);
    }
  }
  void check() override {
    unsigned writes = 0;
    for (unsigned party = 0; party < parties(); ++party) {
      for (unsigned i = 0; i < each_; ++i) writes += (party + i) % 3 == 0;
    }
    MUST(pages_[0] == writes && pages_[1] == writes && nested_ == std::uint64_t{parties()} * each_);
  }

 private:
  static constexpr int tokens = 3;

  void write(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_rwlock_write_lock_until(&lock_, deadline); },
        [&] { return weft_rwlock_try_write_lock(&lock_); });
    ++pages_[0];
    if (time->one_in(4)) weft_yield();
    ++pages_[1];
    OK(weft_rwlock_unlock(&lock_));
  }
  void read(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_rwlock_read_lock_until(&lock_, deadline); },
        [&] { return weft_rwlock_try_read_lock(&lock_); });
    const std::uint64_t first = pages_[0];
    if (time->one_in(4)) weft_yield();
    MUST(pages_[1] == first);
    OK(weft_rwlock_unlock(&lock_));
  }
  void hold_token(dice* time) {
    insist(
        time, [&](std::uint64_t deadline) { return weft_semaphore_acquire_until(&tokens_, deadline); },
        [&] { return weft_semaphore_try_acquire(&tokens_); });
    MUST(holders_.fetch_add(1) < tokens);
    if (time->one_in(4)) weft_yield();
    holders_.fetch_sub(1);
    OK(weft_semaphore_release(&tokens_, 1));
  }
  void nest(dice* time) {
    const unsigned depth = 1 + time->below(3);
    for (unsigned level = 0; level < depth; ++level) {
      insist(
          time, [&](std::uint64_t deadline) { return weft_mutex_lock_until(&recursive_, deadline); },
          [&] { return weft_mutex_try_lock(&recursive_); });
    }
    ++nested_;
    for (unsigned level = 0; level < depth; ++level) OK(weft_mutex_unlock(&recursive_));
  }

  unsigned each_;
  weft_rwlock lock_ = WEFT_RWLOCK_INIT;
  std::uint64_t pages_[2] = {0, 0};  // guarded by lock_
  weft_semaphore tokens_;
  std::atomic<int> holders_{0};
  weft_mutex recursive_ = WEFT_MUTEX_RECURSIVE_INIT;
  std::uint64_t nested_ = 0;  // guarded by recursive_
};

// ---- words that go round, emptied by one and filled by the next ----

class relay_scene : public scene {
 public:
  explicit relay_scene(dice from) : scene(2 + from.below(5)), rounds_(1 + from.below(30)), words_(parties()) {
    for (unsigned i = 1; i < parties(); ++i) OK(weft_feb_purge(&words_[i]));
  }
  ~relay_scene() override {  // their state must not outlive the words
    for (std::uint64_t& word : words_) OK(weft_feb_fill(&word));
  }
  relay_scene(const relay_scene&) = delete;
  relay_scene& operator=(const relay_scene&) = delete;

  void play(unsigned party, dice* time) override {
    std::uint64_t* const from = &words_[party];
    std::uint64_t* const to = &words_[(party + 1) % parties()];
    for (unsigned round = 0; round < rounds_; ++round) {
      std::uint64_t value = 0;
      insist(
          time, [&](std::uint64_t deadline) { return weft_feb_read_fe_until(from, deadline, &value); },
          [&] { return weft_feb_try_read_fe(from, &value); });
      value += party + 1;
      insist(
          time, [&](std::uint64_t deadline) { return weft_feb_write_ef_until(to, value, deadline); },
          [&] { return weft_feb_try_write_ef(to, value); });
    }
  }
  void check() override {
    MUST(words_[0] == std::uint64_t{rounds_} * parties() * (parties() + 1) / 2 && weft_feb_is_full(&words_[0]));
  }

 private:
  unsigned rounds_;
  std::vector<std::uint64_t> words_;
};

// ---- a word that one writes, in all ways, and the others read ----

class notice_scene : public scene {
 public:
  explicit notice_scene(dice from) : scene(2 + from.below(6)), rounds_(1 + from.below(40)) {}
  ~notice_scene() override { OK(weft_feb_fill(&word_)); }
  notice_scene(const notice_scene&) = delete;
  notice_scene& operator=(const notice_scene&) = delete;

  void play(unsigned party, dice* time) override { party == 0 ? write(time) : read(time); }
  void check() override { MUST(word_ == rounds_ && weft_feb_is_full(&word_)); }

 private:
  void write(dice* time) {
    for (std::uint64_t round = 1; round <= rounds_; ++round) {
      switch (time->below(4)) {
        case 0:
          OK(weft_feb_purge(&word_));
          OK(weft_feb_write_f(&word_, round));
          break;
        case 1:
          OK(weft_feb_empty(&word_));
          MUST(!weft_feb_is_full(&word_));
          if (time->one_in(2)) weft_yield();
          OK(weft_feb_fill(&word_));
          OK(weft_feb_write_f(&word_, round));
          break;
        case 2:
          OK(weft_feb_read_fe(&word_, nullptr));
          if (time->one_in(2)) weft_yield();
          OK(weft_feb_write_ef(&word_, round));
          break;
        default: OK(weft_feb_write_f(&word_, round));
      }
      if (time->one_in(3)) OK(weft_sleep_ns(time->below(20000)));
    }
  }
  void read(dice* time) {
    for (std::uint64_t seen = 0, value = 0; seen < rounds_; seen = value) {
      insist(
          time, [&](std::uint64_t deadline) { return weft_feb_read_ff_until(&word_, deadline, &value); },
          [&] { return weft_feb_try_read_ff(&word_, &value); });
      MUST(value >= seen && value <= rounds_);
      if (value == seen) weft_yield();
    }
  }

  std::uint64_t rounds_;
  std::uint64_t word_ = 0;
};

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
  switch (from->below(6)) {
    case 0: return std::make_unique<buffer_scene>(own);
    case 1: return std::make_unique<shelf_scene>(own);
    case 2: return std::make_unique<relay_scene>(own);
    case 3: return std::make_unique<notice_scene>(own);
    case 4: return std::make_unique<phases_scene>(own);
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
      outside.emplace_back([&each] { each.play(); });
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
