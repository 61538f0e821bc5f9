// qarray_*: arrays made and freed, and which shepherd their segments belong to.
#include "array.hpp"

#include <qthread/qtimer.h>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "base/atomic.hpp"
#include "faces/common/object.hpp"
#include "shepherds.hpp"

using namespace weft;
using weft::qthreads::array;
using weft::qthreads::array_of;

namespace {

// Segments of all arrays for each shepherd; shepherds beyond that share.
constexpr std::size_t counted_shepherds = 1024;
constinit base::atomic<std::size_t> segments_there[counted_shepherds];

void count(qthread_shepherd_id_t shepherd, std::ptrdiff_t segments) {
  segments_there[shepherd % counted_shepherds].fetch_add(static_cast<std::size_t>(segments), base::relaxed);
}

qthread_shepherd_id_t least_shepherd(qthread_shepherd_id_t shepherds) {
  const std::size_t counted = shepherds < counted_shepherds ? shepherds : counted_shepherds;
  std::size_t least = 0;
  for (std::size_t i = 1; i < counted; ++i) {
    if (segments_there[i].load(base::relaxed) < segments_there[least].load(base::relaxed)) least = i;
  }
  return static_cast<qthread_shepherd_id_t>(least);
}

qthread_shepherd_id_t any_shepherd(qthread_shepherd_id_t shepherds) {
  return static_cast<qthread_shepherd_id_t>(qtimer_fastrand() % shepherds);
}

qthread_shepherd_id_t own_shepherd() {
  const qthread_shepherd_id_t own = qthread_shep();
  return own != NO_SHEPHERD ? own : 0;
}

// Counts all segments of an array, or takes them away.
void count_all(const array* a, std::ptrdiff_t each) {
  for (std::size_t i = 0; i < a->segments; ++i) count(a->shepherd_of(i), each);
}

distribution_t kind_of(distribution_t wanted) {
  switch (wanted) {
    case ALL_SAME:
    case ALL_LOCAL:
    case ALL_RAND:
    case ALL_LEAST: return ALL_SAME;
    case DIST:
    case DIST_STRIPES:
    case DIST_FIELDS:
    case DIST_RAND:
    case DIST_LEAST: return DIST;
    case FIXED_FIELDS: return FIXED_FIELDS;
    default: return FIXED_HASH;
  }
}

qthread_shepherd_id_t first_shepherd_of(const array* a, std::size_t segment, distribution_t wanted) {
  switch (wanted) {
    case DIST_STRIPES: return a->stripe_of(segment);
    case DIST_FIELDS: return a->field_of(segment);
    case ALL_LEAST:
    case DIST_LEAST: return least_shepherd(a->shepherds);
    case ALL_SAME:
    case ALL_LOCAL: return own_shepherd();
    default: return any_shepherd(a->shepherds);
  }
}

// Once each segment is counted, the next one's least shepherd may be another.
void distribute(array* a, distribution_t wanted) {
  a->dist_type = kind_of(wanted);
  if (a->dist_type == DIST) {
    for (std::size_t i = 0; i < a->segments; ++i) {
      a->table()[i] = first_shepherd_of(a, i, wanted);
      count(a->table()[i], 1);
    }
    return;
  }
  if (a->dist_type == ALL_SAME) a->dist_specific.dist_shep = first_shepherd_of(a, 0, wanted);
  if (a->dist_type == FIXED_FIELDS) a->dist_specific.stripes = {a->segments / a->shepherds, a->segments % a->shepherds};
  count_all(a, 1);
}

// False: a size does not fit into a word.
bool lay_out(qarray* a, bool is_tight, int pages) {
  constexpr std::size_t word = 8;
  constexpr int usual_pages = 16;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (a->unit_size > SIZE_MAX / 4) return false;
  if (!is_tight) a->unit_size = (a->unit_size + word - 1) & ~(word - 1);
  a->segment_bytes = page * static_cast<std::size_t>(pages > 0 ? pages : usual_pages);
  if (a->segment_bytes < a->unit_size) a->segment_bytes = (a->unit_size + page - 1) & ~(page - 1);
  a->segment_size = a->segment_bytes / a->unit_size;
  return true;
}

array* make(const qarray& laid_out, distribution_t wanted) {
  const std::size_t segments = (laid_out.count - 1) / laid_out.segment_size + 1;
  const std::size_t table_bytes = kind_of(wanted) == DIST ? segments * sizeof(qthread_shepherd_id_t) : 0;
  array* const made = face::make_object<array>(table_bytes, array{laid_out, segments, qthreads::total_shepherds()});
  if (made == nullptr) return nullptr;
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(segments, made->segment_bytes, &bytes) && bytes <= PTRDIFF_MAX) {
    made->base_ptr = static_cast<char*>(std::aligned_alloc(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), bytes));
  }
  if (made->base_ptr != nullptr) return made;
  face::free_object(made);
  return nullptr;
}

}  // namespace

