// Channels in a process with one OS thread, where a value goes from call to call without a lock;
// and what was begun so once there are more. The order of the cases matters: the last one starts an
// OS thread.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <weft/channel.hpp>
#include <weft/select.hpp>
#include <weft/weft.hpp>

namespace {

using weft::channel_op_status;

template <class Body>
void on_one_worker(Body body) {
  const weft::runtime runtime({.workers = 1});
  body();
}

}  // namespace

TEST_CASE("values go back and forth, whichever side waits first") {
  on_one_worker([] {
    weft::unbuffered_channel<int> there;
    weft::unbuffered_channel<int> back;
    weft::thread other([&] {
      for (int i = 0; i < 100; ++i) {
        const int taken = there.value_pop();
        if (i % 3 == 0) weft::this_thread::yield();
        REQUIRE(back.push(taken + 1) == channel_op_status::success);
      }
    });
    for (int i = 0; i < 100; ++i) {
      if (i % 2 == 0) weft::this_thread::yield();
      REQUIRE(there.push(i) == channel_op_status::success);
      if (i % 5 == 0) weft::this_thread::yield();
      int answer = -1;
      REQUIRE(back.pop(answer) == channel_op_status::success);
      REQUIRE(answer == i + 1);
    }
    other.join();
  });
}

TEST_CASE("a buffer keeps the order over many rounds, for any capacity") {
  on_one_worker([] {
    for (const std::size_t capacity : {1u, 2u, 3u, 5u, 64u}) {
      weft::buffered_channel<std::uint16_t> numbers(capacity);
      for (std::size_t i = 0; i < capacity; ++i) {
        REQUIRE(numbers.try_push(static_cast<std::uint16_t>(i)) == channel_op_status::success);
      }
      REQUIRE(numbers.try_push(std::uint16_t{0}) == channel_op_status::full);
      weft::thread reader([&] {
        std::uint16_t wanted = 0;
        for (const std::uint16_t each : numbers) REQUIRE(each == wanted++);
        REQUIRE(wanted == 300);
      });
      for (std::size_t i = capacity; i < 300; ++i) {
        REQUIRE(numbers.push(static_cast<std::uint16_t>(i)) == channel_op_status::success);
      }
      numbers.close();
      reader.join();
    }
  });
}

TEST_CASE("values that own memory, or are larger than a word, go through as well") {
  on_one_worker([] {
    weft::buffered_channel<std::string> lines(2);
    weft::unbuffered_channel<std::vector<int>> lists;
    weft::thread reader([&] {
      int count = 0;
      for (const std::string& each : lines) REQUIRE(each == std::string(50, static_cast<char>('a' + count++)));
      REQUIRE(count == 10);
      REQUIRE(lists.value_pop().size() == 7);
    });
    for (int i = 0; i < 10; ++i) REQUIRE(lines.push(std::string(50, static_cast<char>('a' + i))) == channel_op_status::success);
    lines.close();
    REQUIRE(lists.push(std::vector<int>(7)) == channel_op_status::success);
    reader.join();
  });
}

TEST_CASE("close ends each wait, and what is buffered is popped first") {
  on_one_worker([] {
    weft::unbuffered_channel<int> values;
    int ended = 0;
    std::vector<weft::thread> all;
    for (int i = 0; i < 2; ++i) {
      all.emplace_back([&] {
        int none = 7;
        CHECK(values.pop(none) == channel_op_status::closed);
        CHECK(none == 7);
        ++ended;
      });
    }
    weft::this_thread::yield();
    values.close();
    CHECK(values.push(1) == channel_op_status::closed);
    for (auto& each : all) each.join();
    CHECK(ended == 2);

    weft::buffered_channel<int> room(1);
    weft::thread pusher([&] {
      CHECK(room.push(1) == channel_op_status::success);
      CHECK(room.push(2) == channel_op_status::closed);
    });
    weft::this_thread::yield();
    room.close();
    pusher.join();
    CHECK(room.value_pop() == 1);
    CHECK_THROWS_AS(room.value_pop(), weft::error);
  });
}

