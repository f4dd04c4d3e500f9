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

/// First in, first out, without a block of memory for each of thousands of queues.
template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  T& front() { return items_[head_]; }
  const T& front() const { return items_[head_]; }
  std::size_t size() const { return items_.size() - head_; }
  void push(T item) { items_.push_back(std::move(item)); }
  T pop() {
    T item = std::move(items_[head_++]);
    if (head_ == items_.size()) items_.clear(), head_ = 0;
    if (head_ > 64 && head_ * 2 > items_.size())
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_)), head_ = 0;
    return item;
  }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
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
