// Connections between the keepers of a job's ranks (keeper.hpp): every keeper has one to that of
// rank 0, and that one to `weft launch`, if it started the job. Nothing goes over them but one
// message at a job's end. The kernel asks the other side every second whether it is there (TCP
// keep-alive), also while both processes are stopped. So a process that is slow or stopped is never
// taken for lost; a node whose link is down is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::net {

// The only message of a connection; failed: with the job's exit status, as shells have it, and the
// line that says why, or an empty one.
enum class farewell : std::uint8_t { ended = 'E', failed = 'F' };

inline constexpr std::size_t line_bytes = 1000;

// "SECRET/PORT/ADDRESS/ADDRESS...": where a keeper, or `weft launch`, listens.
inline constexpr std::size_t meeting_bytes = 512;

// Sockets, one for each address that the meeting names, and for no other.
inline constexpr int most_listeners = 16;
struct keeper_listeners {
  int of[most_listeners];
  int count = 0;  // 0: the system refuses
};
// By which addresses the others come: those of this machine, or the one that only this machine
// reaches.
enum class reach : std::uint8_t { this_machine, other_machines };

// meeting: for the others.
keeper_listeners listen_for_keepers(reach from, char (&meeting)[meeting_bytes]);
void close_listeners(keeper_listeners* all);

// A connection of the listener whose other side has said the secret, and its rank; less than 0:
// there was none. lost_after: seconds; 0: never.
int accept_keeper(int listener, const char* meeting, int lost_after, int* rank);

// Less than 0: no address can be reached.
int meet_keeper(const char* meeting, int rank, int lost_after);

// What a connection that has become readable says. lost: the other node does not answer.
enum class heard : std::uint8_t { nothing, ended, failed, closed, lost };
heard listen_to(int connection, int* status, char (&line)[line_bytes]);
void say(int connection, farewell what, int status, const char* line);
// Until the other side says something, or ends the connection; a second at most.
void await_answer(int connection);

}  // namespace weft::net
