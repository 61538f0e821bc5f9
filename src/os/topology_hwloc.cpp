// The topology out of hwloc, whose library is loaded while it is asked and not needed otherwise.
// Called at start.
#include <dlfcn.h>

#include "os/fault.hpp"
#include "os/hwloc_abi.hpp"
#include "os/module.hpp"
#include "os/process.hpp"
#include "os/topology_sources.hpp"

namespace weft::os {
namespace {

constexpr int depth_unknown = -1;
constexpr int depth_multiple = -2;

template <class Function>
bool find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

bool find_all(void* library, hwloc::functions* api) {
  return find(library, "hwloc_topology_init", &api->topology_init) &&
         find(library, "hwloc_topology_set_components", &api->topology_set_components) &&
         find(library, "hwloc_topology_load", &api->topology_load) &&
         find(library, "hwloc_topology_destroy", &api->topology_destroy) &&
         find(library, "hwloc_get_type_depth", &api->get_type_depth) &&
         find(library, "hwloc_get_nbobjs_by_depth", &api->get_nbobjs_by_depth) &&
         find(library, "hwloc_get_obj_by_depth", &api->get_obj_by_depth) && find(library, "hwloc_bitmap_next", &api->bitmap_next);
}

struct machine {
  const hwloc::functions& api;
  void* handle;

  template <class Visit>
  void for_each_cpu(const void* set, Visit visit) const {
    for (int cpu = api.bitmap_next(set, -1); cpu >= 0; cpu = api.bitmap_next(set, cpu)) visit(static_cast<unsigned>(cpu));
  }

  // visit(set) for the CPUs of each object of that type; false when the machine has no such level.
  template <class Visit>
  bool for_each_set(int type, Visit visit) const {
    const int depth = api.get_type_depth(handle, type);
    if (depth == depth_unknown || depth == depth_multiple) return false;
    const unsigned count = api.get_nbobjs_by_depth(handle, depth);
    for (unsigned i = 0; i < count; ++i) {
      const hwloc::object* each = api.get_obj_by_depth(handle, depth, i);
      if (each != nullptr && each->cpuset != nullptr) visit(each->cpuset);
    }
    return count != 0;
  }

  // A node of memory alone has the CPUs near it, which have a node of their own: so each CPU is in
  // the smallest set that has it.
  bool group_by(topology* out, level at, int type) const {
    std::uint16_t sizes[max_cpus] = {};  // of the sets by which CPUs are grouped; 0: none yet
    return for_each_set(type, [&](const void* set) {
      const int lowest = api.bitmap_next(set, -1);
      std::uint16_t size = 0;
      for_each_cpu(set, [&](unsigned) { ++size; });
      for_each_cpu(set, [&](unsigned cpu) {
        if (cpu >= max_cpus || (sizes[cpu] != 0 && sizes[cpu] <= size)) return;
        sizes[cpu] = size;
        set_group(out, cpu, at, static_cast<unsigned>(lowest));
      });
    });
  }
};

bool describe(topology* out, const machine& from) {
  clear_topology(out);
  if (!from.for_each_set(hwloc::pu_type,
                         [&](const void* set) { from.for_each_cpu(set, [&](unsigned cpu) { add_cpu(out, cpu); }); }))
    return false;
  from.group_by(out, level::core, hwloc::core_type);
  if (!from.group_by(out, level::cache, hwloc::l3_type)) from.group_by(out, level::cache, hwloc::l2_type);
  from.group_by(out, level::numa, hwloc::numa_type);
  from.group_by(out, level::package, hwloc::package_type);
  if (out->cpu_count == 0) return false;
  finish_topology(out, topology_source::hwloc);
  return true;
}

bool ask(topology* out, const hwloc::functions& api) {
  void* handle = nullptr;
  if (api.topology_init(&handle) != 0) return false;
  // Its cpuid component moves the calling OS thread over all CPUs, to learn what sysfs has told
  // already.
  (void)api.topology_set_components(handle, hwloc::without, "x86");
  const bool loaded = api.topology_load(handle) == 0 && describe(out, machine{api, handle});
  api.topology_destroy(handle);
  return loaded;
}

}  // namespace

bool read_hwloc(topology* out) {
  if (privileges_of_program() == privileges::raised) return false;  // its own variables name files and plug-ins to load
  if (fault::fails(call::load_library)) return false;
  void* library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  hwloc::functions api;
  const bool is_there = library != nullptr && find_all(library, &api);
  if (!is_there) forget_linker_errors();
  if (library == nullptr) return false;
  const bool known = is_there && ask(out, api);
  dlclose(library);
  return known;
}

}  // namespace weft::os
