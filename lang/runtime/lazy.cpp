// Elements that tasks take by `copy p[a..b] lazily`. Within a node they are read where they are. A
// task that comes from another node gets addresses at which nothing is; the first touch of a page
// is a fault, whose handler has the elements fetched from the node where they are.
//
// An *area* holds what this node has of the elements that one construct of another node lends. Its
// memory is a file in memory, in which an element stands at the address that it has at home, so
// that all tasks of the construct see one copy, however their ranges overlap. A *map* is a part of
// it at the addresses of the tasks that name exactly that part, so that only bytes are asked for
// that one of them names.
//
// A map is *lost* when no other node can send its elements: its tasks are unwanted, and what is not
// here reads as zeros. Tasks that come later get another map.
//
// Everything here is under one lock. The handler may take it: what faults is the program's code, or
// code that packs a task, and none of these holds it.
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/linked_queue.hpp"
#include "lazy.hpp"
#include "lazy_ranges.hpp"
#include "node.hpp"
#include "node_talk.hpp"

struct weft_tascell_lazy_map {
  weft_tascell_lazy_map* next;
  struct area* of;
  std::uint64_t low, high;  // bytes at home
  std::uint64_t first;      // of its first page, at home
  std::byte* base;          // where that page is here
  std::size_t bytes;        // of its pages
  unsigned users;           // tasks
  std::uint64_t newest;     // of these, counted over all maps
  bool is_lost;
  const weft_tascell_kind* kind;
  const char* name;      // of the variable
  std::uint64_t window;  // how much is fetched next
  std::uint64_t behind;  // what was fetched last, at home
  const void* touched;   // where the last fault was that found its page there
  pid_t toucher;         // and its OS thread
  unsigned again;        // how often, one after the other
};

using lazy_map = weft_tascell_lazy_map;

struct area {
  area* next;
  std::uint32_t home;
  std::uint64_t stamp;
  int file;
  std::uint64_t file_bytes;
  unsigned users;
  weft::base::linked_queue<lazy_map> maps;
  void* memory;  // of the sets
  weft::tascell_runtime::range_set wanted, held;
  std::uint64_t held_bytes;
  weft::tascell_runtime::byte_range asked[16];  // for the door to send
  unsigned asked_count;
};

