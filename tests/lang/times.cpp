// Times of fib and n-queens: plain C, lowered by hand, the library form, each on some workers.
//
//   lang_times [FIB [QUEENS [REPETITIONS]]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>

#include <weft/tascell.hpp>
#include <weft/weft.hpp>

#include "lowered.h"

namespace tascell = weft::tascell;
using tascell::context;

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Function>
double least(int repetitions, Function&& function) {
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const double start = now();
    function();
    best = std::min(best, now() - start);
  }
  return best;
}

// ---- the library form ---------------------------------------------------------------------------

// The base case apart, so that it is inlined: compilers do not split functions with exceptions.
long library_fib_above(context c, long n);
inline long library_fib(context c, long n) { return n <= 2 ? 1 : library_fib_above(c, n); }

long library_fib_above(context c, long n) {
  long a = 0, b = 0;
  struct task {
    long n, result;
    void run(context inner) { result = library_fib(inner, n); }
  };
  tascell::do_two(
      c, [&](context inner) { a = library_fib(inner, n - 1); }, [&](context inner) { b = library_fib(inner, n - 2); },
      [n] { return task{n - 2, 0}; }, [&](const task& given) { b = given.result; });
  return a + b;
}

bool is_free(const queens_board& board, long i) {
  const int row = board.row, column = board.column_of[i];
  return !board.rising[row + column] && !board.falling[row - column + board.n];
}
void place(queens_board& board, long i) {
  const int column = board.column_of[i];
  std::swap(board.column_of[i], board.column_of[board.row]);
  board.rising[board.row + column] = 1;
  board.falling[board.row - column + board.n] = 1;
  board.row++;
}
void displace(queens_board& board, long i) {
  board.row--;
  const int column = board.column_of[board.row];
  board.rising[board.row + column] = 0;
  board.falling[board.row - column + board.n] = 0;
  std::swap(board.column_of[i], board.column_of[board.row]);
}

long library_queens(context c, queens_board& board, long from, long to) {
  if (board.row == board.n) return 1;
  long sum = 0;
  struct task {
    queens_board board;
    long from, to, result;
    void run(context inner) { result = library_queens(inner, board, from, to); }
  };
  tascell::do_many(
      c, from, to,
      [&](std::int64_t i, context inner) {
        if (!is_free(board, i)) return;
        tascell::wind(
            inner, [&board, i] { place(board, i); },
            [&](context deep) { sum += library_queens(deep, board, board.row, board.n); }, [&board, i] { displace(board, i); });
      },
      [&](std::int64_t begin, std::int64_t end) { return task{board, begin, end, 0}; },
      [&](const task& given) { sum += given.result; });
  return sum;
}

// ---- plain --------------------------------------------------------------------------------------

long plain_fib(long n) { return n <= 2 ? 1 : plain_fib(n - 1) + plain_fib(n - 2); }

long plain_queens(queens_board& board) {
  if (board.row == board.n) return 1;
  long sum = 0;
  for (long i = board.row; i < board.n; ++i) {
    if (!is_free(board, i)) continue;
    place(board, i);
    sum += plain_queens(board);
    displace(board, i);
  }
  return sum;
}

// ---- runs ---------------------------------------------------------------------------------------

long lowered_fib(long n, unsigned workers) {
  weft_tascell_options how = WEFT_TASCELL_OPTIONS_INIT;
  how.workers = workers;
  auto* const root = reinterpret_cast<fib_task*>(weft_tascell_task_make(nullptr, &fib_kind));
  root->n = n;
  if (weft_tascell_run(&root->header, &how) != WEFT_OK) std::abort();
  const long result = root->result;
  weft_tascell_task_free(&root->header);
  return result;
}

long lowered_queens(int n, unsigned workers) {
  weft_tascell_options how = WEFT_TASCELL_OPTIONS_INIT;
  how.workers = workers;
  auto* const root = reinterpret_cast<queens_task*>(weft_tascell_task_make(nullptr, &queens_kind));
  queens_start(root, n);
  if (weft_tascell_run(&root->header, &how) != WEFT_OK) std::abort();
  const long result = root->result;
  weft_tascell_task_free(&root->header);
  return result;
}

queens_board board_of(int n) {
  queens_task task;
  queens_start(&task, n);
  return task.board;
}

// ---- how soon a sleeping worker begins ----------------------------------------------------------

// The first worker computes without a poll until the other one sleeps, and then has work to give.
double begins_after() {
  double asked = 0, begun = 0;
  tascell::run([&](context c) {
    const double until = now() + 0.02;
    while (now() < until) continue;
    asked = now();
    volatile bool is_done = false;
    tascell::do_two(
        c,
        [&](context inner) {
          while (!is_done) inner.poll();
        },
        [&](context) {
          begun = now();
          is_done = true;
        });
  });
  return begun - asked;
}

double median_us(double (*measure)()) {
  double all[101];
  for (double& each : all) each = 1e6 * measure();
  std::sort(std::begin(all), std::end(all));
  return all[50];
}

void tell(const char* what, double plain, double one, double two) {
  std::printf("%-16s plain %.4f s, one worker %.4f s (%.2f), two %.4f s (speed-up %.2f)\n", what, plain, one, one / plain, two,
              one / two);
}

volatile long sink;

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 40, queens = argc > 2 ? std::atoi(argv[2]) : 13;
  const int times = argc > 3 ? std::atoi(argv[3]) : 5;
  weft::runtime runtime({.workers = 2});
  const double fib = least(times, [&] { sink = plain_fib(n); });
  const double board = least(times, [&] {
    queens_board b = board_of(queens);
    sink = plain_queens(b);
  });
  const auto on = [&](unsigned workers, auto&& function) { return least(times, [&] { sink = function(workers); }); };
  const auto fib_c = [&](unsigned workers) { return lowered_fib(n, workers); };
  const auto fib_cpp = [&](unsigned workers) {
    return tascell::run([&](context c) { return library_fib(c, n); }, {.workers = workers});
  };
  const auto queens_c = [&](unsigned workers) { return lowered_queens(queens, workers); };
  const auto queens_cpp = [&](unsigned workers) {
    queens_board b = board_of(queens);
    return tascell::run([&](context c) { return library_queens(c, b, 0, queens); }, {.workers = workers});
  };
  tell("fib lowered", fib, on(1, fib_c), on(2, fib_c));
  tell("fib library", fib, on(1, fib_cpp), on(2, fib_cpp));
  tell("queens lowered", board, on(1, queens_c), on(2, queens_c));
  tell("queens library", board, on(1, queens_cpp), on(2, queens_cpp));
  std::printf("a sleeping worker begins after %.1f us (median of 101)\n", median_us(begins_after));
}
