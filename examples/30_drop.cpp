// An end that does not wait, in C++: weft::runtime::drop. The frames of dropped threads are not
// unwound: what such a thread needs is to belong to others, and stays as the thread has left it.
#include <array>
#include <cstdio>

#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

namespace {

struct client {
  char name;
  weft::counting_semaphore<> requests{0}, answers{0};
};

void serve(client& mine) {
  for (;;) {  // until the thread is dropped
    mine.requests.acquire();
    std::printf("served %c\n", mine.name);
    mine.answers.release();
  }
}

}  // namespace

int main() {
  std::array<client, 3> clients{{{'a'}, {'b'}, {'c'}}};
  weft::runtime runtime;
  for (client& each : clients) weft::thread([&each] { serve(each); }).detach();
  for (client& each : clients) {
    each.requests.release();
    each.answers.acquire();
  }
  runtime.drop();  // the destructor alone would wait for ever
  std::puts("shut down");
}
