// One thread calls the MPI: it looks for a message, takes it, sends what is queued, and sleeps. Of
// a Tascell node that is the door, between the opening and the closing by main; so the MPI is asked
// for MPI_THREAD_SERIALIZED. As Kojima, Hiraishi, Nakashima and Yasugi have it (poster of
// "Implementing the Tascell task-parallel language using multithreaded MPI"), one send is under way
// at a time, and every sleep is as long; as we have it, several are, and sleeps grow.
#include <stdlib.h>
#include <string.h>

#include "net/frames/choose.hpp"
#include "net/frames/mpi.hpp"
#include "net/frames/mpi_messages.hpp"

namespace weft::net {
namespace {

constexpr unsigned most_sends = 32;
constexpr std::uint64_t poster_sleep_ns = 20000;

struct funneled : mpi_group {
  message_reader reader;
  message_sender sender;
};

funneled* of(frame_group* group) { return static_cast<funneled*>(group); }

frame_group* open_with(const frames& by, const frame_options& options, unsigned sends) {
  auto* const made = static_cast<funneled*>(open_mpi(by, options, WEFT_NET_SERIALIZED, sizeof(funneled)));
  if (made != nullptr) made->sender.most = sends;
  return made;
}

frame_group* open(const frame_options& options) { return open_with(mpi_funneled, options, most_sends); }

frame_group* open_poster(const frame_options& options) {
  frame_options its = options;
  if (its.idle_sleep_ns == 0) its.idle_sleep_ns = poster_sleep_ns;
  auto* const made = static_cast<funneled*>(open_with(mpi_funneled_poster, its, 1));
  if (made != nullptr) made->has_even_sleeps = true;
  return made;
}

void send(frame_group* group, const outgoing& what) {
  if (queue_departure(of(group), what)) of(group)->sender.send_queued(of(group));
}

bool poll(frame_group* group, incoming* out) {
  funneled* const all = of(group);
  if (take_arrival(all, out)) return true;
  const bool is_found = !is_over(all) && all->reader.take(all);
  all->sender.send_queued(all);
  if (is_found) all->idle_looks = 0;
  return is_found && take_arrival(all, out);
}

bool wait(frame_group* group, incoming* out, std::uint64_t deadline_ns) {
  return wait_and_look(of(group), out, deadline_ns, poll);
}

void close(frame_group* group) {
  funneled* const all = of(group);
  queue_goodbyes(all);
  look_until_closed(all, poll);
  close_mpi(all);
}

}  // namespace

const frames mpi_funneled = {"mpi-funneled", false, false, open, send, poll, wait, wake_mpi, backlog_of_mpi, close};
const frames mpi_funneled_poster = {"mpi-funneled-poster", false, false, open_poster, send, poll, wait, wake_mpi,
                                    backlog_of_mpi,        close};

}  // namespace weft::net
