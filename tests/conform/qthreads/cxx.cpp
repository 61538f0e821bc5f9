// qthread/qloop.hpp and qthread/syncvar.hpp, and each header of these families in C++.
#include <qthread/allpairs.h>
#include <qthread/barrier.h>
#include <qthread/qutil.h>
#include <qthread/sinc.h>
#include <qthread/qloop.hpp>
#include <qthread/qthread.hpp>
#include <qthread/syncvar.hpp>

#include <type_traits>

#include "check.h"

namespace {

constexpr size_t most = 1000;
aligned_t seen[most];

struct see {
  explicit see(aligned_t by) : by_(by) {}
  void operator()(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) qthread_incr64(&seen[i], by_);
  }

 private:
  aligned_t by_;
};

void loops() {
  see const object(3);
  qt_loop(10, most, object);
  qt_loop_balance(10, most, see(5));
  qt_loop_balance_simple(10, most, object);
  for (size_t i = 0; i < most; ++i) CHECK(seen[i] == (i < 10 ? 0 : 11));
}

struct add_squares {
  using acctype = double;
  static constexpr double identity = 0;
  static void accumulate(void *to, void const *what) { qt_dbl_add_acc(to, what); }

  double operator()(size_t begin, size_t end) {
    double sum = 0;
    for (size_t i = begin; i < end; ++i) sum += static_cast<double>(i * i);
    return sum;
  }
};

void results() { CHECK(qt_loopaccum_balance(0, 101, add_squares()) == 338350); }

aligned_t take_and_answer(void *argument) {
  auto *const both = static_cast<syncvar *>(argument);
  uint64_t taken = 0;
  OK(both[0].readFE(&taken));
  OK(both[1].writeEF(taken + 1));
  return 0;
}

void syncvars() {
  syncvar both[2] = {5, {}};
  CHECK(both[0].status() == 1 && both[0].read() == 5);
  CHECK(both[1].status() == 1 && both[1].read() == 0);
  OK(both[0].empty());
  OK(both[1].empty());
  CHECK(both[0].status() == 0);
  aligned_t end;
  OK(qthread_fork(take_and_answer, both, &end));
  OK(both[0].writeF(20));
  CHECK(both[1].readFE() == 21);
  OK(qthread_readFF(nullptr, &end));
  CHECK(both[0].status() == 0 && both[1].status() == 0);
  both[1].write(8);
  CHECK(both[1].read() == 8 && both[1].status() == 0);
  OK(both[1].fill());
  uint64_t found = 0;
  OK(both[1].readFF(&found));
  CHECK(found == 8 && both[1].readFF() == 8);
  both[1].incr();
  both[1].incr(3);
  CHECK(both[1].readFF() == 12);
  syncvar const copy(both[1]);
  syncvar_t plain;
  plain.u.w = 0;
  plain.u.s.data = 9;
  CHECK(copy.read() == 12 && syncvar(plain).read() == 9);
  static_assert(sizeof(syncvar) == sizeof(syncvar_t));
}

}  // namespace

int main() {
  OK(qthread_initialize());
  loops();
  results();
  syncvars();
  return 0;
}
