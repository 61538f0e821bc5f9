// qalloc_*: memory in mapped files. Free items of a static map are a list; a dynamic map has a list
// of free pieces in the order of their addresses, of which the first that is large enough is taken.
#include <qthread/qalloc.h>

#include <sched.h>
#include <sys/mman.h>

#include <cerrno>

#include <weft/weft.h>

#include "blocking_region.hpp"
#include "faces/common/object.hpp"
#include "map_file.hpp"

using namespace weft;
using weft::qthreads::map_header;
using weft::qthreads::map_request;

// Of both kinds. The lock, which parks its waiters, is the process's; the rest is in the file.
struct mapinfo_s {
  weft_mutex lock = WEFT_MUTEX_INIT;
  mapinfo_s* next = nullptr;
  map_header* header = nullptr;
};

struct dynmapinfo_s : mapinfo_s {};

namespace {

constinit weft_mutex maps_lock = WEFT_MUTEX_INIT;
constinit mapinfo_s* maps = nullptr;

// Holds a mutex for a block. A caller that may not block polls.
class held {
 public:
  explicit held(weft_mutex* mutex) : mutex_(mutex) {
    while (weft_mutex_lock(mutex_) != WEFT_OK) sched_yield();
  }
  ~held() { weft_mutex_unlock(mutex_); }
  held(const held&) = delete;
  held& operator=(const held&) = delete;

 private:
  weft_mutex* mutex_;
};

// ---- dynamic maps ----

// A piece of a dynamic map; what the program gets lies behind these words.
struct piece {
  std::uint64_t bytes;      // these words included; a multiple of 16
  std::uint64_t next_free;  // offset; has a meaning only in a free piece
};

constexpr std::uint64_t grain = 16;
static_assert(sizeof(piece) == grain && sizeof(map_header) % grain == 0);

piece* piece_at(map_header* header, std::uint64_t offset) {
  return offset != 0 ? reinterpret_cast<piece*>(header->at(offset)) : nullptr;
}

// Cuts what is beyond `bytes` off a piece, if that is a piece.
void shorten(map_header* header, piece* one, std::uint64_t bytes) {
  const std::uint64_t rest = one->bytes - bytes;
  if (rest < 2 * grain) return;
  piece* const cut = reinterpret_cast<piece*>(reinterpret_cast<char*>(one) + bytes);
  *cut = {rest, one->next_free};
  *one = {bytes, header->offset_of(cut)};
}

void* take_free(map_header* header, std::uint64_t bytes) {
  std::uint64_t* link = &header->first_free;
  for (piece* one = piece_at(header, *link); one != nullptr; one = piece_at(header, *link)) {
    if (one->bytes >= bytes) {
      shorten(header, one, bytes);
      *link = one->next_free;
      return one + 1;
    }
    link = &one->next_free;
  }
  return nullptr;
}

void* take_fresh(map_header* header, std::uint64_t bytes) {
  if (header->bytes - header->fresh < bytes) return nullptr;
  piece* const one = piece_at(header, header->fresh);
  header->fresh += bytes;
  *one = {bytes, 0};
  return one + 1;
}

void join_with_next(map_header* header, piece* one) {
  if (one->next_free == 0 || header->offset_of(one) + one->bytes != one->next_free) return;
  const piece* const next = piece_at(header, one->next_free);
  *one = {one->bytes + next->bytes, next->next_free};
}

void free_piece(map_header* header, piece* freed) {
  const std::uint64_t offset = header->offset_of(freed);
  piece* before = nullptr;
  std::uint64_t after = header->first_free;
  while (after != 0 && after < offset) {
    before = piece_at(header, after);
    after = before->next_free;
  }
  freed->next_free = after;
  join_with_next(header, freed);
  if (before == nullptr) {
    header->first_free = offset;
  } else {
    before->next_free = offset;
    join_with_next(header, before);
  }
}

// ---- maps ----

std::uint64_t item_bytes_of(std::size_t itemsize) {
  constexpr std::size_t word = sizeof(std::uint64_t);
  return itemsize <= word ? word : (itemsize + word - 1) & ~(word - 1);
}

void* open_listed(const map_request& wanted) {
  const qthreads::blocking_region region;
  map_header* const header = open_map(wanted);
  if (header == nullptr) return nullptr;
  dynmapinfo_s* const made = face::make_object<dynmapinfo_s>(0);
  if (made == nullptr) {
    munmap(header, header->bytes);
    errno = ENOMEM;
    return nullptr;
  }
  made->header = header;
  const held lock{&maps_lock};
  made->next = maps;
  maps = made;
  return static_cast<mapinfo_s*>(made);
}

void write_all() {
  for (const mapinfo_s* one = maps; one != nullptr; one = one->next) msync(one->header, one->header->bytes, MS_SYNC);
}

}  // namespace

