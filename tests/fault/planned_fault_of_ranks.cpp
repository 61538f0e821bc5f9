// Linked into every test program on libweft-dist: WEFT_TEST_FAULT and WEFT_TEST_FAULT_FILE as in
// planned_fault.cpp, for all processes of the job together. The library starts the ranks before
// main and before the program's own constructors, so that the plan is made before all constructors,
// where the C library does not know the environment yet.
#include "shared_plan.hpp"

namespace {

const char* value_in(char** environment, const char* name) {
  const size_t length = strlen(name);
  for (char** each = environment; *each != nullptr; ++each) {
    if (strncmp(*each, name, length) == 0 && (*each)[length] == '=') return *each + length + 1;
  }
  return nullptr;
}

void install(int, char**, char** environment) {
  const char* const wish = value_in(environment, "WEFT_TEST_FAULT");
  if (wish == nullptr) return;
  auto* const made = weft::planned::make_plan(wish, value_in(environment, "WEFT_TEST_FAULT_FILE"));
  weft::os::fault::installed.store(&made->plan, weft::base::relaxed);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_constructors)(int, char**, char**) = install;

}  // namespace
