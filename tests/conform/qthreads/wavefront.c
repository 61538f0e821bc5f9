/* qt_wavefront and qt_basic_wavefront. Qthreads' library hides them. */
#include <qthread/wavefront.h>

#include "check.h"
#include "tasks.h"

#if IS_WEFT
static atomic_size_t calls;

/* Each cell depends on all three, and on their order. */
static void compute(void const *restrict left, void const *restrict leftdown, void const *restrict down, void *restrict out) {
  double from[3];
  memcpy(&from[0], left, 8), memcpy(&from[1], leftdown, 8), memcpy(&from[2], down, 8);
  const double value = from[0] / 2 + from[1] / 4 + from[2] / 3;
  memcpy(out, &value, 8);
  atomic_fetch_add(&calls, 1);
}

static void number_range(size_t const from, size_t const to, qarray *a, void *arg) {
  for (size_t i = from; i < to; ++i) *(double *)qarray_elem(a, i) = (double)i * *(const double *)arg + 1;
}

static qarray *edge(size_t count, size_t unit, double step) {
  qarray *const a = qarray_create_configured(count, unit, FIXED_HASH, 1, 1);
  CHECK(a != NULL);
  qarray_iter_loop(a, 0, count, number_range, &step);
  return a;
}

/* Row 0 and column 0 are the edges; its caller frees it. */
static double *computed_serially(const qarray *left, const qarray *below) {
  const size_t width = below->count;
  double *const grid = calloc((left->count + 1) * width, sizeof(double));
  CHECK(grid != NULL);
  for (size_t i = 0; i < width; ++i) grid[i] = *(double *)qarray_elem(below, i);
  for (size_t row = 1; row <= left->count; ++row) {
    grid[row * width] = *(double *)qarray_elem(left, row - 1);
    for (size_t i = 1; i < width; ++i)
      compute(&grid[row * width + i - 1], &grid[(row - 1) * width + i - 1], &grid[(row - 1) * width + i], &grid[row * width + i]);
  }
  return grid;
}

static void print(void *lattice) { qt_wavefront_print_lattice(lattice); }

/* What is printed of the lattice is what is in the grid, and the rows and columns at the edges of
 * blocks are all there. */
static void is_printed(qt_wavefront_lattice *lattice, const double *grid, size_t rows, size_t width, size_t up, size_t across) {
  char *const text = printed_by(print, lattice);
  const char *at = text;
  for (size_t row = rows + 1; row-- > 0;) {
    for (size_t i = 0; i < width; ++i) {
      char expected[64], spaces[64];
      const int length = snprintf(expected, sizeof(expected), "%9.3f ", grid[row * width + i]);
      snprintf(spaces, sizeof(spaces), "%10s", "");
      const bool is_kept = row % up == 0 || row == rows || i % across == 0 || i == width - 1;
      const char *const wanted = is_kept ? expected : spaces;
      const size_t count = is_kept ? (size_t)length : 10;
      CHECK(strncmp(at, wanted, count) == 0);
      at += count;
    }
    CHECK(*at++ == '\n');
  }
  CHECK(*at == '\0');
  free(text);
}

static void a_grid(size_t rows, size_t columns, size_t unit) {
  qarray *const left = edge(rows, unit, 1);
  qarray *const below = edge(columns + 1, unit, 0.5);
  atomic_store(&calls, 0);
  qt_wavefront_lattice *const lattice = qt_wavefront(left, below, compute);
  CHECK(lattice != NULL && atomic_load(&calls) == rows * columns);
  double *const grid = computed_serially(left, below);
  is_printed(lattice, grid, rows, columns + 1, left->segment_size, below->segment_size);
  free(grid);
  qt_wavefront_destroy_lattice(lattice);
  qarray_destroy(left);
  qarray_destroy(below);
}

/* Units of 1024 bytes make blocks of 4 by 4. */
static void grids(void) {
  a_grid(1, 1, 8);
  a_grid(30, 20, 8);
  a_grid(700, 600, 8);
  for (size_t rows = 1; rows < 14; ++rows)
    for (size_t columns = 1; columns < 14; ++columns) a_grid(rows, columns, 1024);
  a_grid(60, 90, 1024);
}

static void grids_that_cannot_be(void) {
  qarray *const left = edge(5, 8, 1);
  qarray *const wide = edge(5, 16, 1);
  qarray *const one = edge(1, 8, 1);
  CHECK(qt_wavefront(NULL, left, compute) == NULL && qt_wavefront(left, NULL, compute) == NULL);
  CHECK(qt_wavefront(left, one, NULL) == NULL && qt_wavefront(left, wide, compute) == NULL);
  CHECK(qt_wavefront(left, one, compute) == NULL);
  qt_wavefront_destroy_lattice(NULL);
  qarray_destroy(left);
  qarray_destroy(wide);
  qarray_destroy(one);
}

static void compute_int(void const *restrict left, void const *restrict leftdown, void const *restrict down, void *restrict out) {
  *(int *)out = *(const int *)left * 3 + *(const int *)leftdown * 5 + *(const int *)down;
}

static void a_basic_grid(void) {
  enum { columns = 6, rows = 5 };
  int cells[columns][rows] = {{1, 2, 3, 4, 5}, {6}, {7}, {8}, {9}, {10}};
  int wanted[columns][rows];
  int *of_columns[columns];
  memcpy(wanted, cells, sizeof(cells));
  for (int i = 0; i < columns; ++i) of_columns[i] = cells[i];
  for (int i = 1; i < columns; ++i)
    for (int k = 1; k < rows; ++k) wanted[i][k] = wanted[i - 1][k] * 3 + wanted[i - 1][k - 1] * 5 + wanted[i][k - 1];
  qt_basic_wavefront(of_columns, columns, rows, compute_int);
  CHECK(memcmp(cells, wanted, sizeof(cells)) == 0);
}

static void in_a_thread_outside(void *argument) {
  (void)argument;
  a_grid(10, 11, 1024);
}

int main(void) {
  OK(qthread_initialize());
  grids();
  grids_that_cannot_be();
  a_basic_grid();
  run_outside(in_a_thread_outside, NULL);
  qthread_finalize();
  return 0;
}
#else
int main(void) { return 0; }
#endif
