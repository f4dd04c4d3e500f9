#pragma once
// Who sends to whom in made-up traffic.
#include <optional>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/instruction/samples.hpp"
#include "simulator/network/traffic.hpp"

namespace pimento::sim {

class Destinations {
 public:
  Destinations(const isa::Chip& chip, Pattern pattern);

  /// Of one message; none when the source sends nothing at all.
  std::optional<CoreId> draw(CoreId source, isa::Random& random) const;
  /// How much of what a core sends goes where; all of them together are 1, or 0.
  struct Share {
    CoreId destination;
    double part;
  };
  std::vector<Share> shares(CoreId source) const;

 private:
  std::optional<CoreId> fixed(CoreId source) const;
  CoreId hot() const { return rows_ / 2 * columns_ + columns_ / 2; }
  bool is_random() const { return pattern_ == Pattern::uniform || pattern_ == Pattern::hotspot; }

  Pattern pattern_;
  CoreId cores_, rows_, columns_;
  bool rings_;
};

}  // namespace pimento::sim
