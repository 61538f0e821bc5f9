#include "faces/common/object.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "faces/common/handle.hpp"

using namespace weft::face;

namespace {

struct counted {
  int first;
  int* ended;
  ~counted() { ++*ended; }
};
typedef struct opaque* handle;

}  // namespace

TEST_CASE("an object is made of its arguments, with aligned memory behind it, and ended once") {
  int ended = 0;
  auto* const one = make_object<counted>(64, 3, &ended);
  REQUIRE(one != nullptr);
  CHECK(one->first == 3);
  std::memset(static_cast<void*>(one + 1), 0xff, 64);
  CHECK(one->first == 3);
  CHECK(reinterpret_cast<std::uintptr_t>(one) % alignof(std::max_align_t) == 0);
  CHECK(ended == 0);
  free_object(one);
  CHECK(ended == 1);
}

TEST_CASE("a handle leads to its object, and the null handle to none") {
  int one = 0;
  const auto of_one = handle_to<handle>(&one);
  CHECK(object_of<int>(of_one) == &one);
  CHECK(object_of<int>(handle{nullptr}) == nullptr);
}
