// A thread a directory, a file, and a block of a file. A digest is sequential over its file, so the
// file's thread hashes, and the threads of the next few blocks read ahead for it. Memory is
// bounded: a file is opened when one of a fixed number of lanes (the buffers of a window of blocks)
// is free; the directory's thread waits for it, and a file's thread waits for none but its own
// readers, so that every lane comes back.
#include <algorithm>
#include <array>
#include <atomic>

#include "harness/must.hpp"
#include "kernels/hash/hash.hpp"

namespace bench::hash {

namespace {

constexpr std::size_t window = 4;  // blocks of a file in memory
constexpr unsigned lanes_per_worker = 4;

struct block_read {
  const input_file* file = nullptr;
  std::size_t position = 0;
  std::unique_ptr<std::byte[]> buffer;  // made at first use, kept for the next file
  std::ptrdiff_t count = 0;
  weft_thread* reader = nullptr;
};

struct lane {
  std::array<block_read, window> blocks;
  sha256 state;
  lane* next = nullptr;
};

class lane_pool {
 public:
  explicit lane_pool(unsigned count) : lanes_(std::make_unique<lane[]>(count)) {
    for (unsigned index = 0; index < count; ++index) push(&lanes_[index]);
    weft_semaphore_release(&free_count_, count);
  }

  lane* take() {  // may switch
    must(weft_semaphore_acquire(&free_count_), "weft_semaphore_acquire");
    must(weft_mutex_lock(&lock_), "weft_mutex_lock");
    lane* const taken = free_;
    free_ = taken->next;
    weft_mutex_unlock(&lock_);
    return taken;
  }

  void give_back(lane* done) {
    must(weft_mutex_lock(&lock_), "weft_mutex_lock");
    push(done);
    weft_mutex_unlock(&lock_);
    weft_semaphore_release(&free_count_, 1);
  }

 private:
  void push(lane* of) {
    of->next = free_;
    free_ = of;
  }

  std::unique_ptr<lane[]> lanes_;
  lane* free_ = nullptr;
  weft_mutex lock_ = WEFT_MUTEX_INIT;
  weft_semaphore free_count_{};
};

struct search {
  lane_pool lanes;
  std::atomic<std::uint64_t> threads = 0;
};

struct file_task {
  search* of;
  lane* with;
  std::string path;
  digest value;
  std::uint64_t bytes;
  bool is_readable;
  weft_thread* thread;
};

struct directory_task {
  search* of;
  std::string path;
  outcome found;
  weft_thread* thread;
};

void run_block(void* argument) {
  auto* const self = static_cast<block_read*>(argument);
  if (self->buffer == nullptr) self->buffer = std::make_unique_for_overwrite<std::byte[]>(block_bytes);
  self->count = self->file->read_block(self->buffer.get(), self->position);
}

void start_block(file_task& task, block_read& block, const input_file& file, std::size_t index) {
  block.file = &file;
  block.position = index * block_bytes;
  block.reader = create(run_block, &block);
  task.of->threads.fetch_add(1, std::memory_order_relaxed);
}

// Blocks in order; behind each hashed one the next unread one is started, until a short block shows
// the end. How many there are is only expected, from the size: the file may grow or shrink
// meanwhile.
bool hash_blocks(file_task& task, const input_file& file) {
  auto& blocks = task.with->blocks;
  std::size_t const expected = file.expect_bytes() / block_bytes + 1;
  std::size_t started = 0;
  bool has_ended = false;
  bool is_readable = true;
  for (; started < std::min(expected, window); ++started) start_block(task, blocks[started], file, started);
  for (std::size_t index = 0; index < started; ++index) {
    block_read& block = blocks[index % window];
    join(block.reader);
    if (has_ended || block.count < 0) {
      is_readable = is_readable && block.count >= 0;
      has_ended = true;
      continue;
    }
    task.with->state.update(block.buffer.get(), static_cast<std::size_t>(block.count));
    task.bytes += static_cast<std::uint64_t>(block.count);
    has_ended = static_cast<std::size_t>(block.count) < block_bytes;
    while (!has_ended && started <= index + window && (started < expected || started == index + 1)) {
      start_block(task, blocks[started % window], file, started);
      ++started;
    }
  }
  return is_readable;
}

void run_file(void* argument) {
  auto* const self = static_cast<file_task*>(argument);
  {
    input_file const file(self->path);
    self->is_readable = file.is_open() && hash_blocks(*self, file);
    self->value = self->with->state.finish();
  }
  self->of->lanes.give_back(self->with);
}

void start_files(directory_task& task, std::vector<file_task>& files) {
  for (file_task& file : files) {
    file.with = task.of->lanes.take();
    file.thread = create(run_file, &file);
  }
}

void collect_files(directory_task& task, std::vector<file_task>& files) {
  for (file_task& file : files) {
    join(file.thread);
    if (!file.is_readable) ++task.found.unreadable;
    if (!file.is_readable) continue;
    task.found.bytes += file.bytes;
    task.found.files.push_back({std::move(file.path), file.value});
  }
}

void run_directory(void* argument) {
  auto* const self = static_cast<directory_task*>(argument);
  listing names = list_directory(self->path);
  if (!names.is_readable) ++self->found.unreadable;
  std::vector<directory_task> directories;
  directories.reserve(names.directories.size());
  for (std::string& path : names.directories) directories.push_back({self->of, std::move(path), {}, nullptr});
  for (directory_task& directory : directories) directory.thread = create(run_directory, &directory);
  std::vector<file_task> files;
  files.reserve(names.files.size());
  for (std::string& path : names.files) files.push_back({self->of, nullptr, std::move(path), {}, 0, false, nullptr});
  self->of->threads.fetch_add(1 + files.size(), std::memory_order_relaxed);
  start_files(*self, files);
  collect_files(*self, files);
  for (directory_task& directory : directories) {
    join(directory.thread);
    self->found.take(std::move(directory.found));
  }
}

}  // namespace

kernel_run run_ult(const kernel_input& input, stopwatch& watch) {
  search all{lane_pool(input.workers * lanes_per_worker)};
  directory_task root{&all, input.directory, {}, nullptr};
  watch.start();
  join(create(run_directory, &root));
  watch.stop();
  kernel_run run = describe(root.found, watch.seconds());
  run.metrics.push_back({"threads", static_cast<double>(all.threads.load())});
  return run;
}

}  // namespace bench::hash
