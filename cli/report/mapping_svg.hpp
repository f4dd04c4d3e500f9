#pragma once
// The mapping as a picture: where each layer's crossbars stand on the chip.
#include <string>

#include "isa/program/program.hpp"

namespace pimento::cli {

/// One square per core, in the places of the mesh (or row by row); in it, a block per layer as high as its share of the
/// core's crossbars, and the number of crossbars left empty is what stays white. Pointing at a core shows its layers.
std::string mapping_svg(const isa::Program& program, const isa::Chip& chip);

}  // namespace pimento::cli
