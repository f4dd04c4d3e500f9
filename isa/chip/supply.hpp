#pragma once
// Times and energies that depend on something: a key may be a list of points, "9.7 pJ at 0.85 V" (over the supply's
// voltage) or "4.563 pJ at 1" (over the mean code of the outputs), read by linear interpolation; the core's other times
// and energies follow the power laws of core.supply. Fields hold what comes out, Chip::as_given what was written.
#include <optional>
#include <string>
#include <vector>

#include "isa/chip/key.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {

/// Whether a list of points may stand for the key's value: its times and energies.
bool takes_points(const Key& key);

struct PointText {
  std::string text;
  Place place;
};
struct AtSupply {
  std::string value;  ///< what the field holds
  std::string given;  ///< what is printed
  std::string error;  ///< or this, about `place`
  Place place;
};
/// nullopt: the value is as given. `points` may be empty.
std::optional<AtSupply> at_supply(const Key& key, const Chip& chip, const std::string& given,
                                  const std::vector<PointText>& points);

}  // namespace pimento::isa
