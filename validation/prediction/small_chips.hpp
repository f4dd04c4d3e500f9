#pragma once
// Small chips and small models by seed: every topology, core counts, crossbars, receive buffers, windows, latencies and
// widths; nets of convolutions with branches, sums and ends.
#include "compiler/ir/graph.hpp"
#include "isa/chip/chip.hpp"

namespace pimento::validation {

isa::Chip small_chip(std::uint64_t seed);
ir::Graph small_model(std::uint64_t seed);

}  // namespace pimento::validation
