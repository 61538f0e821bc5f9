#include <hdf5.h>
#include <unistd.h>

#include "calls.h"

static void create_write_close(void *unused) {
  (void)unused;
  static const char file[] = "stacks.h5";
  static const double numbers[1000];
  const hsize_t count = 1000;
  const hid_t all = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t set = H5Dcreate2(all, "numbers", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  NEED(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  NEED(H5Dclose(set) >= 0 && H5Sclose(space) >= 0 && H5Fclose(all) >= 0);
  (void)unlink(file);
}

static void open_missing_file(void *unused) {
  (void)unused;
  NEED(H5Fopen("/nonexistent/stacks.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
}

int main(void) {
  static const weft_function calls[] = {create_write_close, open_missing_file};
  unsigned major, minor, release;
  char version[32];
  NEED(H5get_libversion(&major, &minor, &release) >= 0);
  (void)snprintf(version, sizeof version, "%u.%u.%u", major, minor, release);
  run_calls(version, calls, sizeof calls / sizeof *calls);
  return 0;
}
