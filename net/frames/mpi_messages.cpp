// See mpi_messages.hpp.
#include "net/frames/mpi_messages.hpp"

#include <stdlib.h>
#include <string.h>

namespace weft::net {
namespace {

constexpr std::size_t most_piece_bytes = std::size_t{1} << 30;  // an MPI counts in int

}  // namespace

bool message_reader::take(mpi_group* group) {
  weft_net_message found = {};
  const int code = group->module->find(&found);
  const bool is_there = code == 0 && found.is_there != 0;
  if (!is_there) add_count(&group->counts.empty, 1);
  if (!check_call(group, "MPI_Improbe", code, is_there ? 2 : 1) || !is_there) return false;  // and MPI_Get_count
  mpi_peer& peer = group->peers[found.rank];
  if (peer.partial == nullptr) return take_head(group, &found);
  const incoming& whole = peer.partial->what;
  if (found.bytes > whole.size - peer.filled) {
    end_group(group, "more bytes than a frame has arrived; start the same program everywhere", 0);
    return false;
  }
  if (!check_call(group, "MPI_Mrecv", group->module->receive(&found, whole.bytes + peer.filled))) return false;
  fill_arrival(group, found.rank, found.bytes);
  return true;
}

bool message_reader::take_head(mpi_group* group, weft_net_message* found) {
  if (found->bytes < sizeof small_.head || found->bytes > sizeof small_) {
    end_group(group, "a message that begins no frame arrived; start the same program everywhere", 0);
    return false;
  }
  if (!check_call(group, "MPI_Mrecv", group->module->receive(found, &small_))) return false;
  frame_part room = {};
  if (!begin_arrival(group, found->rank, small_.head, &room)) return false;
  const std::size_t here = found->bytes - sizeof small_.head;
  if (here != 0 && here != room.bytes) {
    end_group(group, "a message of another length than its frame arrived; start the same program everywhere", 0);
    return false;
  }
  if (here == 0) return true;
  memcpy(const_cast<void*>(room.at), small_.bytes, here);
  add_count(&group->counts.copied, here);
  fill_arrival(group, found->rank, here);
  return true;
}

void message_sender::look(mpi_group* group) {
  for (piece& each : pieces_) {
    if (each.of == nullptr) continue;
    int is_done = 0;
    if (!check_call(group, "MPI_Test", group->module->is_sent(&each.request, &is_done))) return;
    if (is_done == 0) add_count(&group->counts.empty, 1);
    if (is_done == 0) continue;
    departure* const of = each.of;
    each.of = nullptr;
    --under_way_;
    if (--of->in_flight == 0 && of->is_given) finish_departure(group, of);
  }
}

// Begins the next piece; false: nothing is queued, or nothing may be begun.
bool message_sender::begin(mpi_group* group) {
  departure* const of = front_departure(group);
  if (of == nullptr || under_way_ == most) return false;
  frame_part bytes = {};
  if (!next_piece(of, most_piece_bytes, &bytes)) {
    pop_departure(group);
    of->is_given = true;
    if (of->in_flight == 0) finish_departure(group, of);
    return true;
  }
  piece* free = pieces_;
  while (free->of != nullptr) ++free;
  if (!check_call(group, "MPI_Isend", group->module->send(bytes.at, bytes.bytes, of->rank, &free->request))) return false;
  free->of = of;
  ++of->in_flight;
  ++under_way_;
  return true;
}

void message_sender::send_queued(mpi_group* group) {
  if (under_way_ != 0) look(group);
  while (!is_over(group) && begin(group)) {
  }
}

}  // namespace weft::net
