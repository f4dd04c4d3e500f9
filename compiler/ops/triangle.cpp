// Parts of matrices, and reversed rows.
#include <fmt/format.h>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

OP({
    .name = "trilu",
    .summary = "the part of each matrix on and above (upper) or on and below the k-th diagonal; 0 elsewhere",
    .onnx = {{"Trilu", 14, 0,
              [](OnnxNode& n) {
                const auto k = n.known_positions(1);
                if (k && k->size() != 1) n.refuse(1, "one diagonal", to_string(*k));
                n.put("k", k ? k->front() : std::int64_t{0});
                n.keep_inputs(1);
              }}},
    .inputs = {in("X")},
    .attributes = {integer("k", 0), flag("upper", true)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank_at_least(0, 2);
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("trilu", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto x = k.read(s.input(0)).at(at);
            const auto diagonal = shifted(at[at.size() - 2], c.integer("k"));
            const auto kept = ir::binary(c.flag("upper") ? ir::BinaryOp::ge : ir::BinaryOp::le, at.back(), diagonal);
            k.write(k.write_to(s.output()), at, ir::select(kept, x, ir::constant(x.type(), 0)));
          });
        },
});

OP({
    .name = "reverse_sequence",
    .summary = "the first sequence_lens[b] elements of each sequence reversed, the rest as they stand",
    .onnx = {{"ReverseSequence", 10}},
    .inputs = {in("X"), in("sequence_lens", Types::index)},
    .attributes = {integer("batch_axis", 1).at_least(0), integer("time_axis", 0).at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto batch = c.axis("batch_axis", c.rank()), time = c.axis("time_axis", c.rank());
      if (batch == time) c.refuse("batch_axis", "another axis than time_axis", std::to_string(batch));
      if (c.shape(1) != Shape{c.dim(0, batch)})
        c.refuse(1, fmt::format("shape [{}]", c.dim(0, batch)), to_string(c.shape(1)));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto batch = static_cast<std::size_t>(c.integer("batch_axis")),
                     time = static_cast<std::size_t>(c.integer("time_axis"));
          s.kernel("reverse_sequence", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto X = k.read(s.input(0));
            const auto length = ir::cast(ElementType::i64, k.read(s.input(1)).at({at[batch]}));
            auto from = at;
            from[time] =
                ir::select(ir::binary(ir::BinaryOp::lt, at[time], length), shifted(length - at[time], -1), at[time]);
            k.write(k.write_to(s.output()), at, X.at(from));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
