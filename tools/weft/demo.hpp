// What the demonstration runs (demo.cpp), and what it shows of it: tables (demo_table.cpp), why a
// ratio is low (demo_ratio.cpp), and the whole for people and programs (demo_report.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cell.hpp"

namespace cli {

// Places of columns.
inline constexpr std::size_t sequential = 0;
inline constexpr std::size_t threads_on_one_worker = 1;
inline constexpr std::size_t forks_on_one_worker = 2;

struct demo_options {
  std::vector<std::string> programs;  // empty: all but the long ones
  bool is_quick = false;
  std::string directory = "/usr/share";
  unsigned workers = 0;
  unsigned repetitions = 3;
  double enough_seconds = 0.3;  // of one cell: see cell_order
  double limit_seconds = 300;
  std::string out;
  std::string json;
};

struct column {
  std::string short_head;  // below the number of workers
  std::string label;       // in words
  std::string runtime;
  unsigned workers;
};

struct demo_row {
  const bench::kernel* what;
  std::vector<std::optional<cell_result>> cells;  // one a column; none: the program has no such form
};

struct demo_result {
  demo_options options;
  std::vector<column> columns;  // sequential; threads and forks on one worker and, where there are more, on all workers
  std::vector<demo_row> rows;

  [[nodiscard]] bool is_all_right() const;
};

// workers 0: as many as the machine offers.
std::vector<column> choose_columns(unsigned workers);

inline constexpr std::size_t columns_for_people = 100;  // in which what people read fits

// The run of a row in a column; null: there is no such form, or it failed.
const cell_result* find_run(const demo_row& of, std::size_t column);
const cell_result* first_run(const demo_row& of);
// The faster one of the threads and the forks on all workers.
const cell_result* find_fastest(const demo_result& result, const demo_row& of);
std::string name_workers(unsigned count);  // "1 worker", "2 workers"

// How many times as fast on all workers as sequentially, or as the threads on one worker where
// there is no sequential form. 0: unknown.
double speed_up(const demo_result& result, const demo_row& of);
// Why it is below 1, in a line for the programs of each reason; and what it says at all on one
// worker, and in small sizes.
std::vector<std::string> explain_speed_ups(const demo_result& result);
// Why a column of all workers is many times as slow as plain calls, in a line for the threads and
// one for the forks. Nothing is said of small sizes.
std::vector<std::string> explain_slow_columns(const demo_result& result);

// Two tables of columns_for_people: times, and what a thread and a fork cost. Long names are
// shortened.
std::string show_tables(const demo_result& result);
// All of that as one table; the first row is its head.
std::vector<std::vector<std::string>> make_wide_table(const demo_result& result);

std::string show_for_people(const demo_result& result);
std::string show_as_picture(const demo_result& result);
std::string show_as_json(const demo_result& result);

}  // namespace cli
