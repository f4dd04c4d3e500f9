#pragma once
// A node's kernels over one box of its result: temporaries stand in scratch memory, or are only a meaning of what
// stands somewhere already. A matrix body comes with the accumulator of its contraction in hand.
#include "compiler/drivers/pim/lower/reduction.hpp"
#include "compiler/ir/library.hpp"

namespace pimento::pim {

class Lowering {
 public:
  Lowering(Builder& builder, const Body& body, const std::vector<Access>& reads, const Access& write);

  /// Every kernel of the node.
  void vector();
  /// The kernels of the node, whose first one is a contraction with a constant; `accumulator` holds its sum over the
  /// whole write box, a step per logical dimension of the node's output.
  void epilogue(const View& accumulator);

  /// The box of the node's own result.
  const PBox& box() const { return box_; }
  const Layout& layout() const { return layout_; }
  const ir::Shape& shape() const { return output_.shape; }

 private:
  struct Wanted {
    std::vector<ir::Box> boxes;  ///< what of a temporary is read, as one box
    int readers = 0;
  };
  void run(const ir::Box& box, const View* accumulator);
  void find_wanted(const ir::Box& box);
  void call(std::size_t index, const ir::Box& box, const View* accumulator);
  void write_output(std::size_t index, const Constants& constants, const std::vector<std::optional<Stored>>& operands,
                    int output, const ir::Box& box, const View* accumulator);
  /// One part of an output; with `alias` the result may stay where it arises, and is described there.
  void part(const Constants& constants, const std::vector<std::optional<Stored>>& operands, int output,
            const Domain& domain, const Stored* target, std::optional<Stored>* alias, const View* accumulator);
  void recurrent(const Constants& constants, const std::vector<std::optional<Stored>>& operands, int output,
                 const std::vector<int>& dims, const Domain& domain, const Stored& target,
                 const std::vector<ir::Expr>& map);
  std::vector<std::optional<Stored>> accumulators(const Constants& constants,
                                                  const std::vector<std::optional<Stored>>& operands, int output,
                                                  const std::vector<int>& dims, const Domain& domain,
                                                  const View* accumulator);
  Stored bound_accumulator(const Constants& constants, int output, const View& accumulator) const;
  double streamed_scale(const ir::Kernel& kernel) const;
  std::optional<ColumnScales> columns(const ir::Kernel& kernel, int output) const;
  /// Scratch memory for a box of a temporary, in the working format.
  Stored plain_temporary(int index, const ir::Box& box);
  void copy(const Stored& from, const Stored& to, const ir::Box& box);
  std::optional<Stored> operand(const ir::Slot& slot) const;
  const ir::Tensor* content(const ir::Slot& slot) const;
  [[noreturn]] void refuse(const std::string& what) const;

  Builder& builder_;
  const SelectContext& context_;
  const Body& body_;
  const std::vector<Access>& reads_;
  const ir::Node& node_;
  const ir::KernelSequence& sequence_;
  Layout layout_;
  PBox box_;
  Stored output_;
  int output_index_ = 0;
  Format work_;
  std::vector<Wanted> wanted_;
  std::vector<std::optional<Stored>> temporaries_;
};

/// Ranges of the kernel axes that write into `box` of an output (dimensions of the operand); one per part.
std::vector<Domain> domains_for(const ir::Kernel& kernel, int output, const ir::Box& box);

}  // namespace pimento::pim
