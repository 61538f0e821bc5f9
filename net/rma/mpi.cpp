// See rma.hpp: the operations of MPI-3 RMA, by way of the module that is loaded. Region and shared
// part are memory of this rank's own (MPI_Win_create); the words are the MPI's (MPI_Win_allocate),
// which more MPIs reach without the target's help.
#include <string.h>

#include "base/assert.hpp"
#include "net/mpi/ranks.hpp"
#include "net/mpi/turn.hpp"
#include "net/network.hpp"

namespace weft::net {

const weft_net_module* loaded_mpi = nullptr;
pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
bool is_mpi_over = false;

namespace {

void require(const window& of, const char* what, int rank, int code) {
  if (code != 0) end_failed(*of.all, what, rank, code);
}

// The turn ends before an error does the job's.
template <class... Parameters, class... Arguments>
int in_turn(int (*call)(Parameters...), Arguments... arguments) {
  const turn mine;
  return call(arguments...);
}

void require_window(const job& all, std::size_t bytes, int code) {
  if (code == 0) return;
  char text[256], locking[160];
  loaded_mpi->error_text(code, text, sizeof text);
  const bool may_lock = describe_locking(all, locking, sizeof locking);
  fail(all, "rank %d of %d cannot start: a window over %zu KiB cannot be opened: %s%s%s", all.rank, all.ranks, bytes >> 10, text,
       may_lock ? "; locked memory: " : "", may_lock ? locking : "");
}

void check(const window& in, int rank, std::size_t offset, std::size_t bytes) {
  WEFT_ASSERT(rank >= 0 && rank < in.all->ranks, "an operation on a rank that the job does not have");
  WEFT_ASSERT(offset <= in.bytes && bytes <= in.bytes - offset, "an operation past the end of a window");
  static_cast<void>(in), static_cast<void>(rank), static_cast<void>(offset), static_cast<void>(bytes);
}

status region_create(const job& all, part which, window* out) {
  const auto mine = static_cast<std::size_t>(all.rank);
  std::byte* base = nullptr;
  std::size_t bytes = all.words_bytes;
  if (which == part::region) {
    base = all.region;
    bytes = all.region_bytes;
  } else if (which == part::shared) {
    base = all.shared + mine * all.shared_bytes;
    bytes = all.shared_bytes;
  }
  if (bytes == 0) return status::invalid;
  void* own = nullptr;
  window made = {&all, nullptr, bytes, nullptr};
  require_window(all, bytes, loaded_mpi->open_window(base, bytes, &own, &made.handle));
  made.ranks = static_cast<std::byte*>(own) - mine * bytes;  // only this rank's are there
  *out = made;
  return status::ok;
}

void get(const window& from, int rank, std::size_t offset, void* into, std::size_t bytes) {
  check(from, rank, offset, bytes);
  require(from, "MPI_Get", rank, in_turn(loaded_mpi->get, from.handle, rank, offset, into, bytes));
}

void put(const window& into, int rank, std::size_t offset, const void* from, std::size_t bytes) {
  check(into, rank, offset, bytes);
  require(into, "MPI_Put", rank, in_turn(loaded_mpi->put, into.handle, rank, offset, from, bytes));
}

std::uint64_t fetch_add(const window& in, int rank, std::size_t offset, std::uint64_t by) {
  check(in, rank, offset, sizeof by);
  std::uint64_t before = 0;
  require(in, "MPI_Fetch_and_op", rank, in_turn(loaded_mpi->fetch_add, in.handle, rank, offset, by, &before));
  return before;
}

std::uint64_t compare_swap(const window& in, int rank, std::size_t offset, std::uint64_t expected, std::uint64_t desired) {
  check(in, rank, offset, sizeof desired);
  std::uint64_t before = 0;
  require(in, "MPI_Compare_and_swap", rank,
          in_turn(loaded_mpi->compare_swap, in.handle, rank, offset, expected, desired, &before));
  return before;
}

void flush(const window& of, int rank) { require(of, "MPI_Win_flush", rank, in_turn(loaded_mpi->flush, of.handle, rank)); }

void send_puts(const window& of, int rank) {
  require(of, "MPI_Win_flush_local", rank, in_turn(loaded_mpi->send_puts, of.handle, rank));
}

void progress(const window& of) { require(of, "MPI_Iprobe", -1, in_turn(loaded_mpi->progress, of.handle)); }

void assist(const window& of) {
  if (pthread_mutex_trylock(&turn_lock) != 0) return;
  const int code = is_mpi_over ? 0 : loaded_mpi->progress(of.handle);
  (void)pthread_mutex_unlock(&turn_lock);
  require(of, "MPI_Iprobe", -1, code);
}

void* alias(const window& of, int rank, std::size_t offset) {
  return rank == of.all->rank ? of.ranks + static_cast<std::size_t>(rank) * of.bytes + offset : nullptr;
}

}  // namespace

constinit const rma mpi = {"mpi", region_create, get, put, fetch_add, compare_swap, flush, progress, alias, assist, send_puts};

}  // namespace weft::net
