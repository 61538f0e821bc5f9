// qutil_double_sum and its kin: the caller alone, up to some length, else tasks anywhere.
#include <qthread/qutil.h>

#include "reduce.hpp"

namespace {

using namespace weft::qthreads;

constexpr std::size_t fewest_in_parts = 10000;
constexpr std::size_t parts_a_worker = 4;

template <class Operation, class T>
T reduce_anywhere(const T* array, std::size_t length, int checkfeb) {
  if (length == 0) return Operation::of_nothing;
  if (length <= fewest_in_parts) {
    return checkfeb != 0 ? reduce_here<Operation, T, true>(array, 0, length) : reduce_here<Operation, T, false>(array, 0, length);
  }
  const std::size_t most = std::max<std::size_t>(1, parts_a_worker * qthread_num_workers());
  return reduce<Operation>(array, parts{0, length, std::min(most, length / fewest_in_parts + 1)}, checkfeb != 0, false);
}

}  // namespace

extern "C" {

double qutil_double_sum(const double* array, size_t length, int checkfeb) {
  return reduce_anywhere<sum>(array, length, checkfeb);
}
double qutil_double_mult(const double* array, size_t length, int checkfeb) {
  return reduce_anywhere<product>(array, length, checkfeb);
}
double qutil_double_max(const double* array, size_t length, int checkfeb) {
  return reduce_anywhere<largest>(array, length, checkfeb);
}
double qutil_double_min(const double* array, size_t length, int checkfeb) {
  return reduce_anywhere<smallest>(array, length, checkfeb);
}

aligned_t qutil_uint_sum(const aligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<sum>(array, length, checkfeb);
}
aligned_t qutil_uint_mult(const aligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<product>(array, length, checkfeb);
}
aligned_t qutil_uint_max(const aligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<largest>(array, length, checkfeb);
}
aligned_t qutil_uint_min(const aligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<smallest>(array, length, checkfeb);
}

saligned_t qutil_int_sum(const saligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<sum>(array, length, checkfeb);
}
saligned_t qutil_int_mult(const saligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<product>(array, length, checkfeb);
}
saligned_t qutil_int_max(const saligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<largest>(array, length, checkfeb);
}
saligned_t qutil_int_min(const saligned_t* array, size_t length, int checkfeb) {
  return reduce_anywhere<smallest>(array, length, checkfeb);
}
}
