// Every OS thread sends by itself (MPI_THREAD_MULTIPLE). A thread of the transport's own receives,
// and queues what came; the owner acts on it. Were the receiver to act, two nodes that each wait to
// send to the other could stand still.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "net/frames/choose.hpp"
#include "net/frames/mpi.hpp"
#include "net/frames/mpi_messages.hpp"

namespace weft::net {
namespace {

struct multiple : mpi_group {
  message_reader reader;  // the receiver's
  pthread_mutex_t sending;
  message_sender sender;  // of the holder of `sending`
  bool is_closing;        // likewise
  pthread_t receiver;
  bool has_receiver;
};

multiple* of(frame_group* group) { return static_cast<multiple*>(group); }

void send_queued(multiple* all) {
  pthread_mutex_lock(&all->sending);
  all->sender.send_queued(all);
  pthread_mutex_unlock(&all->sending);
}

bool has_ended(multiple* all) {
  pthread_mutex_lock(&all->sending);
  const bool is_closing = all->is_closing;
  pthread_mutex_unlock(&all->sending);
  return is_over(all) || (is_closing && may_close(all));
}

void* receive(void* group) {
  auto* const all = static_cast<multiple*>(group);
  while (!has_ended(all)) {
    const bool is_found = all->reader.take(all), is_sending = backlog_of_mpi(all) != 0;
    if (is_sending) send_queued(all);
    if (!is_found && !is_sending) {
      sleep_before_look(all);
    } else {
      all->idle_looks = 0;
    }
  }
  return nullptr;
}

frame_group* open(const frame_options& options) {
  auto* const made = static_cast<multiple*>(open_mpi(mpi_multiple, options, WEFT_NET_MULTIPLE, sizeof(multiple)));
  if (made == nullptr) return nullptr;
  made->sender.most = message_sender::limit;
  pthread_mutex_init(&made->sending, nullptr);
  made->has_receiver = pthread_create(&made->receiver, nullptr, receive, made) == 0;
  if (!made->has_receiver) end_group(made, "there is no thread to receive with", 0);
  return made;
}

void send(frame_group* group, const outgoing& what) {
  if (queue_departure(of(group), what)) send_queued(of(group));
}

bool poll(frame_group* group, incoming* out) { return take_arrival(of(group), out); }

bool wait(frame_group* group, incoming* out, std::uint64_t deadline_ns) { return wait_for_arrival(of(group), out, deadline_ns); }

void close(frame_group* group) {
  multiple* const all = of(group);
  queue_goodbyes(all);
  pthread_mutex_lock(&all->sending);
  all->is_closing = true;
  all->sender.send_queued(all);
  pthread_mutex_unlock(&all->sending);
  if (all->has_receiver) pthread_join(all->receiver, nullptr);
  pthread_mutex_destroy(&all->sending);
  close_mpi(all);
}

}  // namespace

const frames mpi_multiple = {"mpi-multiple", true, false, open, send, poll, wait, wake_mpi, backlog_of_mpi, close};

}  // namespace weft::net
