// What checked builds name, and release builds leave undefined or find out otherwise.
#include <doctest/doctest.h>
#include <weft/weft.h>

#include <csignal>
#include <thread>

#include "../../support/child.hpp"
#include "base/config.hpp"

namespace {

TEST_CASE("unlocking what another holds aborts with a name") {
  if (!weft::config::checked) return;
  const auto end = weft::test::run_in_child([] {
    weft_mutex mutex = WEFT_MUTEX_INIT;
    if (weft_mutex_lock(&mutex) != WEFT_OK) return 1;
    std::thread([&] { weft_mutex_unlock(&mutex); }).join();
    return 0;
  });
  CHECK(end.signal == SIGABRT);
  CHECK(end.says("unlock of mutex"));
}

TEST_CASE("a plain mutex that its owner locks again is reported, not waited for") {
  if (!weft::config::checked) return;
  weft_mutex mutex = WEFT_MUTEX_INIT;
  REQUIRE(weft_mutex_lock(&mutex) == WEFT_OK);
  CHECK(weft_mutex_lock(&mutex) == WEFT_DEADLOCK);
  CHECK(weft_mutex_lock_until(&mutex, WEFT_FOREVER) == WEFT_DEADLOCK);
  CHECK(weft_mutex_try_lock(&mutex) == WEFT_BUSY);
  CHECK(weft_mutex_unlock(&mutex) == WEFT_OK);
}

TEST_CASE("a writer that locks again is reported; so is a writer's lock that another gives back") {
  if (!weft::config::checked) return;
  weft_rwlock lock = WEFT_RWLOCK_INIT;
  REQUIRE(weft_rwlock_write_lock(&lock) == WEFT_OK);
  CHECK(weft_rwlock_write_lock(&lock) == WEFT_DEADLOCK);
  CHECK(weft_rwlock_read_lock(&lock) == WEFT_DEADLOCK);
  std::thread([&] { CHECK(weft_rwlock_unlock(&lock) == WEFT_NOT_OWNER); }).join();
  CHECK(weft_rwlock_unlock(&lock) == WEFT_OK);
}

TEST_CASE("unlocking a free mutex is named in every build") {
  weft_mutex recursive = WEFT_MUTEX_RECURSIVE_INIT;
  CHECK(weft_mutex_unlock(&recursive) == WEFT_NOT_OWNER);
  if (weft::config::checked) return;  // there it aborts
  weft_mutex plain = WEFT_MUTEX_INIT;
  CHECK(weft_mutex_unlock(&plain) == WEFT_NOT_OWNER);
}

}  // namespace
