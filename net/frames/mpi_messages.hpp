// Frames as messages of an MPI: a small one is one message, another is its head and then its bytes
// in pieces, all between two ranks in their order.
#pragma once

#include "net/frames/mpi.hpp"

namespace weft::net {

// Takes messages. One thread at a time.
class message_reader {
 public:
  // Takes a message in; false: there is none, or the group is over.
  bool take(mpi_group* group);

 private:
  bool take_head(mpi_group* group, weft_net_message* found);

  struct {
    frame_head head;
    std::byte bytes[small_frame_bytes];
  } small_;
};

// Sends what is queued, in its order, some pieces at a time. One thread at a time.
class message_sender {
 public:
  static constexpr unsigned limit = 32;
  unsigned most = limit;  // pieces that are under way

  void send_queued(mpi_group* group);

 private:
  void look(mpi_group* group);
  bool begin(mpi_group* group);

  struct piece {
    void* request;
    departure* of;  // null: free
  };
  piece pieces_[limit];
  unsigned under_way_;
};

}  // namespace weft::net
