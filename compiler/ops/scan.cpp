// Running sums: a state carried along one axis.
#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

void normalise_cum_sum(OnnxNode& n) {
  const auto axis = n.known_integers(1);
  if (!axis || axis->size() != 1) n.refuse(1, "one axis", "none or several");
  n.put("axis", n.positive_axis(axis->front(), n.rank(), "axis"));
  n.keep_inputs(1);
}

void cum_sum_kernels(const Call& c, Sequence& s) {
  const auto axis = static_cast<std::size_t>(c.integer("axis"));
  const bool reverse = c.flag("reverse"), exclusive = c.flag("exclusive");
  s.kernel("cum_sum", [&](Formula& k) {
    Axes at;
    for (std::size_t d = 0; d < c.shape().size(); ++d) {
      const auto name = "d" + std::to_string(d);
      at.push_back(d == axis ? k.carried(name, c.shape()[d]) : k.parallel(name, c.shape()[d]));
    }
    if (reverse) at[axis] = ir::index(c.shape()[axis] - 1) - at[axis];
    const auto wide = accumulator_type(c.element());
    const auto before = k.state("sum", ir::constant(wide, 0));
    const auto after = before + ir::cast(wide, k.read(s.input(0)).at(at));
    k.advance(before, after);
    const auto Y = k.write_to(s.output());
    k.write(Y, at, as(Y, exclusive ? before : after));
  });
}

OP({
    .name = "cum_sum",
    .summary = "sum of the elements up to each one along the axis (exclusive: before it; reverse: from the end)",
    .onnx = {{"CumSum", 11, 0, normalise_cum_sum}},
    .inputs = {in("X", Types::numeric)},
    .attributes = {integer("axis").at_least(0), flag("exclusive", false), flag("reverse", false)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.axis("axis", c.rank());
      return {c.type(0)};
    },
    .kernels = cum_sum_kernels,
});

}  // namespace
}  // namespace pimento::ops
