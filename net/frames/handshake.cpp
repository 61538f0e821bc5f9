#include "net/frames/handshake.hpp"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "net/frames/own_key.hpp"

namespace weft::net {
namespace {

constexpr std::uint64_t patience_ns = 10000000000, ns_in_ms = 1000000;
constexpr std::uint64_t small_frames = 1 << 20;

std::uint64_t now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

struct conversation {
  const char* whose;
  const char* address;
  channel* through;
  bool may_be_keyless;
  std::uint64_t until_ns;

  bool fail(const char* what) const {
    fprintf(stderr, "%s: %s: %s\n", whose, address, what);
    return false;
  }
  // Sends what is queued, and reads until there is a frame.
  bool listen(frame_head* head, std::byte** bytes) const {
    for (;;) {
      const parsed found = through->read.next(head, bytes);
      if (found == parsed::frame) return true;
      if (found == parsed::damage) {
        fprintf(stderr, "%s: %s sent a frame that cannot be read: %s; check that a weft tascell-server listens there\n", whose,
                address, through->read.problem());
        return false;
      }
      if (through->flush() == flow::broken) return fail("the server went away; start it again, or look at its messages");
      if (!wait_for_more()) return false;
    }
  }
  bool wait_for_more() const {
    const std::uint64_t now = now_ns();
    pollfd at = {through->socket(), static_cast<short>(through->is_drained() ? POLLIN : POLLIN | POLLOUT), 0};
    const int ready = now >= until_ns ? 0 : ::poll(&at, 1, static_cast<int>((until_ns - now) / ns_in_ms) + 1);
    if (ready == 0) return fail("the server does not answer; check that a weft tascell-server listens there");
    if (ready > 0 && (at.revents & (POLLIN | POLLHUP | POLLERR)) != 0 && through->receive() == flow::broken)
      return fail("the server went away; start it again, or look at its messages");
    return true;
  }
  // The frame of a type; a refusal is told.
  bool expect(control_type type, std::uint64_t least, frame_head* head, std::byte** bytes) const {
    if (!listen(head, bytes)) return false;
    if (head->type == type && head->bytes >= least) return true;
    if (head->type == is_refused)
      fprintf(stderr, "%s: %s refuses: %.*s\n", whose, address, static_cast<int>(head->bytes),
              reinterpret_cast<const char*>(*bytes));
    else
      fprintf(stderr, "%s: %s sent a frame of type %u and %llu bytes, and not what a server of this version sends\n", whose,
              address, head->type, static_cast<unsigned long long>(head->bytes));
    free(*bytes);
    return false;
  }
};

bool say(channel* through, control_type type, const void* body, std::size_t bytes) {
  const frame_part part{body, bytes};
  return through->push(control_head(type, bytes), &part, 1, nullptr, nullptr);
}

bool check_server(const conversation& with, const key& own, const challenge& got, const hello& said) {
  if (own.is_set && got.has_key == 0)
    return with.fail("the server has no key; start it without --no-key, or give --no-key here, too");
  // Another user may listen there.
  if (!own.is_set && got.has_key == 0 && !with.may_be_keyless)
    return with.fail("the server has no key, so it may be another user's; start it without --no-key, or give --no-key here, too");
  // The proof without a key is known to all. A server that has a key refuses such a hello.
  if (!own.is_set && got.has_key != 0)
    return with.fail("the server claims a key that it cannot prove, as this side has none; it may be another user's");
  unsigned char expected[proof_bytes];
  prove(own, "server", said.nonce, got.nonce, said.program, expected);
  if (is_same_proof(expected, got.proof)) return true;
  return with.fail("the server has another key; copy the key file from its machine");
}

}  // namespace

frame_head control_head(control_type type, std::uint64_t bytes) { return {frame_magic, frame_version, type, bytes, 0, 0, 0}; }

static bool shake_hands(const conversation& with, role as, const key& own, std::uint64_t program, welcome* at,
                        std::uint32_t** others) {
  hello said = {as, own.is_set ? 1u : 0u, program, {}};
  random_bytes(said.nonce, sizeof said.nonce);
  frame_head head = {};
  std::byte* bytes = nullptr;
  challenge got;
  if (!say(with.through, is_hello, &said, sizeof said)) return with.fail("no memory");
  if (!with.expect(is_challenge, sizeof got, &head, &bytes)) return false;
  memcpy(&got, bytes, sizeof got);
  free(bytes);
  if (!check_server(with, own, got, said)) return false;
  unsigned char proof[proof_bytes];
  prove(own, "node", said.nonce, got.nonce, program, proof);
  if (!say(with.through, is_proof, proof, sizeof proof)) return with.fail("no memory");
  if (!with.expect(is_welcome, sizeof *at, &head, &bytes)) return false;
  memcpy(at, bytes, sizeof *at);
  const std::size_t size = at->count * sizeof(std::uint32_t);
  if (head.bytes != sizeof *at + size) {
    free(bytes);
    return with.fail("the server's welcome has a wrong size; both sides must have the same version of Weft");
  }
  *others = static_cast<std::uint32_t*>(malloc(size + 1));
  if (*others != nullptr) memcpy(*others, bytes + sizeof *at, size);
  free(bytes);
  return *others != nullptr || with.fail("no memory");
}

// False: a line has told why. Where none is there the server tells whether it needs one.
static bool choose_key(const char* whose, const char* address, const key_choice& with, key* out) {
  char host[256], port[8];
  if (with.is_none) return true;
  if (with.file != nullptr) return read_key(whose, with.file, false, out);
  if (!split_address(address, host, port)) return true;  // connect_to tells
  return find_own_key(whose, static_cast<unsigned>(atoi(port)), out);
}

bool connect_as(const char* whose, role as, const char* address, const key_choice& with, std::uint64_t program, channel* through,
                welcome* at, std::uint32_t** others) {
  key own;
  if (!choose_key(whose, address, with, &own)) return false;
  const int socket = connect_to(whose, address, patience_ns);
  if (socket < 0) return false;
  through->use(socket);
  through->read.set_limit(small_frames);
  const conversation talk = {whose, address, through, with.is_none, now_ns() + patience_ns};
  if (!shake_hands(talk, as, own, program, at, others)) return false;
  through->read.set_limit(most_frame_bytes);
  return true;
}

}  // namespace weft::net