qarray* qarray_create(const size_t count, const size_t unit_size) {
  return qarray_create_configured(count, unit_size, FIXED_HASH, 0, 0);
}

qarray* qarray_create_tight(const size_t count, const size_t unit_size) {
  return qarray_create_configured(count, unit_size, FIXED_HASH, 1, 0);
}

qarray* qarray_create_configured(const size_t count, const size_t unit_size, const distribution_t d, const char tight,
                                 const int seg_pages) {
  if (count == 0 || unit_size == 0 || qthreads::total_shepherds() == 0) return nullptr;
  qarray laid_out{};
  laid_out.count = count;
  laid_out.unit_size = unit_size;
  if (!lay_out(&laid_out, tight != 0, seg_pages)) return nullptr;
  array* const made = make(laid_out, d);
  if (made != nullptr) distribute(made, d);
  return made;
}

void qarray_destroy(qarray* a) {
  if (a == nullptr) return;
  array* const all = array_of(a);
  count_all(all, -1);
  std::free(all->base_ptr);
  face::free_object(all);
}

qthread_shepherd_id_t qarray_shepof(const qarray* a, const size_t index) {
  if (a == nullptr || index >= a->count) return NO_SHEPHERD;
  return array_of(a)->shepherd_of(index / a->segment_size);
}

void qarray_set_shepof(qarray* a, const size_t i, qthread_shepherd_id_t shep) {
  if (a == nullptr || i >= a->count || shep >= array_of(a)->shepherds) return;
  array* const all = array_of(a);
  if (all->dist_type == ALL_SAME) {
    count_all(all, -1);
    all->dist_specific.dist_shep = shep;
    count_all(all, 1);
  } else if (all->dist_type == DIST) {
    qthread_shepherd_id_t* const place = &all->table()[i / all->segment_size];
    count(*place, -1);
    count(shep, 1);
    *place = shep;
  }
}

void qarray_dist_like(const qarray* ref, qarray* mod) {
  if (ref == nullptr || mod == nullptr || ref->count != mod->count || ref->unit_size != mod->unit_size) return;
  const bool is_one_to_all = ref->dist_type == ALL_SAME;
  const bool is_each_to_each = ref->dist_type == DIST && mod->dist_type == DIST && ref->segment_size == mod->segment_size;
  if (!is_one_to_all && !is_each_to_each) return;
  for (std::size_t i = 0; i < mod->count; i += mod->segment_size) qarray_set_shepof(mod, i, qarray_shepof(ref, i));
}

void* qarray_elem_migrate(const qarray* a, const size_t index) {
  const qthread_shepherd_id_t there = qarray_shepof(a, index);
  if (there == NO_SHEPHERD) return nullptr;
  if (qthread_shep() != there) static_cast<void>(qthread_migrate_to(there));
  return qarray_elem_nomigrate(a, index);
}
