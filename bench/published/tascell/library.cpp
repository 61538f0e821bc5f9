// fib, nq and comp by tascell.hpp, one of them in each program (IS_FIB, IS_NQ, IS_COMP): what the
// compiler's form is compared with.
#include <cstdlib>
#include <memory>

#include <weft/tascell.hpp>

namespace tascell = weft::tascell;
using tascell::context;

namespace {

#if defined(IS_FIB)

long above_two(context c, long n);
long fib(context c, long n) { return n <= 2 ? 1 : above_two(c, n); }

struct call {
  long n, result;
  void run(context c) { result = fib(c, n); }
};

// callee(context, n): what the two calls are.
template <class Callee>
[[gnu::always_inline]] inline long both_calls(context c, long n, Callee callee) {
  long a = 0, b = 0;
  tascell::do_two(
      c, [&](context inner) { a = callee(inner, n - 1); }, [&](context inner) { b = callee(inner, n - 2); },
      [n] { return call{n - 2, 0}; }, [&](const call& given) { b = given.result; });
  return a + b;
}

// The recursion is unfolded once. Compilers do so with plain calls, but not with functions that
// exceptions may leave.
[[gnu::noinline]] long above_two(context c, long n) {
  return both_calls(c, n, [](context inner, long below) {
    return below <= 2 ? 1 : both_calls(inner, below, [](context last, long m) { return fib(last, m); });
  });
}

long measure(context c, long size) { return fib(c, size); }

#elif defined(IS_NQ)

constexpr int most = 20;

struct board {
  int n, row;
  int column_of[most];
  char rising[2 * most], falling[2 * most];

  bool is_free(int i) const {
    const int column = column_of[i];
    return !rising[row + column] && !falling[row - column + n];
  }
  void place(int i) {
    const int column = column_of[i];
    column_of[i] = column_of[row];
    column_of[row] = column;
    rising[row + column] = 1;
    falling[row - column + n] = 1;
    row++;
  }
  void displace(int i) {
    row--;
    const int column = column_of[row];
    rising[row + column] = 0;
    falling[row - column + n] = 0;
    column_of[row] = column_of[i];
    column_of[i] = column;
  }
};

long queens(context c, board& b);

struct columns {
  board b;
  long from, to, sum;
  void run(context c);
};

long queens_in(context c, board& b, long from, long to) {
  long sum = 0;
  tascell::do_many(
      c, from, to,
      [&](std::int64_t at, context inner) {
        const int i = static_cast<int>(at);
        board* const one = &b;
        if (one->is_free(i))
          tascell::wind(
              inner, [=] { one->place(i); }, [&](context below) { sum += queens(below, b); }, [=] { one->displace(i); });
      },
      [&](std::int64_t first, std::int64_t last) { return columns{b, first, last, 0}; },
      [&](const columns& given) { sum += given.sum; });
  return sum;
}

void columns::run(context c) { sum = queens_in(c, b, from, to); }
long queens(context c, board& b) { return b.row == b.n ? 1 : queens_in(c, b, b.row, b.n); }

long measure(context c, long size) {
  board b = {};
  b.n = static_cast<int>(size);
  for (int i = 0; i < b.n; i++) b.column_of[i] = i;
  return queens(c, b);
}

#else

int *one, *other;

int in_halves(context c, int first_a, int count_a, int first_b, int count_b);

inline int compare(context c, int first_a, int count_a, int first_b, int count_b) {
  if (count_a >= 5 || count_b >= 5) return in_halves(c, first_a, count_a, first_b, count_b);
  int found = 0;
  for (int i = first_a; i < first_a + count_a; i++)
    for (int j = first_b; j < first_b + count_b; j++) found += (one[i] ^ other[j]) == -1;
  return found;
}

[[gnu::noinline]] int in_halves(context c, int first_a, int count_a, int first_b, int count_b) {
  int left = 0, right = 0;
  if (count_a >= count_b) {
    const int half = count_a / 2;
    tascell::do_two(
        c, [&](context inner) { left = compare(inner, first_a, half, first_b, count_b); },
        [&](context inner) { right = compare(inner, first_a + half, count_a - half, first_b, count_b); });
  } else {
    const int half = count_b / 2;
    tascell::do_two(
        c, [&](context inner) { left = compare(inner, first_a, count_a, first_b, half); },
        [&](context inner) { right = compare(inner, first_a, count_a, first_b + half, count_b - half); });
  }
  return left + right;
}

long measure(context c, long size) {
  const int n = static_cast<int>(size);
  if (one == nullptr) {
    one = new int[static_cast<std::size_t>(n)];
    other = new int[static_cast<std::size_t>(n)];
    for (int i = 0; i < n; i++) {
      one[i] = i;
      other[i] = -i;
    }
  }
  return compare(c, 0, n, 0, n);
}

#endif

}  // namespace

extern "C" long measured(weft_tascell_worker* worker, weft_tascell_record* up, long size) {
  long result = 0;
  const context c(worker, up);
  tascell::enter(c, [&] { result = measure(c, size); });
  return result;
}
