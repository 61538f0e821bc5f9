#include "net/frames/parser.hpp"

#include <stdlib.h>
#include <string.h>

namespace weft::net {

frame_parser::~frame_parser() {
  free(buffer_);
  free(body_);
}

std::byte* frame_parser::room(std::size_t* bytes) {
  if (body_ != nullptr && begin_ == end_) {  // the rest of a large frame goes where it stays
    *bytes = static_cast<std::size_t>(padded(head_.bytes) - filled_);
    return body_ + filled_;
  }
  if (buffer_ == nullptr) buffer_ = static_cast<std::byte*>(malloc(buffer_bytes));
  if (buffer_ == nullptr) return nullptr;
  if (begin_ != 0) {
    memmove(buffer_, buffer_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  *bytes = buffer_bytes - end_;
  return buffer_ + end_;
}

void frame_parser::took(std::size_t bytes) {
  if (body_ != nullptr && begin_ == end_)
    filled_ += bytes;
  else
    end_ += bytes;
}

parsed frame_parser::refuse(const char* why) {
  problem_ = why;
  return parsed::damage;
}

// The head has come: a place for the body, which is taken as it comes.
parsed frame_parser::begin_body() {
  if (head_.magic != frame_magic) return refuse("it does not begin as a frame does: the other side is no Weft");
  if (head_.version != frame_version) return refuse("its version is another one: both sides must have the same version of Weft");
  if (head_.bytes > limit_) return refuse("its length is beyond all bounds");
  filled_ = 0;
  has_head_ = true;
  if (head_.bytes == 0) return parsed::frame;
  body_ = static_cast<std::byte*>(malloc(static_cast<std::size_t>(padded(head_.bytes))));
  return body_ == nullptr ? refuse("there is no memory for its length") : parsed::frame;
}

parsed frame_parser::give(frame_head* head, std::byte** bytes) {
  for (std::uint64_t i = head_.bytes; i < padded(head_.bytes); ++i)
    if (body_[i] != std::byte{0}) return refuse("its padding is not zero");
  *head = head_;
  *bytes = body_;
  body_ = nullptr;
  has_head_ = false;
  return parsed::frame;
}

parsed frame_parser::next(frame_head* head, std::byte** bytes) {
  if (problem_ != nullptr) return parsed::damage;
  if (!has_head_) {
    if (end_ - begin_ < sizeof head_) return parsed::nothing;
    memcpy(&head_, buffer_ + begin_, sizeof head_);
    begin_ += sizeof head_;
    if (begin_body() == parsed::damage) return parsed::damage;
  }
  const std::uint64_t wanted = padded(head_.bytes) - filled_;
  const std::uint64_t there_are = end_ - begin_;
  const auto taken = static_cast<std::size_t>(wanted < there_are ? wanted : there_are);
  if (taken != 0) memcpy(body_ + filled_, buffer_ + begin_, taken);
  begin_ += taken;
  filled_ += taken;
  return filled_ == padded(head_.bytes) ? give(head, bytes) : parsed::nothing;
}

}  // namespace weft::net
