#pragma once
// The access ports of a local memory, and its banks where phases hold them, too. A phase books when its instruction
// issues (or its data arrive): the earliest stretch of cycles long enough in which a port and all of its banks are
// free, on the lowest such port. Bookings are never moved.
#include <algorithm>
#include <span>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::isa::cost {

class Ports {
 public:
  explicit Ports(int count, std::size_t banks = 0)
      : booked_(static_cast<std::size_t>(std::max(count, 1))), banks_(banks) {}

  /// Books `cycles` from `earliest` on; returns where they start. Zero cycles need nothing.
  Cycles book(Cycles earliest, Cycles cycles, std::span<const std::size_t> banks = {}) {
    if (cycles == 0) return earliest;
    for (Cycles from = earliest;;) {
      const auto [start, port, before] = lowest_port(from, cycles);
      Cycles free = start;
      for (const std::size_t bank : banks) free = std::max(free, first_fit(banks_[bank], start, cycles).start);
      if (free > start) {
        from = free;
        continue;
      }
      insert(booked_[port], before, start, cycles);
      for (const std::size_t bank : banks)
        insert(banks_[bank], first_fit(banks_[bank], start, cycles).before, start, cycles);
      return start;
    }
  }
  /// Nothing will be booked before `time` any more.
  void forget(Cycles time) {
    for (auto* all : {&booked_, &banks_})
      for (auto& list : *all) {
        std::size_t gone = 0;
        while (gone < list.size() && list[gone].end <= time) ++gone;
        if (gone > 0) list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(gone));
      }
  }
  /// All bookings are so much later.
  void move_on(Cycles by) {
    for (auto* all : {&booked_, &banks_})
      for (auto& list : *all)
        for (Booking& each : list) each.start += by, each.end += by;
  }

 private:
  struct Booking {
    Cycles start, end;
  };
  struct Fit {
    Cycles start;
    std::size_t before;  ///< index of the booking that it goes in front of
  };
  static Fit first_fit(const std::vector<Booking>& list, Cycles earliest, Cycles cycles) {
    Cycles start = earliest;
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (start + cycles <= list[n].start) return {start, n};
      start = std::max(start, list[n].end);
    }
    return {start, list.size()};
  }

  struct Port {
    Cycles start;
    std::size_t port, before;
  };
  Port lowest_port(Cycles earliest, Cycles cycles) const {
    Port best{0, booked_.size(), 0};
    for (std::size_t p = 0; p < booked_.size(); ++p) {
      const auto [start, before] = first_fit(booked_[p], earliest, cycles);
      if (best.port == booked_.size() || start < best.start) best = {start, p, before};
    }
    return best;
  }
  static void insert(std::vector<Booking>& list, std::size_t before, Cycles start, Cycles cycles) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(before), {start, start + cycles});
  }

  std::vector<std::vector<Booking>> booked_, banks_;  ///< sorted, disjoint
};

}  // namespace pimento::isa::cost
