// weft/mpi.hpp: requests in threads, coroutines, selects, futures and senders, on two ranks.
#include <weft/mpi.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stop_token>
#include <vector>

#include <weft/channel.hpp>
#include <weft/mpi_execution.hpp>
#include <weft/runtime.hpp>
#include <weft/task.hpp>
#include <weft/thread.hpp>
#include <weft/when.hpp>

using namespace std::chrono_literals;

namespace {

int rank = 0;
int other = 0;

#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "%s:%d: rank %d failed: %s\n", __FILE__, __LINE__, rank, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 3);                                                         \
    }                                                                                       \
  } while (false)

struct message {
  int got = -1;
  MPI_Request request = MPI_REQUEST_NULL;

  explicit message(int tag, MPI_Comm comm = MPI_COMM_WORLD) {
    CHECK(MPI_Irecv(&got, 1, MPI_INT, other, tag, comm, &request) == MPI_SUCCESS);
  }
  bool is_over() const { return request == MPI_REQUEST_NULL; }
};

void send(int value, int tag, MPI_Comm comm = MPI_COMM_WORLD) {
  CHECK(MPI_Send(&value, 1, MPI_INT, other, tag, comm) == MPI_SUCCESS);
}

// Sends one after the other, once both ranks are here and the waits stand.
void send_later(const std::vector<int>& tags) {
  weft::this_thread::sleep_for(2ms);
  MPI_Barrier(MPI_COMM_WORLD);
  for (const int tag : tags) send(tag * 10, tag);
}

void wait_in_threads() {
  message first(1);
  message never(2);
  weft::thread waiter([&] { CHECK(weft::mpi::wait(first.request).MPI_TAG == 1); });
  CHECK(!weft::mpi::wait_for(never.request, 1ms));
  CHECK(!weft::mpi::wait_until(never.request, std::chrono::steady_clock::now() + 1ms));
  CHECK(!never.is_over());
  send_later({1, 2});
  waiter.join();
  CHECK(first.got == 10 && first.is_over());
  CHECK(weft::mpi::wait_for(never.request, 1h)->MPI_SOURCE == other);
  CHECK(never.got == 20 && never.is_over());
  CHECK(weft::mpi::wait_until(never.request, std::chrono::steady_clock::now() + 1h)->MPI_TAG == MPI_ANY_TAG);  // null
}

weft::task<int> receive(message& one) {
  const MPI_Status status = co_await weft::mpi::completion(one.request);
  CHECK(status.MPI_SOURCE == other && one.is_over());
  co_return one.got;
}

weft::task<int> receive_both(message& first, message& second) {
  const int sum = co_await receive(second);
  co_return sum + co_await receive(first);
}

void wait_in_coroutines() {
  message first(3);
  message second(4);
  weft::future<int> sum = weft::spawn(receive_both(first, second));
  send_later({3, 4});
  CHECK(sum.get() == 70);
}

weft::task<bool> is_stopped(message& one) {
  try {
    co_await weft::mpi::completion(one.request);
  } catch (const weft::stopped&) {
    co_return true;
  }
  co_return false;
}

void stop_a_coroutine() {
  message one(5);
  std::stop_source stop;
  weft::future<bool> ended = weft::spawn(is_stopped(one), stop.get_token());
  weft::this_thread::sleep_for(1ms);
  stop.request_stop();
  CHECK(ended.get() && !one.is_over());
  send_later({5});
  weft::mpi::wait(one.request);
  CHECK(one.got == 50);
}

void wait_for_futures() {
  message first(6);
  message second(7);
  weft::future<MPI_Status> one = weft::mpi::as_future(first.request);
  weft::future<MPI_Status> two = weft::mpi::as_future(second.request);
  CHECK(first.is_over() && second.is_over());  // taken over
  CHECK(!one.is_ready());
  send_later({7, 6});
  CHECK(two.get().MPI_TAG == 7 && second.got == 70);
  CHECK(std::move(one).then([&](weft::future<MPI_Status> done) { return done.get().MPI_TAG + first.got; }).get() == 66);
  message here(8);
  send(80, 8);
  while (!weft::mpi::detail::is_complete(here.request)) weft::this_thread::yield();
  CHECK(weft::mpi::as_future(here.request).get().MPI_TAG == 8 && here.got == 80);
}