namespace weft::tascell_runtime {
namespace {

constexpr std::size_t most_ranges = std::size_t{1} << 20;  // of an area; memory that is not used costs nothing
constexpr std::uint64_t first_window = 64 << 10, widest_window = 4 << 20;
constexpr std::uint64_t most_kept = std::uint64_t{64} << 20;  // in areas that no task uses
constexpr std::uint64_t area_costs = 1 << 20;                 // its file, and the pages of its sets
constexpr unsigned most_again = 16;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
weft::base::linked_queue<area> areas;
node* this_node = nullptr;  // if there are others
std::uint64_t last_stamp = 0;
std::uint64_t last_user = 0;  // of a map
std::uint64_t fetches = 0, fetched_bytes = 0;
bool is_handling = false;
struct sigaction before;

class lazy_lock {
 public:
  lazy_lock() { pthread_mutex_lock(&lock); }
  lazy_lock(const lazy_lock&) = delete;
  lazy_lock& operator=(const lazy_lock&) = delete;
  ~lazy_lock() { pthread_mutex_unlock(&lock); }
};

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
std::uint64_t page_floor(std::uint64_t at) { return at & ~(page_bytes() - 1); }
std::uint64_t page_ceiling(std::uint64_t at) { return page_floor(at + page_bytes() - 1); }

std::uint32_t own_number() { return this_node == nullptr ? 0 : this_node->group->self; }

// ---- areas and maps: under the lock -------------------------------------------------------------

area* find_area(std::uint32_t home, std::uint64_t stamp) {
  for (area* each = areas.front(); each != nullptr; each = areas.after(each))
    if (each->home == home && each->stamp == stamp) return each;
  return nullptr;
}

area* make_area(std::uint32_t home, std::uint64_t stamp) {
  constexpr std::size_t bytes = 2 * most_ranges * sizeof(byte_range);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* const object = std::calloc(1, sizeof(area));
  const int file = memfd_create("weft-tascell-lazy", MFD_CLOEXEC);
  if (memory == MAP_FAILED || object == nullptr || file < 0) {
    if (memory != MAP_FAILED) (void)munmap(memory, bytes);
    std::free(object);
    if (file >= 0) (void)close(file);
    return nullptr;
  }
  auto* const made = new (object) area();
  made->home = home;
  made->stamp = stamp;
  made->file = file;
  made->memory = memory;
  made->wanted.use(static_cast<byte_range*>(memory), most_ranges);
  made->held.use(static_cast<byte_range*>(memory) + most_ranges, most_ranges);
  areas.push_front(made);
  return made;
}

void free_area(area* gone) {
  (void)munmap(gone->memory, 2 * most_ranges * sizeof(byte_range));
  (void)close(gone->file);
  std::free(gone);
}

// Frees areas that no task uses: the oldest first, and as many as hold more than most.
void trim_areas(std::uint64_t most) {
  std::uint64_t kept = 0;
  auto gone = areas.take_each([&kept, most](const area* each) {
    if (each->users != 0) return false;
    kept += each->held_bytes + area_costs;
    return kept > most;
  });
  while (area* const each = gone.pop_front()) free_area(each);
}

// What a map has of a page, at home.
byte_range part_of_page(const lazy_map* of, std::uint64_t page) {
  const std::uint64_t end = page + page_bytes();
  return {page < of->low ? of->low : page, end > of->high ? of->high : end};
}

bool is_page_there(const lazy_map* of, std::uint64_t page) {
  const byte_range part = part_of_page(of, page);
  return of->is_lost || of->of->held.has(part.low, part.high);
}

// Lets the pages of a map be read that are whole, among those with bytes of [low, high).
void open_pages(const lazy_map* of, std::uint64_t low, std::uint64_t high) {
  std::uint64_t page = page_floor(low) < of->first ? of->first : page_floor(low);
  const std::uint64_t end = page_ceiling(high) < of->first + of->bytes ? page_ceiling(high) : of->first + of->bytes;
  while (page < end) {
    std::uint64_t to = page;
    while (to < end && is_page_there(of, to)) to += page_bytes();
    if (to != page && mprotect(of->base + (page - of->first), to - page, PROT_READ) != 0)
      die(&of->kind->place, "the system has no room for the pages of elements that are copied lazily");
    page = to + page_bytes();
  }
}

lazy_map* find_map(area* in, std::uint64_t low, std::uint64_t high) {
  for (lazy_map* each = in->maps.front(); each != nullptr; each = in->maps.after(each))
    if (each->low == low && each->high == high && !each->is_lost) return each;
  return nullptr;
}

lazy_map* make_map(area* in, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t first = page_floor(low), end = page_ceiling(high);
  if (end > in->file_bytes && ftruncate(in->file, static_cast<off_t>(end)) != 0) return nullptr;
  if (end > in->file_bytes) in->file_bytes = end;
  auto* const made = static_cast<lazy_map*>(std::calloc(1, sizeof(lazy_map)));
  void* const base = made == nullptr
                         ? MAP_FAILED
                         : mmap(nullptr, end - first, PROT_NONE, MAP_SHARED | MAP_NORESERVE, in->file, static_cast<off_t>(first));
  if (base == MAP_FAILED) {
    std::free(made);
    return nullptr;
  }
  made->of = in;
  made->low = low;
  made->high = high;
  made->first = first;
  made->base = static_cast<std::byte*>(base);
  made->bytes = end - first;
  made->window = first_window;
  in->maps.push_front(made);
  ++in->users;
  return made;
}

void free_map(lazy_map* gone) {
  (void)gone->of->maps.remove(gone);
  --gone->of->users;
  (void)munmap(gone->base, gone->bytes);
  std::free(gone);
}

// Elements have come.
void arrive(area* to, std::uint64_t low, std::uint64_t high, const std::byte* from) {
  const std::uint64_t begin = low;
  for (std::uint64_t at = low; at < high;) {
    const ssize_t written = pwrite(to->file, from + (at - begin), high - at, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) die(nullptr, "no memory for elements that are copied lazily");
    at += static_cast<std::uint64_t>(written);
  }
  if (!to->held.add(low, high)) die(nullptr, "elements that are copied lazily are touched in too many places");
  to->held_bytes += high - low;
  ++fetches;
  fetched_bytes += high - low;
  for (lazy_map* each = to->maps.front(); each != nullptr; each = to->maps.after(each))
    if (each->low < high && low < each->high) open_pages(each, low, high);
}

void lose(lazy_map* of) {
  of->is_lost = true;
  open_pages(of, of->low, of->high);
}

// The home has no task out any more that names these bytes. So the tasks that name all of them and
// were here when the home was asked are unwanted. Other tasks ask again.
void take_nothing(area* of, const data_body& what) {
  const std::uint64_t high = what.low + what.bytes;
  if (!of->wanted.remove(what.low, high)) die(nullptr, "elements that are copied lazily are touched in too many places");
  for (lazy_map* each = of->maps.front(); each != nullptr; each = of->maps.after(each))
    if (each->low <= what.low && high <= each->high && each->newest <= what.users) lose(each);
}

void lose_all(area* of) {
  of->asked_count = 0;
  of->wanted.clear();
  for (lazy_map* each = of->maps.front(); each != nullptr; each = of->maps.after(each)) lose(each);
}

// ---- faults: in a signal handler, on the thread that touched an element -------------------------

lazy_map* map_at(const void* address) {
  for (area* each = areas.front(); each != nullptr; each = areas.after(each))
    for (lazy_map* of = each->maps.front(); of != nullptr; of = each->maps.after(of))
      if (address >= of->base && address < of->base + of->bytes) return of;
  return nullptr;
}

// A page that is there faults once where several threads touch it at a time, and for ever where it
// is written.
void note_touch(lazy_map* of, const void* address) {
  const pid_t self = static_cast<pid_t>(syscall(SYS_gettid));  // glibc has gettid since 2.30
  const bool is_again = of->touched == address && of->toucher == self;
  of->again = is_again ? of->again + 1 : 0;
  of->touched = address;
  of->toucher = self;
  if (of->again + 1 < most_again) return;
  const weft_tascell_place& at = of->kind->place;
  std::fprintf(stderr, "weft: tascell: %s:%u: a task writes an element of '%s', which is copied lazily: it can only be read\n",
               at.file == nullptr ? "?" : at.file, at.line, of->name);
  std::abort();
}

// Asks for the first bytes from a page on that were not asked for. False: there are none in it.
bool want(lazy_map* of, std::uint64_t page) {
  const byte_range part = part_of_page(of, page);
  area* const from = of->of;
  byte_range gap;
  if (from->asked_count == sizeof from->asked / sizeof from->asked[0] || !from->wanted.find_gap(part.low, part.high, &gap))
    return false;
  of->window = part.low == of->behind ? 2 * of->window : first_window;
  if (of->window > widest_window) of->window = widest_window;
  const std::uint64_t end = of->high - gap.low < of->window ? of->high : gap.low + of->window;
  (void)from->wanted.find_gap(gap.low, end, &gap);
  of->behind = gap.high;
  if (!from->wanted.add(gap.low, gap.high))
    die(&of->kind->place, "elements that are copied lazily are touched in too many places");
  if (from->home == own_number()) {  // every task is shipped
    arrive(from, gap.low, gap.high, reinterpret_cast<const std::byte*>(gap.low));
  } else {
    from->asked[from->asked_count++] = gap;
    this_node->by->wake(this_node->group);
  }
  return true;
}

bool serve_fault(const void* address) {
  const lazy_lock locked;
  lazy_map* const of = map_at(address);
  if (of == nullptr) return false;
  const std::uint64_t page =
      of->first + page_floor(static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - of->base));
  if (is_page_there(of, page)) {
    note_touch(of, address);
    return true;
  }
  while (!is_page_there(of, page))
    if (!want(of, page)) (void)pthread_cond_wait(&changed, &lock);
  return true;
}

void on_fault(int signal, siginfo_t* about, void* context) {
  const int problem = errno;
  const bool is_ours = about->si_code > 0 && serve_fault(about->si_addr);
  errno = problem;
  if (is_ours) return;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, about, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else if (about->si_code > 0) {  // the fault comes again
    (void)sigaction(signal, &before, nullptr);
  } else if (before.sa_handler == SIG_DFL) {  // a process has sent it
    (void)sigaction(signal, &before, nullptr);
    (void)raise(signal);
  }
}

void handle_faults() {
  if (is_handling) return;
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  // What was there is known before a fault can ask for it.
  is_handling = sigaction(SIGSEGV, nullptr, &before) == 0 && sigaction(SIGSEGV, &ours, nullptr) == 0;
}

// ---- what was lent ------------------------------------------------------------------------------

bool holds(const weft_tascell_lazy* of, std::uint64_t low, std::uint64_t bytes) {
  return of->home_low <= low && bytes <= of->bytes && low - of->home_low <= of->bytes - bytes;
}

// Whether a task that is out reads elements of this node.
bool is_lent(node* self, std::uint64_t stamp, std::uint64_t low, std::uint64_t bytes) {
  const node_lock locked(self);
  for (const task* each = self->given.front(); each != nullptr; each = self->given.after(each))
    for (const weft_tascell_lazy* one = each->lazies; one != nullptr; one = one->next)
      if (one->home == self->group->self && one->stamp == stamp && holds(one, low, bytes)) return true;
  return false;
}

struct packed_lazy {
  std::uint64_t low, bytes, stamp;
  std::uint32_t home, unused;
};

bool map_lazy(task* of, weft_tascell_lazy* lazy, const char* name) {
  const lazy_lock locked;
  area* in = find_area(lazy->home, lazy->stamp);
  if (in == nullptr) in = make_area(lazy->home, lazy->stamp);
  if (in == nullptr) return false;
  lazy_map* map = find_map(in, lazy->home_low, lazy->home_low + lazy->bytes);
  if (map == nullptr) {
    map = make_map(in, lazy->home_low, lazy->home_low + lazy->bytes);
    if (map == nullptr) return false;
    map->kind = of->kind;
    map->name = name;
    open_pages(map, map->low, map->high);
    handle_faults();
  }
  ++map->users;
  map->newest = ++last_user;
  lazy->map = map;
  lazy->low = map->base + (lazy->home_low - map->first);
  return true;
}

}  // namespace

