// See circles.hpp.
#include "see/circles.hpp"

#include <unistd.h>

#include <cstring>

#include "os/clock.hpp"
#include "run/fork.hpp"
#include "see/holders.hpp"
#include "worker/clock.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"
#include "worker/stillness.hpp"

namespace weft::sched {

namespace {

// Longer ones are not looked for.
constexpr unsigned most_members = 64;

constexpr std::uint64_t least_pause_ns = 500'000'000;
constexpr unsigned times_the_cost = 100;  // at most a hundredth of a CPU

struct circle {
  const unit* members[most_members] = {};
  unsigned count = 0;
  std::uint64_t signature = 0;
};

// What else runs while circles are looked for. While others go on, a fork with the number of a
// mutex's holder may be the one that holds it.
enum class meanwhile { all_stand_still, others_go_on };

struct search {
  runtime* rt;
  const known_stacks* stacks;
  meanwhile during;
  void (*found)(void* state, const circle& one);
  void* state;
};

bool waits_for_ever(const unit_view& one) { return one.waits && one.is_endless; }

// Null: it does not wait, or not for a unit.
const unit* next_of(const search& all, const unit* one, unit_view* view) {
  if (!look_at(one, view) || !waits_for_ever(*view)) return nullptr;
  const bool is_known_by_number = std::strcmp(view->what, "join") != 0 && !view->is_holder_address;
  if (all.during == meanwhile::others_go_on && is_known_by_number && all.stacks->has_forks()) return nullptr;
  return holder_of(all.rt, *all.stacks, *view);
}

// The same for the same waits, whichever member it begins with.
std::uint64_t signature_of(const unit_view& one) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(one.where) * odd;
  mixed = (mixed ^ reinterpret_cast<std::uintptr_t>(one.record)) * odd;
  mixed = (mixed ^ one.since_ns ^ reinterpret_cast<std::uintptr_t>(one.object)) * odd;
  return mixed ^ mixed >> 32;
}

// Follows the waits from `first`: a circle that comes back to it, and of whose members it has the
// lowest address, so that each circle is found once.
void search_from(void* state, unit* first) {
  const auto* all = static_cast<const search*>(state);
  circle found;
  unit_view view;
  const unit* one = first;
  do {
    if (found.count == most_members || one < first) return;
    found.members[found.count++] = one;
    one = next_of(*all, one, &view);
    found.signature += signature_of(view);
  } while (one != nullptr && one != first);
  if (one != nullptr) all->found(all->state, found);
}

void search_all(runtime* rt, const known_stacks& stacks, meanwhile during, void (*found)(void* state, const circle& one),
                void* state) {
  search all{rt, &stacks, during, found, state};
  walk_units(rt, search_from, &all);
}

struct writing {
  runtime* rt;
  text* out;
  const char* margin;
  names how;
};

void name_member(const writing& all, const unit* one) {
  static_cast<void>(id_of(const_cast<unit*>(one)));  // it stands still
  unit_view view;
  if (look_at(one, &view)) identity(*all.out, view, all.how);
}

// What it waits for, if that is not the end of the next member.
void name_object(const writing& all, const unit* one) {
  unit_view view;
  if (!look_at(one, &view) || !view.waits) return;
  if (std::strcmp(view.what, "join") == 0) {
    *all.out << ", which joins ";
    return;
  }
  *all.out << ", which waits for " << view.what << " at ";
  all.out->address(view.object) << ", held by ";
}

void write_circle(void* state, const circle& one) {
  const auto* all = static_cast<const writing*>(state);
  *all->out << all->margin << "circle: ";
  for (unsigned index = 0; index < one.count; ++index) {
    name_member(*all, one.members[index]);
    name_object(*all, one.members[index]);
  }
  name_member(*all, one.members[0]);
  *all->out << "\n";
}

bool is_among(std::uint64_t signature, const std::uint64_t* those, unsigned count) {
  for (unsigned index = 0; index < count; ++index) {
    if (those[index] == signature) return true;
  }
  return false;
}

struct looking {
  runtime* rt;
  circles_seen* known;
  std::uint64_t seen[circles_seen::most] = {};
  unsigned seen_count = 0;
  circle to_tell[circles_seen::most] = {};
  unsigned tell_count = 0;
};

void note_circle(void* state, const circle& one) {
  auto* all = static_cast<looking*>(state);
  circles_seen* known = all->known;
  if (all->seen_count == circles_seen::most) return;
  all->seen[all->seen_count++] = one.signature;
  const bool is_new = !is_among(one.signature, known->told, known->told_count);
  if (!is_new || known->told_count == circles_seen::most) return;
  if (!is_among(one.signature, known->seen, circles_seen::most)) return;
  known->told[known->told_count++] = one.signature;
  all->to_tell[all->tell_count++] = one;
}

void tell(const looking& all, names how) {
  text out(STDERR_FILENO);
  for (unsigned index = 0; index < all.tell_count; ++index) {
    out << "weft: deadlock of ";
    out.count(all.to_tell[index].count, "thread that waits for itself", "threads that wait for each other")
        << ": none of them can ever run again, while others go on\n";
    const writing here{all.rt, &out, "weft:   ", how};
    write_circle(const_cast<writing*>(&here), all.to_tell[index]);
    for (unsigned member = 0; member < all.to_tell[index].count; ++member) {
      unit_view view;
      if (!look_at(all.to_tell[index].members[member], &view)) continue;
      out << "weft:   ";
      describe(out, view, now_ns(all.rt), how);
    }
    out << "weft:   cure: lock mutexes in one order everywhere, and join no thread that waits for the joiner\n";
  }
}

void tell_beside(void* argument, names how) { tell(*static_cast<const looking*>(argument), how); }

}  // namespace

void write_circles(runtime* rt, text& out, const known_stacks& stacks, const char* margin, names how) {
  writing all{rt, &out, margin, how};
  search_all(rt, stacks, meanwhile::all_stand_still, write_circle, &all);
}

void look_for_circles(runtime* rt, circles_seen* known, std::uint64_t now_ns) {
  if (now_ns < known->due_ns) return;
  looking all{rt, known};
  {
    const known_stacks stacks(rt);
    search_all(rt, stacks, meanwhile::others_go_on, note_circle, &all);
  }
  std::memcpy(known->seen, all.seen, sizeof known->seen);
  if (all.tell_count != 0) run_beside(tell_beside, &all);
  const std::uint64_t end_ns = os::now_ns();
  const std::uint64_t pause_ns = (end_ns - now_ns) * times_the_cost;
  known->due_ns = end_ns + (pause_ns < least_pause_ns ? least_pause_ns / 2 : pause_ns);
}

}  // namespace weft::sched
