#include <cblas.h>
#include <string.h>

#include "calls.h"

// No header of the package declares it.
extern void dgesv_(const int *size, const int *columns, double *left, const int *left_stride, int *pivots, double *right,
                   const int *right_stride, int *info);

enum { size = 500 };
static double left[size * size], right[size * size], result[size * size];

static void fill(void) {
  for (int each = 0; each < size * size; ++each) {
    left[each] = (each * 7919 % 1000) + (each % (size + 1) == 0 ? size * 1000 : 0);
    right[each] = each % 17;
  }
}

static void multiply(int threads) {
  fill();
  openblas_set_num_threads(threads);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, left, size, right, size, 0, result, size);
}

static void multiply_vector(int threads) {
  fill();
  openblas_set_num_threads(threads);
  cblas_dgemv(CblasColMajor, CblasNoTrans, size, size, 1, left, size, right, 1, 0, result, 1);
}

static void solve(int threads) {
  static int pivots[size];
  const int order = size, columns = 1;
  int info;
  fill();
  openblas_set_num_threads(threads);
  dgesv_(&order, &columns, left, &order, pivots, right, &order, &info);
  NEED(info == 0);
}

static void dgemm_by_1_thread(void *unused) {
  (void)unused;
  multiply(1);
}

static void dgemv_by_1_thread(void *unused) {
  (void)unused;
  multiply_vector(1);
}

static void dgesv_by_1_thread(void *unused) {
  (void)unused;
  solve(1);
}

static void dgemm_by_2_threads(void *unused) {
  (void)unused;
  multiply(2);
}

static void dgemv_by_2_threads(void *unused) {
  (void)unused;
  multiply_vector(2);
}

static void dgesv_by_2_threads(void *unused) {
  (void)unused;
  solve(2);
}

int main(void) {
  static const weft_function calls[] = {dgemv_by_1_thread,  dgemm_by_1_thread,  dgesv_by_1_thread,
                                        dgemv_by_2_threads, dgemm_by_2_threads, dgesv_by_2_threads};
  char version[64], *const configuration = openblas_get_config();  // OpenBLAS 0.3.21 ...
  (void)snprintf(version, sizeof version, "%.*s, %s", (int)strcspn(configuration + strlen("OpenBLAS "), " "),
                 configuration + strlen("OpenBLAS "), openblas_get_corename());
  run_calls(version, calls, sizeof calls / sizeof *calls);
  return 0;
}
