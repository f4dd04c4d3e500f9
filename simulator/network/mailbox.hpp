#pragma once
// What stands between one source and one destination: messages that have arrived or whose arrival is known, and the
// credits for the receive buffer's places. With a buffer of no messages, a send needs the receive itself (rendezvous).
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "isa/support/types.hpp"
#include "simulator/memory/image.hpp"

namespace pimento::sim {

/// First in, first out. One item stands in the queue itself: most of the thousands of queues never hold a second.
template <class T>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  const T& front() const { return first_; }
  std::size_t size() const { return size_; }
  void push(T item) {
    if (size_++ == 0)
      first_ = std::move(item);
    else
      rest_.push_back(std::move(item));
  }
  T pop() {
    T item = std::move(first_);
    if (--size_ > 0) {
      first_ = std::move(rest_[head_++]);
      if (head_ == rest_.size()) rest_.clear(), head_ = 0;
      if (head_ > 64 && head_ * 2 > rest_.size())
        rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(head_)), head_ = 0;
    }
    return item;
  }

 private:
  T first_{};
  std::size_t size_ = 0, head_ = 0;
  std::vector<T> rest_;
};

struct Delivery {
  Cycles arrival = 0;             ///< core clock
  std::uint32_t instruction = 0;  ///< the sender's
  std::uint32_t tag = 0;
  Bytes bytes = 0;
  std::shared_ptr<const Payload> payload;
};

struct Mailbox {
  CoreId source = 0, destination = 0;
  Fifo<Delivery> arrived;
  Fifo<Cycles> credits;   ///< buffered: when each free place's credit is at the source (network clock), in order
  Fifo<Cycles> receives;  ///< rendezvous: when the receive that no send has met was issued (network clock)
};

}  // namespace pimento::sim