// ---- the door -----------------------------------------------------------------------------------

void begin_lazies(node* self) {
  const lazy_lock locked;
  this_node = self;
}

void end_lazies(const node* ended, bool tells_counts) {
  const lazy_lock locked;
  if (this_node != ended) return;
  trim_areas(0);
  this_node = nullptr;
  if (tells_counts && fetches != 0)
    std::fprintf(stderr, "weft: tascell: copied lazily: %" PRIu64 " fetches of %" PRIu64 " bytes\n", fetches, fetched_bytes);
  fetches = fetched_bytes = 0;
  struct sigaction now;
  const bool is_last = areas.is_empty() && is_handling && sigaction(SIGSEGV, nullptr, &now) == 0 &&
                       (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault;
  if (is_last && sigaction(SIGSEGV, &before, nullptr) == 0) is_handling = false;
}

void send_fetches(node* self) {
  for (;;) {
    fetch_body body = {};
    std::uint32_t to = 0;
    {
      const lazy_lock locked;
      area* from = areas.front();
      while (from != nullptr && from->asked_count == 0) from = areas.after(from);
      if (from == nullptr) return;
      const byte_range next = from->asked[--from->asked_count];
      to = from->home;
      body = {from->stamp, next.low, next.high - next.low, last_user};
      (void)pthread_cond_broadcast(&changed);  // there is room for another
    }
    bool is_member = false;
    {
      const node_lock locked(self);
      is_member = find_member(self, to) != nullptr;
    }
    if (is_member)
      say(self, to, fetch_message, &body, sizeof body);
    else
      lose_lazies(to);
  }
}

void serve_fetch(node* self, std::uint32_t from, const fetch_body& what) {
  const data_body body = {what.stamp, what.low, what.bytes, what.users};
  if (what.bytes <= widest_window && is_lent(self, what.stamp, what.low, what.bytes)) {
    say(self, from, data_message, &body, sizeof body, reinterpret_cast<const void*>(what.low), what.bytes);
    return;
  }
  say(self, from, data_message, &body, sizeof body);
}

bool take_data(node*, std::uint32_t from, const data_body& head, std::byte* bytes, std::size_t offset, std::size_t size) {
  const bool is_good = (size == head.bytes || size == 0) && head.bytes <= widest_window && head.low <= UINT64_MAX - head.bytes;
  if (is_good) {
    const lazy_lock locked;
    area* const to = find_area(from, head.stamp);
    const std::uint64_t high = head.low + head.bytes;  // what is here is read, and stays as it is
    const bool was_wanted = to != nullptr && to->wanted.has(head.low, high) && !to->held.has(head.low, high);
    if (was_wanted && size != 0) arrive(to, head.low, high, bytes + offset);
    if (was_wanted && size == 0) take_nothing(to, head);
    (void)pthread_cond_broadcast(&changed);
  }
  std::free(bytes);
  return is_good;
}

void lose_lazies(std::uint32_t home) {
  const lazy_lock locked;
  for (area* each = areas.front(); each != nullptr; each = areas.after(each))
    if ((home == 0 || each->home == home) && each->home != own_number()) lose_all(each);
  (void)pthread_cond_broadcast(&changed);
}

}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

