#pragma once
// Writes an operator's kernels: each `kernel(...)` is one formula over the node's inputs, its outputs and temporaries.
//
//   s.kernel("softmax_max", [&](Formula& k) {
//     auto at = k.over(kept);                          // one parallel axis per dimension
//     k.write(k.to(highest, "highest"), at, k.maximum(k.from(c, 0).at(...)));
//   });
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/kernel_builder.hpp"
#include "compiler/ops/call.hpp"

namespace pimento::ops {

using ir::Expr;
using ir::Shape;
using ir::TensorType;
using Axes = std::vector<ir::Expr>;

/// A place for a tensor between or at the ends of the kernels.
struct Place {
  ir::Slot slot;
  TensorType type;
  std::string name;
};

class Sequence;
/// A kernel being written: a KernelBuilder whose operands are places.
class Formula : public ir::KernelBuilder {
 public:
  using Operand = ir::KernelBuilder::Tensor;
  /// The operand that stands for a place, seen under `view` where given (as many elements, row-major).
  Operand read(const Place& place);
  Operand read(const Place& place, Shape view);
  Operand write_to(const Place& place);
  Operand write_to(const Place& place, Shape view);
  /// One parallel axis per dimension, d0, d1, ...
  Axes over(const Shape& shape) { return parallel_axes("d", shape); }

 private:
  friend class Sequence;
  explicit Formula(const std::string& name) : KernelBuilder(name) {}
  std::string unique(const std::string& name);
  std::vector<ir::Slot> slots_;
  std::vector<std::string> names_;
};

class Sequence {
 public:
  explicit Sequence(const Call& call) : call_(call) {}
  Place input(int i) const;
  Place output(int i = 0) const;
  Place temporary(const std::string& name, TensorType type);
  Place constant(const std::string& name, ir::Tensor content);
  void kernel(const std::string& name, const std::function<void(Formula&)>& write);
  void call_library(ir::LibraryKernel kernel, std::vector<ir::Slot> slots);
  ir::KernelSequence take() { return std::move(result_); }

 private:
  const Call& call_;
  ir::KernelSequence result_;
};

// --- common formulas -------------------------------------------------------------------------------------------------
/// Element of `t` that meets position `at` of a broadcast result: axes align at the end, an extent of 1 repeats.
Expr aligned(const Formula::Operand& t, const Axes& at);
/// Type in which sums of `type` are kept: f32 for floats, i32 for 8- and 16-bit integers, the type itself otherwise.
ElementType accumulator_type(ElementType type);
/// acc cast to the type of `t`.
Expr as(const Formula::Operand& t, const Expr& value);
/// e * factor and e + offset, without a trace of neutral numbers.
Expr scaled(const Expr& e, std::int64_t factor);
Expr shifted(const Expr& e, std::int64_t offset);
/// outer * extent + inner, where `inner` runs below `extent`; an empty `outer` or `inner` is 0.
Expr mixed(const Expr& outer, std::int64_t extent, const Expr& inner);
/// An i64 expression by table: table[position].
Expr by_table(const std::vector<std::int64_t>& table, const Expr& position);
Expr by_table(const std::vector<double>& table, const Expr& position);  ///< of f32
/// Smallest value of a type: -inf, or the least integer.
double lowest(ElementType type);
double highest(ElementType type);

}  // namespace pimento::ops
