// Segments of an array, and the shepherd of each.
#pragma once

#include <qthread/qarray.h>

#include <cstddef>

namespace weft::qthreads {

// What every array is. If it is DIST, the shepherds of its segments lie behind it.
struct array : qarray {
  std::size_t segments;
  qthread_shepherd_id_t shepherds;  // that there were when it was created

  qthread_shepherd_id_t* table() { return reinterpret_cast<qthread_shepherd_id_t*>(this + 1); }
  const qthread_shepherd_id_t* table() const { return reinterpret_cast<const qthread_shepherd_id_t*>(this + 1); }

  qthread_shepherd_id_t shepherd_of(std::size_t segment) const {
    switch (dist_type) {
      case ALL_SAME: return dist_specific.dist_shep;
      case FIXED_FIELDS: return field_of(segment);
      case DIST: return table()[segment];
      default: return stripe_of(segment);
    }
  }

  qthread_shepherd_id_t stripe_of(std::size_t segment) const { return static_cast<qthread_shepherd_id_t>(segment % shepherds); }

  // The first shepherds have one segment more than the others.
  qthread_shepherd_id_t field_of(std::size_t segment) const {
    const std::size_t each = segments / shepherds;
    const std::size_t extras = segments % shepherds;
    const std::size_t in_long_fields = extras * (each + 1);
    return static_cast<qthread_shepherd_id_t>(segment < in_long_fields ? segment / (each + 1)
                                                                       : extras + (segment - in_long_fields) / each);
  }

  // The first one of a shepherd from `segment` on that is below `end`; or `end`.
  std::size_t next_of(qthread_shepherd_id_t shepherd, std::size_t segment, std::size_t end) const {
    if (dist_type == FIXED_HASH) {
      segment += (shepherds + std::size_t{shepherd} - segment % shepherds) % shepherds;
      return segment < end ? segment : end;
    }
    while (segment < end && shepherd_of(segment) != shepherd) ++segment;
    return segment;
  }

  bool has_gaps() const { return segment_bytes != segment_size * unit_size; }
};

inline array* array_of(qarray* a) { return static_cast<array*>(a); }
inline const array* array_of(const qarray* a) { return static_cast<const array*>(a); }

}  // namespace weft::qthreads
