// The messages between the nodes of a run (docs/protocols/N.md), in the frames of a transport.
#pragma once

#include <cstdint>

#include "net/frames.hpp"

namespace weft::tascell_runtime {

namespace net = weft::net;

enum message : std::uint16_t {
  ask_message = net::first_free_type,  // for work: ask_body
  none_message,                        // none_body
  give_message,                        // give_body, and the task
  result_message,                      // result_body, and the results
  cancel_message,                      // number_body: the giver wants it no more
  back_message,                        // number_body: the thief could not run it
  hint_message,                        // empty: a node that had nothing has work now
  end_message,                         // end_body: main has ended
  publish_message,                     // publish_body, and the task: to the first node
  broadcast_message,                   // broadcast_body, and the task: from the first node
  heard_message,                       // number_body: how many broadcasts a node has unpacked
  published_message,                   // number_body: a publish is done
  ready_message,                       // empty: all earlier broadcasts were sent
  fetch_message,                       // fetch_body: for elements that a task reads lazily
  data_message,                        // data_body, and the elements; or none: no task that is out reads them
  end_of_messages
};

struct ask_body {
  std::uint64_t wanted;  // 0: any work; else a number of the asker's, whose descendants it wants
  std::uint32_t asker, unused;
};
struct none_body {
  std::uint64_t wanted;          // of the ask
  std::uint32_t is_busy, asker;  // is_busy: not 0: tasks run there
};
struct give_body {
  std::uint64_t number;  // of the giver's
  std::uint64_t wanted;  // of the ask
  std::uint32_t asker, kind;
};
struct result_body {
  std::uint64_t number;
  std::int64_t tag;
  std::uint32_t reason, unused;
};
struct number_body {
  std::uint64_t number;
};
struct end_body {
  std::int32_t status, unused;
};
struct publish_body {
  std::uint64_t ticket;
  std::uint32_t kind, unused;
};
struct broadcast_body {
  std::uint64_t index;  // from 1
  std::uint32_t kind, publisher;
};

struct fetch_body {
  std::uint64_t stamp, low, bytes;  // of the construct that lends; at the asked node
  std::uint64_t users;              // how many places of tasks had come to the asker
};
using data_body = fetch_body;  // of the fetch

}  // namespace weft::tascell_runtime
