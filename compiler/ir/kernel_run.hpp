#pragma once
// What the paths of the interpreter share: the tensors of one run, checked, and the error for an index that data put
// outside.
#include <vector>

#include "compiler/ir/kernel.hpp"

namespace pimento::ir {

/// One tensor per operand; inputs bound, outputs freshly made (starts_from applied).
struct KernelRun {
  const Kernel& kernel;
  std::vector<Tensor> tensors;                     ///< indexed as Kernel::operands, with the operand's shape
  std::vector<std::vector<std::int64_t>> strides;  ///< row-major, per operand
};
/// Binds `inputs` (in operand order); InternalError when a type or an element count differs.
KernelRun bind_tensors(const Kernel& k, const std::vector<Tensor>& inputs);
/// The output tensors, in operand order.
std::vector<Tensor> results(KernelRun&& run);

[[noreturn]] void index_error(const Kernel& k, int operand, std::size_t dimension, std::int64_t index);
[[noreturn]] void table_error(const Kernel& k, std::int64_t index, std::int64_t size);

/// Accumulators take in values one point at a time, all at once from the old values (Combiner::merge aside, each by
/// itself).
BinaryOp operator_of(Combiner combiner);
BinaryOp operator_of(WriteRule rule);

/// The meaning of kernel.hpp, point by point.
void run_plain(KernelRun& run);
/// The same, over blocks of points.
void run_blocked(KernelRun& run);
/// The same as a packed matrix product; false (and nothing done) when the kernel is no contraction of a supported type.
bool run_contraction(KernelRun& run);

}  // namespace pimento::ir
