// Rules and formulas that many families share.
#include <fmt/format.h>

#include "compiler/ops/define.hpp"

namespace pimento::ops {

std::vector<TensorType> same_as_input(const Call& c) { return {c.type(0)}; }

Shape broadcast_shape(const Call& c) {
  Shape result;
  for (int i = 0; i < c.inputs(); ++i) {
    if (!c.has(i)) continue;
    const auto& shape = c.shape(i);
    if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      auto& extent = result[result.size() - shape.size() + d];
      if (extent == shape[d] || shape[d] == 1) continue;
      if (extent != 1)
        c.refuse(i, fmt::format("extent 1 or {} on dimension {}, to broadcast", extent, d), std::to_string(shape[d]));
      extent = shape[d];
    }
  }
  return result;
}

namespace {
Expr widened(const Expr& e) { return is_float(e.type()) ? ir::cast(ElementType::f32, e) : e; }
}  // namespace

void elementwise(const Call& c, Sequence& s, const Body& body) {
  s.kernel(c.op().name, [&](Formula& k) {
    const auto at = k.over(c.output().shape);
    std::vector<Expr> operands;
    for (int i = 0; i < c.inputs(); ++i) operands.push_back(c.has(i) ? aligned(k.read(s.input(i)), at) : Expr{});
    const auto Y = k.write_to(s.output());
    k.write(Y, at, as(Y, body(operands)));
  });
}
void elementwise_wide(const Call& c, Sequence& s, const Body& body) {
  elementwise(c, s, [&](std::vector<Expr> operands) {
    for (auto& operand : operands)
      if (operand) operand = widened(operand);
    return body(operands);
  });
}

}  // namespace pimento::ops
