// What reports name as the setting of a layer's stacks: one for each bottom, for as many as there
// is room for.
#include <doctest/doctest.h>

#include <string>

#include "worker/seam.hpp"

namespace seam = weft::sched::seam;

namespace {

template <int>
void bottom(void*) {}

using function = void (*)(void*);
constexpr function bottoms[] = {bottom<0>, bottom<1>, bottom<2>, bottom<3>, bottom<4>,
                                bottom<5>, bottom<6>, bottom<7>, bottom<8>};
constexpr std::size_t most = 8;

}  // namespace

TEST_CASE("each bottom has its own, the last that was named, and the ninth none") {
  for (std::size_t i = 0; i <= most; ++i) seam::name_stack_setting({bottoms[i], "SIZE", i});
  for (std::size_t i = 0; i < most; ++i) {
    CHECK(seam::stack_setting_of(bottoms[i]).words == std::string("SIZE"));
    CHECK(seam::stack_setting_of(bottoms[i]).added_bytes == i);
  }
  CHECK(seam::stack_setting_of(bottoms[most]).words == nullptr);
  CHECK(seam::stack_setting_of(nullptr).words == nullptr);
  seam::name_stack_setting({bottoms[3], "OTHER", 7});
  CHECK(seam::stack_setting_of(bottoms[3]).words == std::string("OTHER"));
  CHECK(seam::stack_setting_of(bottoms[2]).words == std::string("SIZE"));
  seam::name_stack_setting({bottoms[3], nullptr, 0});
  CHECK(seam::stack_setting_of(bottoms[3]).words == nullptr);
  seam::name_stack_setting({nullptr, "THE OTHERS", 0});
  CHECK(seam::stack_setting_of(bottoms[most]).words == std::string("THE OTHERS"));
  CHECK(seam::stack_setting_of(bottoms[2]).words == std::string("SIZE"));
  CHECK(seam::stack_setting_of(nullptr).words == nullptr);
  seam::name_stack_setting({nullptr, nullptr, 0});
  CHECK(seam::stack_setting_of(bottoms[most]).words == nullptr);
}
