// qt_allpairs: a loop over the rows, which are the elements of the first array.
#include <qthread/allpairs.h>

#include <algorithm>
#include <cstddef>

#include <qthread/qloop.h>

namespace {

struct pairs {
  const qarray* array1;
  const qarray* array2;
  dist_f distance;
  dist_out_f distance_out;  // or null: the other one
  void* restrict* output;
  std::size_t output_bytes;
};

void* place_of(const pairs& all, std::size_t row, std::size_t column) {
  return all.output != nullptr ? static_cast<char*>(all.output[row]) + column * all.output_bytes : nullptr;
}

void do_pairs(const pairs& all, std::size_t row, std::size_t begin, std::size_t end) {
  const void* const left = qarray_elem_nomigrate(all.array1, row);
  const char* right = static_cast<const char*>(qarray_elem_nomigrate(all.array2, begin));
  for (std::size_t column = begin; column < end; ++column, right += all.array2->unit_size) {
    if (all.distance_out != nullptr) {
      all.distance_out(left, right, place_of(all, row, column));
    } else {
      all.distance(left, right);
    }
  }
}

// All rows with one segment of the second array, whose elements lie side by side, before the next.
void do_rows(std::size_t first_row, std::size_t last_row, void* argument) {
  const pairs& all = *static_cast<const pairs*>(argument);
  const std::size_t count = all.array2->count, step = all.array2->segment_size;
  for (std::size_t begin = 0; begin < count; begin += step)
    for (std::size_t row = first_row; row < last_row; ++row) do_pairs(all, row, begin, std::min(count, begin + step));
}

void run(pairs all) {
  const std::size_t rows = all.array1->count;
  if (qqloop_handle_t* const loop = qt_loop_queue_create(GUIDED, 0, rows, 1, do_rows, &all)) {
    qt_loop_queue_run(loop);
  } else {
    do_rows(0, rows, &all);
  }
}

}  // namespace

extern "C" {

void qt_allpairs(const qarray* array1, const qarray* array2, dist_f distfunc) {
  if (array1 == nullptr || array2 == nullptr || distfunc == nullptr) return;
  run({array1, array2, distfunc, nullptr, nullptr, 0});
}

void qt_allpairs_output(const qarray* array1, const qarray* array2, dist_out_f distfunc, void* restrict* restrict output,
                        size_t outsize) {
  if (array1 == nullptr || array2 == nullptr || distfunc == nullptr) return;
  run({array1, array2, nullptr, distfunc, output, outsize});
}
}
