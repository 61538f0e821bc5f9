// See circles.hpp.
#include "see/circles.hpp"

#include <unistd.h>

#include <cstring>
#include <iterator>

#include "run/fork.hpp"
#include "see/circle_search.hpp"
#include "worker/clock.hpp"
#include "worker/extras.hpp"
#include "worker/hooks.hpp"
#include "worker/runtime.hpp"

namespace weft::sched {

namespace {

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

struct looking {
  runtime* rt;
  circle to_tell[8] = {};
  unsigned tell_count = 0;
};

void note_circle(void* state, const circle& one) {
  auto* all = static_cast<looking*>(state);
  if (all->tell_count < std::size(all->to_tell)) all->to_tell[all->tell_count++] = one;
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

void write_circles(runtime* rt, text& out, const char* margin, names how) {
  circle_search* search = circle_search::make();
  if (search == nullptr) return;
  writing all{rt, &out, margin, how};
  search->search_all(rt, write_circle, &all);
  circle_search::free(search);
}

circles_seen look_for_circles(runtime* rt, circle_search* search) {
  looking all{rt};
  const bool has_more = search->step(rt, note_circle, &all);
  if (all.tell_count != 0) run_beside(tell_beside, &all);
  return {has_more, all.tell_count != 0};
}

}  // namespace weft::sched
