// A pipeline of threads that are joined by channels, and a select that ends on a request to stop.
#include <cstdio>
#include <stop_token>

#include <weft/channel.hpp>
#include <weft/runtime.hpp>
#include <weft/select.hpp>
#include <weft/thread.hpp>

int main() {
  const weft::runtime runtime;

  // numbers -> squares -> the sum: each stage ends when the one before has closed its channel.
  weft::buffered_channel<int> numbers(16);
  weft::unbuffered_channel<long> squares;
  weft::thread source([&] {
    for (int i = 1; i <= 1000; ++i) numbers.push(i);
    numbers.close();
  });
  weft::thread square([&] {
    for (const int each : numbers) squares.push(long{each} * each);
    squares.close();
  });
  long sum = 0;
  for (const long each : squares) sum += each;
  source.join();
  square.join();
  std::printf("the sum of the squares is %ld\n", sum);

  // A server of two kinds of requests, until it is stopped.
  weft::unbuffered_channel<int> adds;
  weft::unbuffered_channel<int> reads;
  std::stop_source stop;
  weft::thread server([&, token = stop.get_token()] {
    int total = 0;
    bool is_stopped = false;
    while (!is_stopped) {
      weft::select(weft::on_pop(adds, [&](int value) { total += value; }), weft::on_push(reads, total, [] {}),
                   weft::on_stop(token, [&] { is_stopped = true; }));
    }
    std::printf("the server stops at %d\n", total);
  });
  for (int i = 1; i <= 10; ++i) adds.push(i);
  std::printf("the total is %d\n", reads.value_pop());
  stop.request_stop();
  server.join();
}
