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
  explicit FlowCosts(const MoveCosts& costs) : costs_(costs) {
    constexpr Bytes short_message = 64;
    constexpr Bytes long_message = 4096;
    for (const MoveCosts::Pair& pair : costs.ways()) {
      if (pair.from == pair.to) {
        lines_.emplace_back(0, 0);
        continue;
      }
      const auto least = static_cast<double>(costs.message(pair.from, pair.to, short_message));
      const auto most = static_cast<double>(costs.message(pair.from, pair.to, long_message));
      const double per_byte = (most - least) / static_cast<double>(long_message - short_message);
      lines_.emplace_back(std::max(0.0, least - per_byte * static_cast<double>(short_message)), per_byte);
    }
  }
  /// 0 within a core.
  double operator()(std::size_t from, std::size_t to, double messages, double bytes) const {
    if (from == to) return 0;
    const auto& [base, per_byte] = lines_[costs_.way(from, to)];
    return messages * base + bytes * per_byte;
  }

 private:
  const MoveCosts& costs_;
  std::vector<std::pair<double, double>> lines_;  ///< by way: cycles a message, cycles a byte
};

}  // namespace pimento::pim
