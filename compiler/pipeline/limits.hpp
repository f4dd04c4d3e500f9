#pragma once
// What a model may ask of memory and time before anything is allocated or run for it.
#include "compiler/ir/graph.hpp"
#include "isa/chip/chip.hpp"

namespace pimento {

/// Points of all kernels of a model: beyond this a calibration run would take days.
inline constexpr std::int64_t most_points = std::int64_t{1} << 42;

/// Throws UserError naming value or node, what it needs and what there is: a value without elements, one that does not
/// fit the chip's global memory, a node whose work has no end in sight.
void check_limits(const ir::Graph& graph, const isa::Chip& chip);

}  // namespace pimento
