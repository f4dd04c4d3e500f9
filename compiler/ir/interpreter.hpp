#pragma once
// Executes kernels and graphs on tensors. Three paths give the same bits (tested): `plain` walks the meaning in
// kernel.hpp point by point; `blocked` evaluates expressions over blocks of points; contractions run as packed matrix
// products. Every element's reduction keeps its written order, so vector width, blocking and machine cannot show. NaN
// results are stored as the canonical quiet NaN of their type.
#include <functional>
#include <map>

#include "compiler/ir/graph.hpp"

namespace pimento::ir {

enum class Path : std::uint8_t { automatic, plain, blocked };

/// Runs a kernel. `inputs`: one tensor per operand of role input, in operand order; the result: one per output operand.
/// A tensor may have another shape with the operand's number of elements. UserError when a data-dependent index leaves
/// its tensor under OutOfRange::error.
std::vector<Tensor> interpret(const Kernel& k, const std::vector<Tensor>& inputs, Path path = Path::automatic);
std::vector<Tensor> interpret(const LibraryKernel& k, const std::vector<Tensor>& inputs);
std::vector<Tensor> interpret(const AnyKernel& k, const std::vector<Tensor>& inputs);
/// A node's kernels on the node's inputs (an absent optional input is an empty handle); the node's outputs.
std::vector<Tensor> interpret(const KernelSequence& s, const std::vector<Tensor>& inputs,
                              const std::vector<TensorType>& outputs);

/// The meaning of a node that has no body (the operator registry gives it).
using KernelsOf = std::function<KernelSequence(const Graph&, const Node&)>;
/// Called with each value once, when it is made (inputs and states included, constants not). Inside bodies it is called
/// with the body graph, once per iteration.
using Observer = std::function<void(const Graph&, ValueId, const Tensor&)>;

struct RunOptions {
  Observer observer;
  /// Content of the states, in Graph::states order; updated in place. Null: every run starts from the initial content.
  std::vector<Tensor>* states = nullptr;
  /// Values to keep and return besides the outputs.
  std::vector<ValueId> keep;
};
struct RunResult {
  std::vector<Tensor> outputs;
  std::vector<Tensor> kept;  ///< as RunOptions::keep
};
/// Content of every state before the first run.
std::vector<Tensor> initial_states(const Graph& g);
/// Runs the graph; inputs in Graph::inputs order, types must match (UserError names the input and both types). A value
/// is freed after its last reader.
RunResult interpret(const Graph& g, const std::vector<Tensor>& inputs, const KernelsOf& kernels_of,
                    const RunOptions& options = {});

}  // namespace pimento::ir
