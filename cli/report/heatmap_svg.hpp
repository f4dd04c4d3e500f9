#pragma once
// Where the work was: every core coloured by how much of the run its array groups were busy, and every link between two
// cores by how much of the run it carried something. Shares in numbers stand in the titles.
#include <string>

#include "isa/chip/chip.hpp"
#include "simulator/chip/simulate.hpp"

namespace pimento::cli {

std::string heatmap_svg(const std::string& model, const isa::Chip& chip, const sim::Result& result);

}  // namespace pimento::cli
