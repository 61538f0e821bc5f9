// Programs of qthread.h, all ways of making and joining tasks at once: trees whose tasks have return
// words, syncvars, sincs, copies of their arguments, preconditions, shepherds and teams of their own,
// loops among them, while an OS thread outside makes trees, too, and shepherds are disabled and
// enabled. Each task checks that its bytes and its key's value are its own, and the tree's sum is known
// beforehand. Usage: qthreads WORKERS.
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include <qthread/io.h>
#include <qthread/qloop.h>
#include <qthread/qthread.h>
#include <qthread/sinc.h>
#include <qthread/tls.h>
#include <weft/weft.h>

#include "stress.hpp"

#define DONE(call) MUST((call) == QTHREAD_SUCCESS)

namespace {

using weft::stress::dice;

constexpr unsigned most_children = 4;
constexpr unsigned depth_of_root = 5;
constexpr std::uint64_t most_of_syncvar = (std::uint64_t{1} << 60) - 1;

struct node {
  std::uint64_t seed;
  unsigned depth;
};

struct family {
  std::uint64_t own;
  unsigned count;
  std::array<node, most_children> children;
};

family family_of(const node& one) {
  dice from(one.seed);
  family made{from.next() >> 8, one.depth == 0 ? 0 : from.below(most_children + 1), {}};
  for (node& each : made.children) each = {from.next(), one.depth != 0 ? one.depth - 1 : 0};
  return made;
}

std::uint64_t answer_of(const node& one) {
  const family mine = family_of(one);
  std::uint64_t sum = mine.own;
  for (unsigned i = 0; i < mine.count; ++i) sum += answer_of(mine.children[i]);
  return sum & most_of_syncvar;
}

// ---- what all of a life share ----

qthread_key_t key;
bool has_key = false;
std::atomic<std::uint64_t> time_seed{0};
aligned_t lock_word = 0;
std::uint64_t locked_sum = 0;  // guarded by lock_word
std::atomic<std::uint64_t> wanted_sum{0};

dice some_dice() { return dice(time_seed.fetch_add(0x9e3779b97f4a7c15)); }

qthread_shepherd_id_t some_shepherd(dice* time) {
  return static_cast<qthread_shepherd_id_t>(time->below(static_cast<unsigned>(qthread_readstate(TOTAL_SHEPHERDS))));
}

aligned_t run_node(void* argument);
std::uint64_t sum_of_children(const family& mine, dice* time);

// ---- ways of joining children ----

std::uint64_t by_words(const family& mine, dice* time) {
  std::array<aligned_t, most_children> words{};
  std::array<node, most_children> nodes = mine.children;
  for (unsigned i = 0; i < mine.count; ++i) {
    switch (time->below(4)) {
      case 0: DONE(qthread_fork_to(run_node, &nodes[i], &words[i], some_shepherd(time))); break;
      case 1: DONE(qthread_fork_copyargs(run_node, &nodes[i], sizeof(node), &words[i])); break;
      default: DONE(qthread_fork(run_node, &nodes[i], &words[i]));
    }
  }
  std::uint64_t sum = 0;
  const bool takes = time->one_in(3);
  for (unsigned i = 0; i < mine.count; ++i) {
    const unsigned at = takes ? i : mine.count - 1 - i;
    aligned_t value = 0;
    DONE(takes ? qthread_readFE(&value, &words[at]) : qthread_readFF(&value, &words[at]));
    if (takes) DONE(qthread_fill(&words[at]));
    sum += value;
  }
  return sum;
}

std::uint64_t by_syncvars(const family& mine, dice* time) {
  std::array<syncvar_t, most_children> words{};
  std::array<node, most_children> nodes = mine.children;
  for (unsigned i = 0; i < mine.count; ++i) {
    if (time->one_in(2)) {
      DONE(qthread_fork_syncvar(run_node, &nodes[i], &words[i]));
    } else {
      DONE(qthread_fork_syncvar_copyargs(run_node, &nodes[i], sizeof(node), &words[i]));
    }
  }
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < mine.count; ++i) {
    std::uint64_t value = 0;
    DONE(qthread_syncvar_readFF(&value, &words[i]));
    sum += value;
  }
  return sum;
}

void add(void* into, const void* value) { *static_cast<std::uint64_t*>(into) += *static_cast<const std::uint64_t*>(value); }

std::uint64_t by_sinc(const family& mine, dice* time) {
  const std::uint64_t zero = 0;
  qt_sinc_t sinc;
  qt_sinc_init(&sinc, sizeof zero, &zero, add, mine.count);
  std::array<node, most_children> nodes = mine.children;
  for (unsigned i = 0; i < mine.count; ++i) {
    const unsigned team = time->one_in(4) ? QTHREAD_SPAWN_NEW_SUBTEAM : 0;
    DONE(qthread_spawn(run_node, &nodes[i], time->one_in(2) ? sizeof(node) : 0, &sinc, 0, nullptr, NO_SHEPHERD,
                       QTHREAD_SPAWN_RET_SINC | team));
  }
  std::uint64_t sum = 0;
  qt_sinc_wait(&sinc, &sum);
  qt_sinc_fini(&sinc);
  return sum;
}

struct parts {
  std::array<aligned_t, most_children> words{};
  unsigned count = 0;
};

aligned_t add_parts(void* argument) {
  const auto* const all = static_cast<const parts*>(argument);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < all->count; ++i) sum += all->words[i];
  return sum;
}

