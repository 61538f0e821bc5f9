// C++ threads and forks without names, for profile_test.py.
#include <weft/weft.hpp>

namespace kitchen {

void wash(int times) {
  for (int done = 0; done < times; ++done) __asm__ volatile("");
}

void cook() {
  auto child = weft::fork([] { wash(1000); });
  wash(1000);
  child.join();
}

}  // namespace kitchen

int main() {
  const weft::runtime runtime({.workers = 1});
  weft::thread by_place([] { kitchen::wash(1000); });  // profile_test.py looks for this line
  weft::thread by_type([](int times) { kitchen::wash(times); }, 1000);
  by_place.join();
  by_type.join();
  kitchen::cook();
}
