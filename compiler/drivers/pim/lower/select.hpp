#pragma once
// Instruction selection (stage spatial-to-pim): what one compute becomes on its core, from the node's kernels, the
// layouts and the numerics. Pure: the same compute gives the same operations; graph-to-spatial calls it to predict
// durations.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/drivers/pim/lower/pim_ops.hpp"
#include "compiler/drivers/pim/numerics/plan.hpp"

namespace pimento::pim {

/// What the selections of one compile share: constants (equal contents have one index), and the kernels of its nodes.
class ConstantPool {
 public:
  std::int32_t add(ConstantData data);
  /// The kernels of node `node`, made on first use. One pool serves one graph.
  const ir::KernelSequence& kernels(const ir::Graph& graph, std::int32_t node);
  /// A pool without constants that has the kernels of this one.
  ConstantPool only_kernels() const {
    ConstantPool pool;
    pool.kernels_ = kernels_;
    return pool;
  }
  /// Constants by what they were made from, so that equal computes make them once: the index kept for a key, or -1.
  /// `of` is held, so that no key names an expression that is gone.
  std::int32_t made(const std::vector<std::int64_t>& key) const;
  void keep(std::vector<std::int64_t> key, std::int32_t index, ir::Expr of);
  const ConstantData& operator[](std::int32_t index) const { return data_[static_cast<std::size_t>(index)]; }
  std::size_t size() const { return data_.size(); }

 private:
  std::vector<ConstantData> data_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> by_hash_;
  std::map<std::vector<std::int64_t>, std::pair<std::int32_t, ir::Expr>> made_;
  std::map<std::int32_t, std::shared_ptr<const ir::KernelSequence>> kernels_;
};

struct SelectContext {
  const ir::Graph& graph;
  const isa::Chip& chip;
  const NumericsPlan& plan;
  const std::vector<SpatialValue>& values;
  const std::vector<WeightTile>& tiles;
  ConstantPool& pool;
};

/// Operations of one compute with this body. Reads as in Compute::reads, the result to `write`. Throws UserError naming
/// the ONNX node and what the chip lacks when no instruction sequence exists.
Selected select(const SelectContext& context, const Body& body, const std::vector<Access>& reads, const Access& write,
                ClassId cls);
/// Core cycles of the selected operations on an otherwise idle core, loops counted out (isa/cost).
Cycles predicted_cycles(const SelectContext& context, const Selected& selected);
/// The same where each instruction begins when the one before has ended, and nothing is added for loops.
Cycles alone(const SelectContext& context, const Selected& selected);

}  // namespace pimento::pim