std::uint64_t by_preconditions(const family& mine, dice*) {
  parts all;
  all.count = mine.count;
  std::array<node, most_children> nodes = mine.children;
  std::array<void*, most_children> words{};
  for (unsigned i = 0; i < mine.count; ++i) {
    words[i] = &all.words[i];
    DONE(qthread_fork(run_node, &nodes[i], &all.words[i]));
  }
  aligned_t sum = 0;
  DONE(qthread_fork_precond(add_parts, &all, &sum, -static_cast<int>(mine.count), words.data()));
  DONE(qthread_readFF(&sum, &sum));
  return sum;
}

struct loop {
  const family* of;
  std::atomic<std::uint64_t> sum;
};

void run_range(std::size_t first, std::size_t last, void* argument) {
  auto* const all = static_cast<loop*>(argument);
  for (std::size_t i = first; i < last; ++i) {
    node one = all->of->children[i];
    all->sum.fetch_add(run_node(&one));
  }
}

std::uint64_t by_loop(const family& mine, dice* time) {
  loop all{&mine, {0}};
  (time->one_in(2) ? qt_loop : qt_loop_balance)(0, mine.count, run_range, &all);
  return all.sum.load();
}

std::uint64_t sum_of_children(const family& mine, dice* time) {
  if (mine.count == 0) return 0;
  switch (time->below(5)) {
    case 0: return by_syncvars(mine, time);
    case 1: return by_sinc(mine, time);
    case 2: return by_preconditions(mine, time);
    case 3: return by_loop(mine, time);
    default: return by_words(mine, time);
  }
}

// ---- what a task does besides ----

void add_locked(std::uint64_t value) {
  DONE(qthread_lock(&lock_word));
  locked_sum += value;
  DONE(qthread_unlock(&lock_word));
  wanted_sum.fetch_add(value);
}

void go_about(dice* time) {
  switch (time->below(8)) {
    case 0: qthread_yield_(0); break;
    case 1: add_locked(time->below(100)); break;
    case 2: static_cast<void>(qthread_migrate_to(time->one_in(3) ? NO_SHEPHERD : some_shepherd(time))); break;
    case 3:
      qt_begin_blocking_action();
      qt_end_blocking_action();
      break;
    default: break;
  }
}

aligned_t run_node(void* argument) {
  const node one = *static_cast<const node*>(argument);
  const family mine = family_of(one);
  dice time = some_dice();
  const bool is_task = qthread_get_tasklocal(16) != nullptr;
  const bool has_value = has_key && is_task && time.one_in(2);
  const auto kept = is_task ? *static_cast<std::uint64_t*>(qthread_get_tasklocal(16)) : 0;
  if (is_task) *static_cast<std::uint64_t*>(qthread_get_tasklocal(16)) = one.seed;
  void* const before = has_value ? qthread_getspecific(key) : nullptr;
  if (has_value) MUST(qthread_setspecific(key, &time) == 0);
  go_about(&time);
  const std::uint64_t sum = mine.own + sum_of_children(mine, &time);
  go_about(&time);
  if (has_value) MUST(qthread_getspecific(key) == &time && qthread_setspecific(key, before) == 0);
  if (is_task) MUST(*static_cast<std::uint64_t*>(qthread_get_tasklocal(16)) == one.seed);
  if (is_task) *static_cast<std::uint64_t*>(qthread_get_tasklocal(16)) = kept;  // in a loop's part, the part's own
  return sum & most_of_syncvar;
}

void run_tree(std::uint64_t seed) {
  node root{seed, depth_of_root};
  aligned_t sum = 0;
  DONE(qthread_fork(run_node, &root, &sum));
  DONE(qthread_readFF(&sum, &sum));
  MUST(sum == answer_of(root));
  weft::stress::programs.fetch_add(1);
}

void* run_trees_outside(void* seed) {
  dice from(*static_cast<std::uint64_t*>(seed));
  for (int i = 0; i < 3; ++i) run_tree(from.next());
  return nullptr;
}

void change_shepherds(dice* from) {
  const qthread_shepherd_id_t which = some_shepherd(from);
  static_cast<void>(qthread_disable_shepherd(which));
  run_tree(from->next());
  qthread_enable_shepherd(which);
}

void set(const char* name, const std::string& value) { MUST(setenv(name, value.c_str(), 1) == 0); }

void live(unsigned workers, std::uint64_t seed) {
  constexpr const char* schedulers[] = {"weft", "nemesis", "sherwood", "distrib"};
  dice from(seed);
  const unsigned each = workers % 2 == 0 && from.one_in(2) ? 2 : 1;
  set("QT_SCHEDULER", schedulers[from.below(4)]);
  set("QT_NUM_SHEPHERDS", std::to_string(workers / each));
  set("QT_NUM_WORKERS_PER_SHEPHERD", std::to_string(each));
  time_seed.store(from.next());
  locked_sum = 0;
  wanted_sum.store(0);
  DONE(qthread_initialize());
  const bool goes_outside = from.one_in(2) && std::getenv("WEFT_SCHEDULE") == nullptr;
  pthread_t outside{};
  std::uint64_t outside_seed = from.next();
  has_key = from.one_in(16);
  if (has_key) MUST(qthread_key_create(&key, nullptr) == 0);
  if (goes_outside) MUST(pthread_create(&outside, nullptr, run_trees_outside, &outside_seed) == 0);
  for (int i = 0; i < 4; ++i) run_tree(from.next());
  if (from.one_in(3)) change_shepherds(&from);
  if (goes_outside) {
    qt_begin_blocking_action();
    MUST(pthread_join(outside, nullptr) == 0);
    qt_end_blocking_action();
  }
  if (has_key) MUST(qthread_key_delete(key) == 0);
  MUST(locked_sum == wanted_sum.load());
  qthread_finalize();
}

}  // namespace

int main(int count, char** arguments) { return weft::stress::live_on("qthreads", count, arguments, live); }
