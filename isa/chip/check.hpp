#pragma once
// What must hold between keys.
#include <optional>
#include <string>

#include "isa/chip/chip.hpp"

namespace pimento::isa {

struct Finding {
  std::string path;     ///< the key to blame
  std::string message;  ///< "expected ..., got ..."
};
/// The first rule that does not hold, in the order of the table.
std::optional<Finding> check_across_keys(const Chip& chip);

}  // namespace pimento::isa
