// Joining and splitting along an axis.
#include <fmt/format.h>

#include <numeric>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

void normalise_concat(OnnxNode& n) {
  if (!n.given("axis") && n.opset() >= 4) n.refuse("axis", "an axis", "none");
  n.put_axis("axis", 1, n.rank());
}

std::vector<TensorType> infer_concat(const Call& c) {
  const auto axis = c.axis("axis", c.rank());
  auto shape = c.shape();
  for (int i = 1; i < c.inputs(); ++i) {
    c.require_rank(i, c.rank(), "as the first has");
    for (int d = 0; d < c.rank(); ++d)
      if (d != axis && c.dim(i, d) != c.dim(0, d))
        c.refuse(i, fmt::format("extent {} on dimension {}, as the first has", c.dim(0, d), d),
                 std::to_string(c.dim(i, d)));
    shape[static_cast<std::size_t>(axis)] += c.dim(i, axis);
  }
  return {{c.element(), shape}};
}

void concat_kernels(const Call& c, Sequence& s) {
  const auto axis = static_cast<std::size_t>(c.axis("axis", c.rank()));
  s.kernel("concat", [&](Formula& k) {
    const auto at = k.over(c.output().shape);
    std::vector<Expr> pieces;
    std::vector<std::int64_t> ends;
    std::int64_t begin = 0;
    for (int i = 0; i < c.inputs(); ++i) {
      auto from = at;
      from[axis] = shifted(at[axis], -begin);
      pieces.push_back(k.read(s.input(i)).at(from, 0.0));  // outside its piece it is not chosen
      begin += c.dim(i, static_cast<int>(axis));
      ends.push_back(begin);
    }
    auto value = pieces.back();
    for (auto i = pieces.size() - 1; i-- > 0;)
      value = ir::select(ir::binary(ir::BinaryOp::lt, at[axis], ir::index(ends[i])), pieces[i], value);
    k.write(k.write_to(s.output()), at, value);
  });
}

OP({
    .name = "concat",
    .summary = "the inputs one after another along the axis",
    .onnx = {{"Concat", 1, 0, normalise_concat}},
    .inputs = {many(in("inputs"))},
    .attributes = {integer("axis").at_least(0)},
    .infer = infer_concat,
    .kernels = concat_kernels,
});

// --- split -----------------------------------------------------------------------------------------------------------

void normalise_split(OnnxNode& n) {
  n.put_axis("axis", 0, n.rank());
  auto split = n.integers_from("split", 1);
  const auto extent = n.dim(0, static_cast<int>(n.integer("axis")));
  auto count = n.take_integer("num_outputs", n.outputs());
  if (!split) {
    if (count < 1) n.refuse("num_outputs", "1 or more", std::to_string(count));
    const auto each = n.opset() >= 18 ? (extent + count - 1) / count : extent / count;
    if (n.opset() < 18 && extent % count != 0)
      n.refuse(0, fmt::format("an extent that {} outputs share equally", count), std::to_string(extent));
    split = std::vector<std::int64_t>(static_cast<std::size_t>(count), each);
    split->back() = extent - each * (count - 1);
  }
  n.put("split", *split);
  n.keep_inputs(1);
}

std::vector<TensorType> infer_split(const Call& c) {
  const auto axis = c.axis("axis", c.rank());
  const auto& split = c.integers("split");
  if (std::accumulate(split.begin(), split.end(), std::int64_t{0}) != c.dim(0, axis))
    c.refuse("split", fmt::format("parts of {} in all", c.dim(0, axis)), to_string(split));
  std::vector<TensorType> result(split.size(), c.type(0));
  for (std::size_t i = 0; i < split.size(); ++i) result[i].shape[static_cast<std::size_t>(axis)] = split[i];
  return result;
}

void split_kernels(const Call& c, Sequence& s) {
  const auto axis = static_cast<std::size_t>(c.axis("axis", c.rank()));
  const auto types = infer_split(c);
  std::int64_t begin = 0;
  for (int i = 0; i < c.outputs(); ++i) {
    if (c.wants(i)) {
      s.kernel(fmt::format("split_{}", i), [&](Formula& k) {
        const auto at = k.over(types[static_cast<std::size_t>(i)].shape);
        auto from = at;
        from[axis] = shifted(at[axis], begin);
        const auto X = k.read(s.input(0));
        k.write(k.write_to(s.output(i)), at, X.at(from));
      });
    }
    begin += types[static_cast<std::size_t>(i)].shape[axis];
  }
}

OP({
    .name = "split",
    .summary = "consecutive parts of X along the axis",
    .onnx = {{"Split", 1, 0, normalise_split}},
    .inputs = {in("X")},
    .outputs = {"Y..."},
    .attributes = {integer("axis").at_least(0), integers("split").at_least(0)},
    .infer = infer_split,
    .kernels = split_kernels,
});

}  // namespace
}  // namespace pimento::ops
