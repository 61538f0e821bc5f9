// Contexts: what a thread does when it resumes one × what that does when it switches back × which
// thread resumes it next. Each side keeps its exceptions, and what is suspended is unwound whole.
#include <weft/context.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "callers.hpp"

#include <weft/runtime.hpp>
#include <weft/sync.hpp>
#include <weft/thread.hpp>

namespace {

using weft::context::fiber;

std::string now;            // the row: CAPTURE is bound to an OS thread, and threads move
std::shared_ptr<int> held;  // by each frame of a context that must be unwound

void expect(bool is_good) { CHECK_MESSAGE(is_good, now); }

// The exception that is handled here, as a number; 0: none.
int handled() {
  if (std::current_exception() == nullptr) return 0;
  try {
    std::rethrow_exception(std::current_exception());
  } catch (int number) {
    return number;
  } catch (...) {
    return -1;
  }
}

struct on_leaving {
  std::function<void()> call;
  ~on_leaving() { call(); }
};

// ---- what a context does when it switches back ----------------------------------------------------

void switch_back(fiber& caller) { caller = std::move(caller).resume(); }

void in_plain(fiber& caller) { switch_back(caller); }

void in_catch(fiber& caller) {
  try {
    throw 21;
  } catch (int) {
    switch_back(caller);
    expect(handled() == 21);
    switch_back(caller);
    expect(handled() == 21);
  }
  expect(handled() == 0);
}

void in_nested_catch(fiber& caller) {
  try {
    throw 22;
  } catch (int) {
    try {
      throw 23;
    } catch (int) {
      switch_back(caller);
      expect(handled() == 23);
    }
    switch_back(caller);
    expect(handled() == 22);
  }
}

void in_rethrow(fiber& caller) {
  int seen = 0;
  try {
    try {
      throw 24;
    } catch (...) {
      switch_back(caller);
      throw;
    }
  } catch (int number) {
    switch_back(caller);
    seen = number;
  }
  expect(seen == 24);
}

// A destructor that runs because of an exception.
void in_unwinding(fiber& caller) {
  const int before = std::uncaught_exceptions();
  try {
    const on_leaving looks{[&] { expect(std::uncaught_exceptions() == before + 1); }};
    switch_back(caller);
    throw 25;
  } catch (int number) {
    switch_back(caller);
    expect(number == 25);
  }
  expect(std::uncaught_exceptions() == before);
}

void in_parked(fiber& caller) {
  weft::counting_semaphore<> wakes(0);
  weft::thread waker([&wakes] { wakes.release(); });
  try {
    throw 26;
  } catch (int) {
    wakes.acquire();
    switch_back(caller);
    weft::thread([] { weft::this_thread::yield(); }).join();
    expect(handled() == 26);
  }
  waker.join();
}

void in_another(fiber& caller) {
  fiber inner([](fiber&& outer) {
    try {
      throw 27;
    } catch (int) {
      outer = std::move(outer).resume();
      expect(handled() == 27);
    }
    return std::move(outer);
  });
  inner = std::move(inner).resume();
  expect(handled() == 0);
  switch_back(caller);
  inner = std::move(inner).resume();
  expect(!inner);
}

struct inside {
  std::string_view name;
  void (*run)(fiber& caller);
};
constexpr inside insides[] = {{"plain", in_plain},
                              {"in a catch block", in_catch},
                              {"in a catch block in one", in_nested_catch},
                              {"that is thrown on", in_rethrow},
                              {"behind destructors", in_unwinding},
                              {"parked", in_parked},
                              {"in a context of its own", in_another}};

// ---- what a thread does around its resumes --------------------------------------------------------

using resumes = std::function<void()>;

void from_plain(const resumes& go) { go(); }

void from_catch(const resumes& go) {
  try {
    throw 11;
  } catch (int) {
    go();
    expect(handled() == 11);
  }
}

void from_rethrow(const resumes& go) {
  int seen = 0;
  try {
    try {
      throw 12;
    } catch (...) {
      go();
      throw;
    }
  } catch (int number) {
    seen = number;
  }
  expect(seen == 12);
}

void from_unwinding(const resumes& go) {
  try {
    const on_leaving goes{[&] {
      expect(std::uncaught_exceptions() == 1);
      go();
      expect(std::uncaught_exceptions() == 1);
    }};
    throw 13;
  } catch (int number) {
    expect(number == 13);
  }
  expect(std::uncaught_exceptions() == 0);
}

void from_thread(const resumes& go) {
  weft::thread([&go] { from_catch(go); }).join();
}

void from_context(const resumes& go) {
  fiber outer([&go](fiber&& caller) {
    from_catch(go);
    return std::move(caller);
  });
  outer = std::move(outer).resume();
  expect(!outer);
}

struct around {
  std::string_view name;
  void (*run)(const resumes& go);
};
constexpr around arounds[] = {{"plain", from_plain},
                              {"in a catch block", from_catch},
                              {"that is thrown on", from_rethrow},
                              {"in a destructor", from_unwinding},
                              {"in a thread", from_thread},
                              {"in a context", from_context}};

fiber make(void (*run)(fiber&), int* ended) {
  return fiber([run, ended, own = held](fiber&& caller) {
    expect(handled() == 0);
    expect(std::uncaught_exceptions() == 0);
    const std::shared_ptr<int> frame = own;
    run(caller);
    ++*ended;
    return std::move(caller);
  });
}

// Resumes it until it ends, each time around by what the round says; then as often as may be before
// it is destroyed.
void check_pair(const inside& what, const around& first, const around& later) {
  now = std::string(what.name) + ", " + std::string(first.name) + ", " + std::string(later.name);
  int ended = 0, rounds = 0;
  fiber of = make(what.run, &ended);
  for (; of; ++rounds) {
    (rounds == 0 ? first : later).run([&of] {
      const int before = handled(), uncaught = std::uncaught_exceptions();
      of = std::move(of).resume();
      expect(handled() == before);
      expect(std::uncaught_exceptions() == uncaught);
    });
    weft::this_thread::yield();
  }
  expect(ended == 1);
  expect(held.use_count() == 1);
  for (int stops = 0; stops < rounds; ++stops) {
    if (what.run == in_parked) break;  // what its frames wait for would be gone
    first.run([&] {
      fiber dropped = make(what.run, &ended);
      for (int i = 0; i < stops; ++i) dropped = std::move(dropped).resume();
      const int before = handled(), uncaught = std::uncaught_exceptions();
      dropped = fiber();
      expect(handled() == before);
      expect(std::uncaught_exceptions() == uncaught);
    });
    expect(held.use_count() == 1);
  }
  expect(ended == 1);
}

void all_pairs() {
  held = std::make_shared<int>(0);
  for (const inside& what : insides)
    for (const around& first : arounds)
      for (const around& later : arounds) check_pair(what, first, later);
}

}  // namespace

TEST_CASE("a context and the thread that resumes it keep their exceptions") {
  for (const unsigned workers : {1U, 3U}) {
    CAPTURE(workers);
    const weft::runtime runtime(config_of(workers));
    all_pairs();
    weft::thread(all_pairs).join();
  }
}