void wait_in_selects() {
  message first(9);
  message second(10);
  weft::buffered_channel<int> words(2);
  int chosen = 0;
  const auto choose = [&] {
    weft::select(weft::mpi::on_complete(first.request, [&](const MPI_Status& status) { chosen = status.MPI_TAG; }),
                 weft::mpi::on_complete(second.request, [&](const MPI_Status& status) { chosen = status.MPI_TAG; }),
                 weft::on_pop(words, [&](int word) { chosen = word; }), weft::after(1h, [] {}));
  };
  words.push(500);
  choose();
  CHECK(chosen == 500 && !first.is_over() && !second.is_over());
  send_later({10});
  choose();
  CHECK(chosen == 10 && second.got == 100 && second.is_over() && !first.is_over());
  MPI_Barrier(MPI_COMM_WORLD);  // the other has chosen, too
  send(90, 9);
  CHECK(weft::mpi::wait(first.request).MPI_TAG == 9);
}

struct tag_to {
  using receiver_concept = weft::execution::receiver_t;
  int* tag;
  weft::latch* ended;
  void set_value(const MPI_Status& status) && noexcept {
    *tag = status.MPI_TAG;
    ended->count_down();
  }
  void set_error(const std::exception_ptr&) && noexcept { ended->count_down(); }
  void set_stopped() && noexcept { ended->count_down(); }
};

void wait_for_a_sender() {
  message one(11);
  int tag = 0;
  weft::latch ended(1);
  auto operation = weft::as_sender(weft::mpi::completion(one.request)).connect(tag_to{&tag, &ended});
  operation.start();
  CHECK(tag == 0);
  send_later({11});
  ended.wait();
  CHECK(tag == 11 && one.got == 110 && one.is_over());
}

// A message that is longer than its buffer, in each form.
template <class Wait>
void check_error(MPI_Comm comm, int tag, Wait wait) {
  const int two[2] = {1, 2};
  message one(tag, comm);
  CHECK(MPI_Send(two, 2, MPI_INT, other, tag, comm) == MPI_SUCCESS);
  bool is_refused = false;
  try {
    wait(one.request);
  } catch (const weft::mpi::request_error& error) {
    is_refused = true;
    int kind = MPI_SUCCESS;
    MPI_Error_class(error.mpi_code(), &kind);
    CHECK(kind == MPI_ERR_TRUNCATE && error.status() == WEFT_INVALID && *error.what() != '\0');
  }
  CHECK(is_refused);
}

weft::task<void> await_it(MPI_Request& request) { co_await weft::mpi::completion(request); }

void get_errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_error(MPI_COMM_WORLD, 12, [](MPI_Request& request) { weft::mpi::wait(request); });
  check_error(MPI_COMM_WORLD, 13, [](MPI_Request& request) { weft::sync_wait(await_it(request)); });
  check_error(MPI_COMM_WORLD, 14, [](MPI_Request& request) { weft::mpi::as_future(request).get(); });
  check_error(MPI_COMM_WORLD, 15,
              [](MPI_Request& request) { weft::select(weft::mpi::on_complete(request, [](const MPI_Status&) {})); });
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void refuse_without_a_runtime() {
  message one(16);
  bool is_refused = false;
  try {
    static_cast<void>(weft::mpi::as_future(one.request));
  } catch (const weft::error& error) {
    is_refused = error.status() == WEFT_NOT_INITIALIZED;
  }
  CHECK(is_refused && !one.is_over());
  MPI_Barrier(MPI_COMM_WORLD);
  send(160, 16);
  CHECK(weft::mpi::wait(one.request).MPI_TAG == 16 && one.got == 160);
}

}  // namespace

int main(int count, char** words) {
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  CHECK(provided == MPI_THREAD_MULTIPLE);
  {
    const weft::runtime runtime;
    wait_in_threads();
    wait_in_coroutines();
    stop_a_coroutine();
    wait_for_futures();
    wait_in_selects();
    wait_for_a_sender();
    get_errors();
  }
  refuse_without_a_runtime();
  MPI_Finalize();
  if (rank == 0) std::puts("passed");
  return 0;
}
