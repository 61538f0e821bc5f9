// qt_wavefront: blocks of a grid, each a task that is ready once those to the left and below are
// done.
#include <qthread/wavefront.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "faces/common/object.hpp"

using namespace weft;

// Cells at the edges of blocks. Slat r has what lies below the blocks of row r, from the column
// before the grid on; strut c has what lies to the left of the blocks of column c.
struct qt_wavefront_lattice_s {
  std::size_t unit;
  std::size_t rows;
  std::size_t columns;
  std::size_t block_rows;
  std::size_t block_columns;
  std::size_t blocks_up;
  std::size_t blocks_across;
  char* slats;
  char* struts;

  char* slat(std::size_t r, std::size_t column) const { return slats + (r * (columns + 1) + column) * unit; }
  char* strut(std::size_t c, std::size_t row) const { return struts + (c * rows + row) * unit; }
};

namespace {

using lattice = qt_wavefront_lattice_s;

struct grid {
  const lattice* edges;
  wave_comp_f compute;
  char* scratch;  // a column for each column of blocks

  char* spare(std::size_t c, std::size_t row) const { return scratch + (c * edges->rows + row) * edges->unit; }
};

struct block {
  const grid* of;
  std::size_t r;
  std::size_t c;
  aligned_t done;  // the task's return word
};

std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }
std::size_t ratio_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// Columns of a block are kept in turn in its right strut and in the scratch column, so that the
// last one is in the strut.
char* column_of(const block* mine, std::size_t columns_left, std::size_t row) {
  return columns_left % 2 == 0 ? mine->of->edges->strut(mine->c + 1, row) : mine->of->spare(mine->c, row);
}

void compute_column(const block* mine, std::size_t column, std::size_t end, bool is_first) {
  const lattice& all = *mine->of->edges;
  const std::size_t first_row = mine->r * all.block_rows;
  const std::size_t end_row = least(first_row + all.block_rows, all.rows);
  const char* left_down = all.slat(mine->r, column);
  const char* down = all.slat(mine->r, column + 1);
  for (std::size_t row = first_row; row < end_row; ++row) {
    const char* const left = is_first ? all.strut(mine->c, row) : column_of(mine, end - column, row);
    char* const out = column_of(mine, end - column - 1, row);
    mine->of->compute(left, left_down, down, out);
    left_down = left;
    down = out;
  }
  std::memcpy(all.slat(mine->r + 1, column + 1), down, all.unit);
}

aligned_t compute_block(void* argument) {
  const block* const mine = static_cast<const block*>(argument);
  const lattice& all = *mine->of->edges;
  const std::size_t first = mine->c * all.block_columns;
  const std::size_t end = least(first + all.block_columns, all.columns);
  for (std::size_t column = first; column < end; ++column) compute_column(mine, column, end, column == first);
  return 0;
}

// Blocks come row by row. Without a task the caller waits for the two, and computes.
void start(block* mine) {
  aligned_t* before[2];
  std::size_t count = 0;
  if (mine->c > 0) before[count++] = &(mine - 1)->done;
  if (mine->r > 0) before[count++] = &(mine - mine->of->edges->blocks_across)->done;
  if (qthread_fork_precond(compute_block, mine, &mine->done, -static_cast<int>(count), before) == QTHREAD_SUCCESS) return;
  for (std::size_t i = 0; i < count; ++i) static_cast<void>(qthread_readFF(nullptr, before[i]));
  compute_block(mine);
}

// All others are before the last one.
bool compute_grid(const lattice* edges, wave_comp_f compute) {
  const std::size_t count = edges->blocks_up * edges->blocks_across;
  const grid all{edges, compute, static_cast<char*>(std::calloc(edges->blocks_across * edges->rows, edges->unit))};
  block* const blocks = static_cast<block*>(std::calloc(count, sizeof(block)));
  const bool has_memory = all.scratch != nullptr && blocks != nullptr;
  for (std::size_t i = 0; has_memory && i < count; ++i) {
    blocks[i] = {&all, i / edges->blocks_across, i % edges->blocks_across, 0};
    start(&blocks[i]);
  }
  if (has_memory) static_cast<void>(qthread_readFF(nullptr, &blocks[count - 1].done));
  std::free(blocks);
  std::free(all.scratch);
  return has_memory;
}

