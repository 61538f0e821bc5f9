// The children of one thread: a record each, made together and joined together. The first `Inline`
// records lie in the parent's frame.
#pragma once

#include <cstddef>
#include <memory>

#include "harness/must.hpp"

namespace bench {

template <typename Record, std::size_t Inline>
class child_group {
 public:
  explicit child_group(std::size_t count) : count_(count) {
    if (count <= Inline) return;
    heap_ = std::make_unique<entry_block>(count);
    records_ = heap_->records.get();
    threads_ = heap_->threads.get();
  }
  child_group(const child_group&) = delete;
  child_group& operator=(const child_group&) = delete;

  Record& operator[](std::size_t index) { return records_[index]; }

  // Runs function(&record) for every record as a thread and waits for all of them.
  void run(weft_function function) {
    must(weft_thread_create_many(function, records_, sizeof(Record), count_, nullptr, threads_), "weft_thread_create_many");
    must(weft_thread_join_many(threads_, count_), "weft_thread_join_many");
  }

 private:
  struct entry_block {
    explicit entry_block(std::size_t count)
        : records(std::make_unique<Record[]>(count)), threads(std::make_unique<weft_thread*[]>(count)) {}
    std::unique_ptr<Record[]> records;
    std::unique_ptr<weft_thread*[]> threads;
  };

  std::size_t count_;
  Record inline_records_[Inline];
  weft_thread* inline_threads_[Inline];
  Record* records_ = inline_records_;
  weft_thread** threads_ = inline_threads_;
  std::unique_ptr<entry_block> heap_;
};

}  // namespace bench
