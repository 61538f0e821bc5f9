// The C interface from C++.
#include <weft/ext.h>
#include <weft/weft.h>

#include <iostream>

int main() {
  int answer = 0;
  weft_thread* thread;
  const weft_function greet = [](void* argument) { *static_cast<int*>(argument) = 42; };
  if (weft_init(nullptr) != WEFT_OK) return 1;
  if (weft_thread_create(greet, &answer, nullptr, &thread) != WEFT_OK || weft_thread_join(thread) != WEFT_OK) return 1;
  if (weft_finalize() != WEFT_OK) return 1;
  std::cout << "Weft " WEFT_VERSION ": " << answer << "\n";
  return answer == 42 ? 0 : 1;
}
