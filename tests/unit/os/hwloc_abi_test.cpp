// What os/hwloc_abi.hpp says of hwloc's ABI, against hwloc's own header where that is installed.
// Compiling it is the test.
#include <doctest/doctest.h>

#include "os/hwloc_abi.hpp"

#if __has_include(<hwloc.h>) && __has_include(<hwloc/autogen/config.h>)
#include <hwloc.h>
#if HWLOC_API_VERSION >= 0x00020100 && HWLOC_API_VERSION < 0x00030000
#include <cstddef>

namespace binary = weft::os::hwloc;

static_assert(offsetof(binary::object, cpuset) == offsetof(hwloc_obj, cpuset));
static_assert(offsetof(binary::object, os_index) == offsetof(hwloc_obj, os_index));
static_assert(binary::package_type == static_cast<int>(HWLOC_OBJ_PACKAGE) &&
              binary::core_type == static_cast<int>(HWLOC_OBJ_CORE));
static_assert(binary::pu_type == static_cast<int>(HWLOC_OBJ_PU) && binary::numa_type == static_cast<int>(HWLOC_OBJ_NUMANODE));
static_assert(binary::l2_type == static_cast<int>(HWLOC_OBJ_L2CACHE) && binary::l3_type == static_cast<int>(HWLOC_OBJ_L3CACHE));
static_assert(binary::without == static_cast<unsigned long>(HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST));
#endif
#endif

TEST_CASE("hwloc's header, if there is one, agrees") { CHECK(true); }
