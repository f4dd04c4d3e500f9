#pragma once
// Which part of each node input a physical box of the node's output needs: ir::Needs through the node's kernels, from
// the last to the first.
#include <optional>
#include <vector>

#include "compiler/drivers/pim/spatial/layout.hpp"
#include "compiler/ir/needs.hpp"

namespace pimento::pim {

/// The logical box (an enclosure) of a physical box.
ir::Box to_logical(const Layout& layout, const ir::Shape& shape, const PBox& box);
/// What the kernels of a node from `first_call` on (which skips those before an epilogue) read for boxes of the node's
/// output `output_index`. Graph, node and sequence must outlive it.
class InputNeeds {
 public:
  InputNeeds(const ir::Graph& graph, const ir::Node& node, const ir::KernelSequence& sequence,
             std::size_t first_call = 0, int output_index = 0);
  /// One logical box per node input (empty when it is not read).
  std::vector<ir::Box> of(const ir::Box& output) const;

 private:
  /// What one write of a kernel reads; several may go to one operand.
  struct Write {
    const ir::KernelCall* call;
    std::size_t operand;
    int ordinal;                     ///< of the operand among the kernel's outputs
    std::optional<ir::Needs> needs;  ///< nothing: of a library kernel
  };
  const ir::Graph* graph_;
  const ir::Node* node_;
  const ir::KernelSequence* sequence_;
  int output_index_;
  std::vector<Write> writes_;  ///< from the last kernel to the first
  /// Where kernels read of every input just the element that they write: those inputs. Nothing where one does not.
  std::optional<std::vector<std::size_t>> in_place_;

  void add_writes(const ir::KernelCall& call);
  std::optional<std::vector<std::size_t>> inputs_in_place() const;
};
PBox physical(const Layout& layout, const ir::Shape& shape, const ir::Box& box);

}  // namespace pimento::pim
