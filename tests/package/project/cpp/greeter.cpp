// The C++ interface, from a project that asks for no standard: weft::weft does.
#include <weft/weft.hpp>

#include <iostream>

int main() {
  const weft::runtime runtime;
  int answer = 0;
  weft::thread([&answer] { answer = 42; }).join();
  std::cout << "Weft " WEFT_VERSION ": " << answer << "\n";
  return answer == 42 ? 0 : 1;
}
