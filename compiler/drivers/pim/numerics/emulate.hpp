#pragma once
// What the chip makes of one node, number by number: codes of values and weights, sums of integers, one conversion at
// the end. For a contraction and what is fused to it this is the arithmetic of the instructions that lowering selects
// on a chip with f32 vectors, so adaptive rounding sees the chip's own errors; other nodes are computed in f32 from
// what the chip holds, which differs from it in rare last bits.
#include <functional>
#include <optional>

#include "compiler/drivers/pim/numerics/plan.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"

namespace pimento::pim {

/// Content of one of the graph's values.
using Content = std::function<ir::Tensor(ir::ValueId)>;

/// What a value with this content reads as on the chip: its code times the scale, in f32.
ir::Tensor as_stored(const ValueFormat& format, const ir::Tensor& content);
/// A node alone, by the interpreter.
std::vector<ir::Tensor> interpret_node(const ir::Graph& graph, const ir::Node& node, const Content& content);
/// A node's outputs as they read on the chip, from inputs as they read there. `contraction`: of a node whose weights
/// have `scales`.
std::vector<ir::Tensor> emulate(const ir::Graph& graph, const ir::Node& node, const NumericsPlan& plan,
                                const std::optional<Contracted>& contraction, const std::vector<double>& scales,
                                const std::vector<Layout>& layouts, const Content& content);
/// The constant that a contraction adds to each of its columns: an input of the node; nothing when there is none.
std::optional<std::size_t> bias_input(const ir::Graph& graph, const ir::Node& node, std::size_t columns);

}  // namespace pimento::pim