TEST_CASE("waiting calls are served in the order of their coming") {
  on_one_worker([] {
    weft::unbuffered_channel<int> values;
    std::vector<int> order;
    std::vector<weft::thread> all;
    for (int i = 0; i < 4; ++i) {
      all.emplace_back([&, i] {
        const int taken = values.value_pop();
        order.push_back(taken * 10 + i);
      });
      while (weft_thread_get_state(all.back().native_handle()) != WEFT_THREAD_BLOCKED) weft::this_thread::yield();
    }
    for (int i = 0; i < 4; ++i) values.push(i);
    for (auto& each : all) each.join();
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector<int>{0, 11, 22, 33});
  });
}

TEST_CASE("a tasklet pushes and pops what is there, and leaves nothing behind where it would wait") {
  on_one_worker([] {
    weft::buffered_channel<int> values(1);
    const auto in_tasklet = [&](void (*body)(weft::buffered_channel<int>&)) {
      struct call {
        void (*body)(weft::buffered_channel<int>&);
        weft::buffered_channel<int>* values;
      } both{body, &values};
      weft_thread* made = nullptr;
      REQUIRE(weft_tasklet_create(
                  [](void* given) {
                    auto* const one = static_cast<call*>(given);
                    one->body(*one->values);
                  },
                  &both, nullptr, &made) == WEFT_OK);
      REQUIRE(weft_thread_join(made) == WEFT_OK);
    };
    in_tasklet([](weft::buffered_channel<int>& one) { CHECK_THROWS_AS(one.value_pop(), weft::error); });
    in_tasklet([](weft::buffered_channel<int>& one) {
      CHECK(one.push(1) == channel_op_status::success);
      CHECK_THROWS_AS(one.push(2), weft::error);
    });
    CHECK(values.value_pop() == 1);
    CHECK(values.push(3) == channel_op_status::success);
    in_tasklet([](weft::buffered_channel<int>& one) { CHECK(one.value_pop() == 3); });
    CHECK(values.try_push(4) == channel_op_status::success);
  });
}

TEST_CASE("select meets calls that wait without a record") {
  on_one_worker([] {
    weft::unbuffered_channel<int> left;
    weft::unbuffered_channel<int> right;
    int sum = 0;
    weft::thread popper([&] { sum += left.value_pop(); });
    weft::thread pusher([&] { CHECK(right.push(20) == channel_op_status::success); });
    weft::this_thread::yield();
    weft::select(weft::on_push(left, 1, [&] { sum += 100; }));
    weft::select(weft::on_pop(right, [&](int value) { sum += value; }));
    popper.join();
    pusher.join();
    CHECK(sum == 121);
    weft::thread selecting([&] { weft::select(weft::on_pop(right, [&](int value) { sum = value; })); });
    weft::this_thread::yield();
    CHECK(right.push(5) == channel_op_status::success);
    selecting.join();
    CHECK(sum == 5);
  });
}

TEST_CASE("calls that waited before there was a second OS thread are served by it") {
  on_one_worker([] {
    weft::unbuffered_channel<int> there;
    weft::unbuffered_channel<int> back;
    weft::buffered_channel<int> room(2);
    int popped = 0;
    weft::thread popper([&] { popped = there.value_pop(); });
    weft::thread pusher([&] { CHECK(back.push(9) == channel_op_status::success); });
    CHECK(room.push(1) == channel_op_status::success);
    weft::this_thread::yield();
    int taken = 0;
    int from_room = 0;
    std::thread outside([&] {
      CHECK(there.push(8) == channel_op_status::success);
      taken = back.value_pop();
      from_room = room.value_pop();
    });
    popper.join();
    pusher.join();
    outside.join();
    CHECK(popped == 8);
    CHECK(taken == 9);
    CHECK(from_room == 1);
  });
}