// Within a task that came, elements are of the node that lent them first. Here, the construct that
// lends is the oldest of the running task that names them: they do not change before it ends.
void weft_tascell_lend(weft_tascell_worker* worker, weft_tascell_record* from, const void* low, size_t bytes,
                       weft_tascell_task* to, weft_tascell_lazy* lazy) {
  const auto address = reinterpret_cast<std::uint64_t>(low);
  *lazy = {low, bytes, address, 0, 0, nullptr, to->lazies};
  to->lazies = lazy;
  const frame* const top = as_worker(worker)->top;
  const task* const running = top->copy != nullptr ? top->copy : top->running;
  for (const weft_tascell_lazy* each = running->lazies; each != nullptr; each = each->next) {
    const auto begin = reinterpret_cast<std::uint64_t>(each->low);
    const bool is_in = begin <= address && bytes <= each->bytes && address - begin <= each->bytes - bytes;
    if (!is_in) continue;
    lazy->home_low = each->home_low + (address - begin);
    lazy->stamp = each->stamp;
    lazy->home = each->home;
    return;
  }
  weft_tascell_stamp* oldest = nullptr;
  for (weft_tascell_record* each = from; each != nullptr; each = each->up) {
    weft_tascell_stamp* const stamp = each->operations->lends == nullptr ? nullptr : each->operations->lends(each, low, bytes);
    if (stamp != nullptr) oldest = stamp;
  }
  const lazy_lock locked;
  lazy->home = own_number();
  lazy->stamp = oldest == nullptr || *oldest == 0 ? ++last_stamp : *oldest;
  if (oldest != nullptr) *oldest = lazy->stamp;
}

