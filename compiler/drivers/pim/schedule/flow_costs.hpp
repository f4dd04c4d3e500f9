#pragma once
// What the data that flows between two classes costs the cores at both ends, in a form that is quick to ask.
#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

/// What a flow costs between two cores: a line through a short and a long message.
class FlowCosts {
 public:
  FlowCosts(const MoveCosts& costs, std::size_t cores) : cores_(cores), lines_(cores * cores) {
    constexpr Bytes short_message = 64;
    constexpr Bytes long_message = 4096;
    for (std::size_t a = 0; a < cores; ++a)
      for (std::size_t b = 0; b < cores; ++b) {
        if (a == b) continue;
        const auto from = static_cast<CoreId>(a), to = static_cast<CoreId>(b);
        const auto least = static_cast<double>(costs.message(from, to, short_message));
        const auto most = static_cast<double>(costs.message(from, to, long_message));
        const double per_byte = (most - least) / static_cast<double>(long_message - short_message);
        lines_[a * cores + b] = {std::max(0.0, least - per_byte * static_cast<double>(short_message)), per_byte};
      }
  }
  double operator()(std::size_t from, std::size_t to, double messages, double bytes) const {
    const auto& [base, per_byte] = lines_[from * cores_ + to];
    return messages * base + bytes * per_byte;
  }

 private:
  std::size_t cores_;
  std::vector<std::pair<double, double>> lines_;
};

}  // namespace pimento::pim
