#pragma once
// ir::needed, asked often: what an output depends on is found once, then for any number of boxes.
#include <vector>

#include "compiler/ir/analysis.hpp"

namespace pimento::ir {

/// Of one output of a kernel, which must outlive it.
class Needs {
 public:
  explicit Needs(const Kernel& k, int output = 0);
  /// Ranges of the axes at which `box` is computed.
  std::vector<Range> axes(const Box& box) const;
  /// What of `operand` is read to compute `box`, at `axes(box)`.
  Box part(int operand, const Box& box, const std::vector<Range>& axes) const;

 private:
  const Kernel* kernel_;
  int output_;
  std::vector<Read> loads_;
};

}  // namespace pimento::ir
