#pragma once
// The access ports of a local memory. A phase books a port when its instruction issues (or its data arrive): the
// earliest stretch of free cycles long enough, on the lowest such port. Bookings are never moved.
#include <algorithm>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::sim {

class Ports {
 public:
  explicit Ports(int count) : booked_(static_cast<std::size_t>(std::max(count, 1))) {}

  /// Books `cycles` from `earliest` on; returns where they start. Zero cycles need no port.
  Cycles book(Cycles earliest, Cycles cycles) {
    if (cycles == 0) return earliest;
    Cycles best = 0;
    std::size_t port = booked_.size(), place = 0;
    for (std::size_t p = 0; p < booked_.size(); ++p) {
      const auto [start, before] = first_fit(booked_[p], earliest, cycles);
      if (port == booked_.size() || start < best) best = start, port = p, place = before;
    }
    auto& list = booked_[port];
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), {best, best + cycles});
    return best;
  }
  /// Nothing will be booked before `time` any more.
  void forget(Cycles time) {
    for (auto& list : booked_) {
      std::size_t gone = 0;
      while (gone < list.size() && list[gone].end <= time) ++gone;
      if (gone > 0) list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(gone));
    }
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

  std::vector<std::vector<Booking>> booked_;  ///< sorted, disjoint
};

}  // namespace pimento::sim
