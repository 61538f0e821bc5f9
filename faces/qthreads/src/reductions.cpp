// qt_double_sum and its kin: arrays divided as by qt_loop_balance.
#include "reduce.hpp"

namespace {

using namespace weft::qthreads;

template <class Operation, class T>
T reduce_balanced(const T* array, std::size_t length, int checkfeb) {
  return reduce<Operation>(array, part_a_worker(0, length), checkfeb != 0, true);
}

}  // namespace

extern "C" {

double qt_double_sum(double* array, size_t length, int checkfeb) { return reduce_balanced<sum>(array, length, checkfeb); }
double qt_double_prod(double* array, size_t length, int checkfeb) { return reduce_balanced<product>(array, length, checkfeb); }
double qt_double_max(double* array, size_t length, int checkfeb) { return reduce_balanced<largest>(array, length, checkfeb); }
double qt_double_min(double* array, size_t length, int checkfeb) { return reduce_balanced<smallest>(array, length, checkfeb); }

saligned_t qt_int_sum(saligned_t* array, size_t length, int checkfeb) { return reduce_balanced<sum>(array, length, checkfeb); }
saligned_t qt_int_prod(saligned_t* array, size_t length, int checkfeb) {
  return reduce_balanced<product>(array, length, checkfeb);
}
saligned_t qt_int_max(saligned_t* array, size_t length, int checkfeb) {
  return reduce_balanced<largest>(array, length, checkfeb);
}
saligned_t qt_int_min(saligned_t* array, size_t length, int checkfeb) {
  return reduce_balanced<smallest>(array, length, checkfeb);
}

aligned_t qt_uint_sum(aligned_t* array, size_t length, int checkfeb) { return reduce_balanced<sum>(array, length, checkfeb); }
aligned_t qt_uint_prod(aligned_t* array, size_t length, int checkfeb) {
  return reduce_balanced<product>(array, length, checkfeb);
}
aligned_t qt_uint_max(aligned_t* array, size_t length, int checkfeb) { return reduce_balanced<largest>(array, length, checkfeb); }
aligned_t qt_uint_min(aligned_t* array, size_t length, int checkfeb) {
  return reduce_balanced<smallest>(array, length, checkfeb);
}
}
