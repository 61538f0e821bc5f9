// A condition that only polling can see, in C++: weft::wait_poll, and weft::select, which waits for
// such a condition and for other things at once.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stop_token>
#include <thread>

#include <weft/polled.hpp>
#include <weft/runtime.hpp>
#include <weft/select.hpp>
#include <weft/thread.hpp>

namespace {

using namespace std::chrono_literals;

struct job {
  int input = 0, output = 0;
  std::atomic<bool> is_done = false;  // the device's register
};

void compute(std::array<job, 4>& all) {  // the device
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    std::this_thread::sleep_for(2ms);
    each->output = each->input * each->input;
    each->is_done = true;
  }
}

}  // namespace

int main() {
  const weft::runtime runtime;
  std::array<job, 4> all;
  for (int i = 0; i < 4; ++i) all[static_cast<std::size_t>(i)].input = i + 1;
  std::thread device([&] { compute(all); });

  std::stop_source cancel;  // nothing here requests the stop
  weft::thread patient([&, token = cancel.get_token()] {
    job& last = all.back();
    weft::select(weft::on_polled([&] { return last.is_done.load(); }, [] {}),
                 weft::on_stop(token, [] { std::puts("cancelled"); }), weft::after(1h, [] { std::puts("too late"); }));
  });
  for (job& each : all) {
    weft::wait_poll([&] { return each.is_done.load(); });
    std::printf("%d squared is %d\n", each.input, each.output);
  }
  patient.join();
  device.join();
}
