// A few words that all ranks of a test see: a file, mapped by each, named after the ranks' common parent.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <weft/dist.h>

class shared_words {
 public:
  shared_words() {
    char name[64];
    std::snprintf(name, sizeof name, "/tmp/weft_dist_test_%d", weft_dist_ranks() > 1 ? getppid() : getpid());
    const int file = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, 4096) != 0) std::abort();
    void* const mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) std::abort();
    words_ = static_cast<std::atomic<int>*>(mapped);
    close(file);
    meet();
    unlink(name);
  }

  std::atomic<int>& operator[](int index) { return words_[index]; }
  void wait_for(int index, int wanted) {
    while (words_[index].load() != wanted) sched_yield();
  }

 private:
  // All ranks have mapped the file once all have been here.
  static void meet() {
    int nothing = 0;
    if (weft_dist_root([](void*) {}, &nothing, sizeof nothing) != WEFT_OK) std::abort();
  }

  std::atomic<int>* words_;
};
