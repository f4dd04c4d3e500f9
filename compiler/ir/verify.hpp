#pragma once
// The verifiers name the rule, the value and both numbers: "kernel 'pool': the map of operand 'in' yields 1 index, its
// tensor has rank 2: f32[8,8]".
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace pimento::ir {

struct Finding {
  std::string message;
};
using Findings = std::vector<Finding>;

Findings verify(const Kernel& k);
Findings verify(const LibraryKernel& k);
/// The kernels of `s` and their binding to a node's operand types.
Findings verify(const KernelSequence& s, const std::vector<TensorType>& inputs, const std::vector<TensorType>& outputs);
/// Structure only (ids, order, single definition, bodies, states); operators' own rules live with the operators.
Findings verify(const Graph& g);

/// Throws InternalError with every finding, one a line, headed by `what`.
template <class T>
void require_valid(const T& x, const std::string& what);
extern template void require_valid<Kernel>(const Kernel&, const std::string&);
extern template void require_valid<LibraryKernel>(const LibraryKernel&, const std::string&);
extern template void require_valid<Graph>(const Graph&, const std::string&);

}  // namespace pimento::ir
