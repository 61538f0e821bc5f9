// The weak memory that the logical threads see: the C++20 model in operational form, by views and
// message frontiers (Kang, Hur, Lahav, Vafeiadis, Dreyer 2017, doi:10.1145/3009837.3009850).
//
// A location is the list of its stores in modification order. A load may read any store that is not
// older than what its thread knows; a store may go anywhere behind what its thread knows, except
// between a store and the read-modify-write that read it. Release stores carry their thread's
// frontier; acquire loads take it over; relaxed loads keep it for a later acquire fence.
// Read-modify-writes carry on the release sequence that they read from. Two global views order the
// seq_cst fences and operations.
//
// A load may also read a promise: a store that its thread has yet to make (load buffering). It must
// be known that the thread can make it: it does so in another execution with the same beginning, in
// which the load reads something else. (So nothing comes out of thin air: threads of which one
// reads x to write y and one y to write x find no store to begin with.) An execution counts only if
// all promises are kept.
//
// What the model leaves out is in docs/protocols/explorer.md: the one freedom that C++20 has over
// C++11 for seq_cst mixed with weaker orders.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "explorer/choices.hpp"
#include "explorer/frontier.hpp"

namespace explorer {

using order = std::memory_order;
inline bool acquires(order o) { return o == order::acquire || o == order::acq_rel || o == order::seq_cst || o == order::consume; }
inline bool releases(order o) { return o == order::release || o == order::acq_rel || o == order::seq_cst; }

using word = std::uint64_t;  // the object representation of an atomic of up to 8 bytes

enum class rmw_kind { exchange, add, subtract, bit_or, bit_and };

struct read_result {
  word value;
  timestamp at;
  bool stale;    // a newer store was there
  bool promise;  // the store has yet to be made
};

struct exchange_result {
  word value;    // read
  timestamp at;  // of the store that was written, or only read if there was no success
  bool stale;
  bool promise;
  bool success;
  word written;  // value again if there was no success
};

class memory {
 public:
  explicit memory(choices& path) : path_(path) {}

  // ---- an execution's frame ----

  void reset(int weak_choices, int promises);  // of each, how many this execution may have
  void fork(int threads);                      // threads 1..n start with what thread 0 knows
  void join(int threads);                      // thread 0 learns what they know
  bool owes() const { return !promises_.empty(); }

  // ---- locations ----

  void construct(int thread, const void* address);
  void destroy(int thread, const void* address);
  // An address that no logical thread constructed (the body's objects, zero-filled memory) has been
  // holding `initial` from the beginning.
  int find(const void* address, word initial);

  // ---- operations ----

  // same_as: not 0 makes the load read that store again if it may (a spin loop that goes on without
  // news).
  read_result load(int thread, int location, order o, timestamp same_as);
  timestamp store(int thread, int location, word value, order o);
  exchange_result exchange(int thread, int location, rmw_kind kind, word operand, word mask, order o);
  exchange_result compare_exchange(int thread, int location, word expected, word desired, order success, order failure,
                                   bool may_fail_spuriously);
  void fence(int thread, order o);
  void light_fence(int thread);
  void heavy_fence(int thread);

  // ---- questions ----

  bool has_news(int location, timestamp since, word value) const;  // a newer store with another value
  word newest(int location) const { return locations_[location].stores.back().value; }
  const void* address(int location) const { return addresses_[location]; }
  std::uint32_t now(int thread) const { return clock_[thread]; }
  bool covers(int thread, int other, std::uint32_t time) const { return threads_[thread].current.past.at[other] >= time; }

 private:
  struct stored {
    word value;
    timestamp at;
    bool glued;  // a read-modify-write read it and follows it
    frontier released;
  };
  struct history {
    bool alive;
    bool born_inside;  // constructed by a logical thread
    int creator;
    std::uint32_t created_at;
    vector_clock used;
    std::vector<stored> stores;  // in modification order
  };
  struct birth {
    const void* address;
    int creator;  // none: that of its end
    std::uint32_t at;
  };
  static constexpr int none = -1;
  struct thread_state {
    frontier current;
    frontier acquired;  // what an acquire fence would add
    frontier released;  // what a relaxed store carries: the state at the last release fence
  };

  struct promise {
    int location;
    timestamp at;
    int thread;  // that has to keep it
    unsigned readers;
    bool relied_on;  // a reader has synchronised with the store
  };
  struct open_load {  // to which findings may be added
    std::size_t place;
    int thread;
    int location;
    std::uint32_t time;
    bool acquires;
  };

  int add_location(const void* address);
  const birth* birth_of(const void* address) const;
  void touch(int thread, history& place);
  timestamp oldest_readable(int thread, int location, order o) const;
  int pick(int options);
  std::size_t choose_store(int thread, int location, order o);
  std::size_t make_promise(const finding& what, int location, std::size_t position);
  void tell_open_loads(int thread, int location, const stored& made);
  void prune_if_hopeless(int thread) const;
  promise* promise_at(int location, timestamp at);
  promise* owed(int thread, int location, word value);
  timestamp keep(int thread, promise* kept, order o, const stored* continued);
  bool carries_news(int location, const stored& made) const;
  stored message(int thread, int location, word value, timestamp at, order o, const stored* continued);
  exchange_result read_only(int thread, int location, std::size_t position, order o);
  exchange_result replace(int thread, int location, std::size_t position, word desired, order o);
  read_result read_from(int thread, int location, stored& from, order o);
  static timestamp time_behind(const std::vector<stored>& stores, std::size_t position);
  timestamp append_after(int thread, int location, std::size_t position, word value, order o, const stored* continued);
  void collect(int thread, int location, order o);
  void tick(int thread);

  choices& path_;
  int weak_left_ = 0;
  int promises_left_ = 0;
  std::vector<promise> promises_;  // that were read and not kept yet
  std::vector<open_load> open_loads_;
  const void* addresses_[max_locations] = {};  // apart from the rest, for find()
  history locations_[max_locations];
  std::vector<birth> births_;  // and ends, in logical threads, of atomics that were not used yet
  thread_state threads_[max_threads];
  std::uint32_t clock_[max_threads] = {};
  frontier beginning_;  // what the threads start with
  view fences_;         // what seq_cst fences have seen
  view operations_;     // the newest store that a seq_cst operation read or wrote, by location
  view light_;          // what light fences have seen
  view heavy_;          // what heavy fences have seen
  std::vector<std::size_t> candidates_;
};

}  // namespace explorer
