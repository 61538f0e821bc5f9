// Frames out of a stream of bytes, of which none is trusted. The user reads into `room`, says how
// much came, and takes frames until there is none; the first bad head ends the stream for good. It
// knows no socket, so that the fuzzer feeds it. Linked as C.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/frames.hpp"

namespace weft::net {

enum class parsed : std::uint8_t { nothing, frame, damage };

class frame_parser {
 public:
  frame_parser() = default;
  frame_parser(const frame_parser&) = delete;
  frame_parser& operator=(const frame_parser&) = delete;
  ~frame_parser();

  // What a frame may have at most; more is damage. Few before the other side is known.
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }

  // Where the next bytes of the stream go, and how many; null: no memory.
  std::byte* room(std::size_t* bytes);
  void took(std::size_t bytes);

  // The next whole frame; its bytes are malloc's and the caller's, null if there are none.
  parsed next(frame_head* head, std::byte** bytes);

  // Whether the stream may end here: not within a frame.
  [[nodiscard]] bool is_between() const { return begin_ == end_ && body_ == nullptr; }
  // After damage: what was wrong, for a message.
  [[nodiscard]] const char* problem() const { return problem_; }

 private:
  static constexpr std::size_t buffer_bytes = 64 << 10;

  parsed begin_body();
  parsed refuse(const char* why);
  parsed give(frame_head* head, std::byte** bytes);

  std::byte* buffer_ = nullptr;
  std::size_t begin_ = 0, end_ = 0;  // of what was read and not taken
  frame_head head_{};
  std::byte* body_ = nullptr;  // of a frame that has begun: padded(bytes) and no more
  std::uint64_t filled_ = 0;   // of the body
  bool has_head_ = false;
  std::uint64_t limit_ = most_frame_bytes;
  const char* problem_ = nullptr;
};

}  // namespace weft::net