// The edges that the program has given.
void copy_edges(lattice* edges, const qarray* left, const qarray* below) {
  for (std::size_t i = 0; i < edges->rows; ++i) std::memcpy(edges->strut(0, i), qarray_elem_nomigrate(left, i), edges->unit);
  for (std::size_t i = 0; i <= edges->columns; ++i) std::memcpy(edges->slat(0, i), qarray_elem_nomigrate(below, i), edges->unit);
  for (std::size_t r = 1; r <= edges->blocks_up; ++r)
    std::memcpy(edges->slat(r, 0), edges->strut(0, least(r * edges->block_rows, edges->rows) - 1), edges->unit);
}

// Null: no memory.
lattice* make_lattice(const qarray* left, const qarray* below) {
  lattice* const edges = face::make_object<lattice>(0);
  if (edges == nullptr) return nullptr;
  edges->unit = left->unit_size;
  edges->rows = left->count;
  edges->columns = below->count - 1;
  edges->block_rows = least(left->segment_size, edges->rows);
  edges->block_columns = least(below->segment_size, edges->columns);
  edges->blocks_up = ratio_up(edges->rows, edges->block_rows);
  edges->blocks_across = ratio_up(edges->columns, edges->block_columns);
  edges->slats = static_cast<char*>(std::calloc((edges->blocks_up + 1) * (edges->columns + 1), edges->unit));
  edges->struts = static_cast<char*>(std::calloc((edges->blocks_across + 1) * edges->rows, edges->unit));
  if (edges->slats != nullptr && edges->struts != nullptr) return edges;
  qt_wavefront_destroy_lattice(edges);
  return nullptr;
}

void print_cell(const char* cell) {
  double value;
  std::memcpy(&value, cell, sizeof(value));
  std::printf("%9.3f ", value);
}

// Slat r is the row that ends the blocks below it.
void print_slat(const lattice* edges, std::size_t r) {
  for (std::size_t i = 0; i <= edges->columns; ++i) print_cell(edges->slat(r, i));
  std::printf("\n");
}

void print_between_slats(const lattice* edges, std::size_t row) {
  for (std::size_t i = 0; i <= edges->columns; ++i) {
    if (i % edges->block_columns == 0 || i == edges->columns) {
      print_cell(edges->strut(ratio_up(i, edges->block_columns), row));
    } else {
      std::printf("%10s", "");
    }
  }
  std::printf("\n");
}

}  // namespace

qt_wavefront_lattice* qt_wavefront(qarray* restrict const left, qarray* restrict const below, wave_comp_f func) {
  if (left == nullptr || below == nullptr || func == nullptr) return nullptr;
  if (left->unit_size != below->unit_size || below->count < 2) return nullptr;
  lattice* const edges = make_lattice(left, below);
  if (edges == nullptr) return nullptr;
  copy_edges(edges, left, below);
  if (compute_grid(edges, func)) return edges;
  qt_wavefront_destroy_lattice(edges);
  return nullptr;
}

void qt_wavefront_print_lattice(const qt_wavefront_lattice* const edges) {
  for (std::size_t row = edges->rows; row-- > 0;) {
    if ((row + 1) % edges->block_rows == 0 || row + 1 == edges->rows) {
      print_slat(edges, ratio_up(row + 1, edges->block_rows));
    } else {
      print_between_slats(edges, row);
    }
  }
  print_slat(edges, 0);
}

void qt_wavefront_destroy_lattice(qt_wavefront_lattice* const edges) {
  if (edges == nullptr) return;
  std::free(edges->slats);
  std::free(edges->struts);
  face::free_object(edges);
}

void qt_basic_wavefront(int* restrict const* const table, size_t cols, size_t rows, wave_comp_f func) {
  for (std::size_t col = 1; col < cols; ++col) {
    for (std::size_t row = 1; row < rows; ++row)
      func(&table[col - 1][row], &table[col - 1][row - 1], &table[col][row - 1], &table[col][row]);
  }
}