bool weft_tascell_write_lazy(weft_tascell_bytes* bytes, const weft_tascell_lazy* lazy) {
  const packed_lazy packed = {lazy->home_low, lazy->bytes, lazy->stamp, lazy->home, 0};
  return weft_tascell_write(bytes, &packed, sizeof packed);
}

bool weft_tascell_read_lazy(weft_tascell_bytes* bytes, weft_tascell_task* of, weft_tascell_lazy* lazy, const char* name) {
  packed_lazy packed;
  if (!weft_tascell_read(bytes, &packed, sizeof packed) || packed.low > INT64_MAX || packed.bytes > INT64_MAX - packed.low)
    return false;
  *lazy = {reinterpret_cast<const void*>(packed.low), packed.bytes, packed.low, packed.stamp, packed.home, nullptr, of->lazies};
  of->lazies = lazy;
  if (packed.bytes == 0) return true;
  node* const here = this_node;
  const bool is_at_home = here != nullptr && packed.home == here->group->self;
  if (is_at_home && !here->all->how.ships) return is_lent(here, packed.stamp, packed.low, packed.bytes);
  return map_lazy(of, lazy, name);
}

void weft_tascell_return_lazy(weft_tascell_lazy* lazy) {
  if (lazy->map == nullptr) return;
  const lazy_lock locked;
  if (--lazy->map->users == 0) free_map(lazy->map);
  lazy->map = nullptr;
  trim_areas(most_kept);
}
