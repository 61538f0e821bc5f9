// Which CPUs the shepherds and their workers get: QT_SHEPHERD_BOUNDARY, QT_WORKER_UNIT, QT_CPUBIND
// and QT_LAYOUT. Without any of them the topology is not read, and workers are placed on the CPUs
// of the affinity mask in turn.
#pragma once

#include <cstddef>

#include <weft/ext.h>

#include "environment.hpp"

namespace weft::qthreads {

// Groups of CPUs that QT_SHEPHERD_BOUNDARY and QT_WORKER_UNIT name.
enum class cpu_group { none, node, cache, socket, core, pu };

class layout {
 public:
  // Reads the variables, and the machine if one of them is set.
  layout();
  ~layout();
  layout(const layout&) = delete;
  layout& operator=(const layout&) = delete;

  // QT_CPUBIND says how many shepherds and workers there are.
  bool lists_cpus() const { return listed_each_ != 0; }
  unsigned listed_shepherds() const { return listed_count_ / listed_each_; }
  unsigned listed_each() const { return listed_each_; }

  // Workers are placed on certain CPUs, and no mere groups of them: they are bound unless
  // QT_AFFINITY says no.
  bool names_cpus() const { return lists_cpus() || spread_ != spread::none; }

  bool has_boundary() const { return boundary_ != cpu_group::none; }
  unsigned groups() const;        // within QT_SHEPHERD_BOUNDARY
  unsigned units_each() const;    // QT_WORKER_UNITs in such a group: the least of all groups
  unsigned units_in_all() const;  // QT_WORKER_UNITs of the machine; 0: the variable is not set

  // Asks Weft to place the workers of the runtimes that start from now on, if anything is set.
  // False: nothing has changed.
  bool place(unsigned shepherds, unsigned each) const;

 private:
  enum class spread { none, compact, balanced };

  unsigned group_of(unsigned place, cpu_group kind) const;
  unsigned end_of_group(unsigned begin, cpu_group kind) const;
  unsigned count_units(unsigned begin, unsigned end) const;
  unsigned cpu_of_unit(unsigned begin, unsigned end, unsigned index) const;
  bool has_cpu(unsigned number) const;

  bool read_machine();
  void check_unit();
  void read_list();
  void place_in_groups(unsigned shepherds, unsigned each, unsigned* out) const;
  void balance(unsigned begin, unsigned end, int levels, unsigned count, unsigned** out) const;

  cpu_group boundary_ = cpu_group::none;
  cpu_group unit_ = cpu_group::none;
  spread spread_ = spread::none;
  unsigned* listed_ = nullptr;  // QT_CPUBIND: the CPU of each worker
  unsigned listed_count_ = 0;
  unsigned listed_each_ = 0;
  weft_ext_cpu* cpus_ = nullptr;  // those that the process may use, neighbours side by side
  unsigned cpu_count_ = 0;
};

}  // namespace weft::qthreads
