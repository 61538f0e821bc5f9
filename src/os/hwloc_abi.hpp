// What is used of hwloc's ABI 2 (libhwloc.so.15), declared here so that building does not need its
// headers. A unit test compares it with hwloc's own (hwloc.h, struct hwloc_obj) where that is
// installed.
#pragma once

namespace weft::os::hwloc {

// The start of struct hwloc_obj, as far as its set of CPUs.
struct object {
  int type;
  char* subtype;
  unsigned os_index;
  char* name;
  unsigned long long total_memory;
  void* attributes;
  int depth;
  unsigned logical_index;
  object *next_cousin, *previous_cousin, *parent;
  unsigned sibling_rank;
  object *next_sibling, *previous_sibling;
  unsigned arity;
  object **children, *first_child, *last_child;
  int symmetric_subtree;
  unsigned memory_arity;
  object* memory_first_child;
  unsigned io_arity;
  object* io_first_child;
  unsigned misc_arity;
  object* misc_first_child;
  const void* cpuset;
};

enum object_type : int { package_type = 1, core_type = 2, pu_type = 3, l2_type = 5, l3_type = 6, numa_type = 13 };

inline constexpr unsigned long without = 1;  // of topology_set_components

// Its functions, by the name that they have there less "hwloc_".
struct functions {
  int (*topology_init)(void** topology);
  int (*topology_set_components)(void* topology, unsigned long flags, const char* name);
  int (*topology_load)(void* topology);
  void (*topology_destroy)(void* topology);
  int (*get_type_depth)(void* topology, int type);
  unsigned (*get_nbobjs_by_depth)(void* topology, int depth);
  object* (*get_obj_by_depth)(void* topology, int depth, unsigned index);
  int (*bitmap_next)(const void* set, int previous);
};

}  // namespace weft::os::hwloc