void* qalloc_makestatmap(const off_t filesize, void* addr, const char* filename, size_t itemsize, const size_t streams) {
  if (filesize == 0 || itemsize > SIZE_MAX / 2) {
    errno = EINVAL;
    return nullptr;
  }
  return open_listed({filename, filesize, addr, item_bytes_of(itemsize), streams});
}

void* qalloc_makedynmap(const off_t filesize, void* addr, const char* filename, const size_t streams) {
  if (filesize == 0) {
    errno = EINVAL;
    return nullptr;
  }
  return open_listed({filename, filesize, addr, 0, streams});
}

void* qalloc_loadmap(const char* filename) { return open_listed({filename, 0, nullptr, 0, 0}); }

void qalloc_checkpoint(void) {
  const held lock{&maps_lock};
  const qthreads::blocking_region region;
  write_all();
}

void qalloc_cleanup(void) {
  const held lock{&maps_lock};
  const qthreads::blocking_region region;
  write_all();
  while (maps != nullptr) {
    mapinfo_s* const one = maps;
    maps = one->next;
    munmap(one->header, one->header->bytes);
    face::free_object(static_cast<dynmapinfo_s*>(one));
  }
}

void* qalloc_statmalloc(mapinfo_t* map) {
  const held lock{&map->lock};
  map_header* const header = map->header;
  if (header->first_free != 0) {
    char* const item = header->at(header->first_free);
    header->first_free = *reinterpret_cast<const std::uint64_t*>(item);
    return item;
  }
  if (header->bytes - header->fresh < header->item_bytes) return nullptr;
  char* const item = header->at(header->fresh);
  header->fresh += header->item_bytes;
  return item;
}

void* qalloc_dynmalloc(dynmapinfo_t* map, size_t size) {
  if (size > SIZE_MAX / 2) return nullptr;
  const std::uint64_t bytes = sizeof(piece) + (size == 0 ? grain : (size + grain - 1) & ~(grain - 1));
  const held lock{&map->lock};
  void* const taken = take_free(map->header, bytes);
  return taken != nullptr ? taken : take_fresh(map->header, bytes);
}

void* qalloc_malloc(void* map, size_t size) {
  mapinfo_s* const either = static_cast<mapinfo_s*>(map);
  return either->header->item_bytes != 0 ? qalloc_statmalloc(either) : qalloc_dynmalloc(static_cast<dynmapinfo_s*>(either), size);
}

void qalloc_statfree(void* block, mapinfo_t* map) {
  if (block == nullptr) return;
  const held lock{&map->lock};
  *static_cast<std::uint64_t*>(block) = map->header->first_free;
  map->header->first_free = map->header->offset_of(block);
}

void qalloc_dynfree(void* block, dynmapinfo_t* map) {
  if (block == nullptr) return;
  const held lock{&map->lock};
  free_piece(map->header, static_cast<piece*>(block) - 1);
}

void qalloc_free(void* block, void* map) {
  mapinfo_s* const either = static_cast<mapinfo_s*>(map);
  if (either->header->item_bytes != 0) {
    qalloc_statfree(block, either);
  } else {
    qalloc_dynfree(block, static_cast<dynmapinfo_s*>(either));
  }
}
