// Reads and writes at positions that data gives. A position may count from the end; one outside the tensor is an error.
#include <fmt/format.h>

#include "compiler/ops/window.hpp"

namespace pimento::ops {
namespace {

/// A loaded position as an index into an extent.
Expr position(const Expr& loaded, std::int64_t extent) {
  const auto i = ir::cast(ElementType::i64, loaded);
  return ir::select(ir::binary(ir::BinaryOp::lt, i, ir::index(0)), shifted(i, extent), i);
}
void normalise_axis(OnnxNode& n) { n.put_axis("axis", 0, n.rank()); }

OP({
    .name = "gather",
    .summary = "Y[a, i, b] = X[a, indices[i], b], where indices stand on the axis",
    .onnx = {{"Gather", 1, 0, normalise_axis}},
    .inputs = {in("X"), in("indices", Types::index)},
    .attributes = {integer("axis").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      auto shape = c.shape();
      const auto axis = c.axis("axis", c.rank());
      shape.erase(shape.begin() + axis);
      shape.insert(shape.begin() + axis, c.shape(1).begin(), c.shape(1).end());
      return {{c.element(), shape}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto axis = c.integer("axis");
          s.kernel("gather", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            const auto first = at.begin() + axis, last = first + c.rank(1);
            const auto X = k.read(s.input(0)), indices = k.read(s.input(1));
            Axes from(at.begin(), first);
            from.push_back(position(indices.at(Axes(first, last)), c.dim(0, static_cast<int>(axis))));
            from.insert(from.end(), last, at.end());
            k.write(k.write_to(s.output()), at, X.at(from));
          });
        },
});

OP({
    .name = "gather_elements",
    .summary = "Y[i] = X[i with its coordinate on the axis replaced by indices[i]]",
    .onnx = {{"GatherElements", 11, 0, normalise_axis}},
    .inputs = {in("X"), in("indices", Types::index)},
    .attributes = {integer("axis").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto axis = c.axis("axis", c.rank());
      c.require_rank(1, c.rank(), "as X has");
      for (int d = 0; d < c.rank(); ++d)
        if (d != axis && c.dim(1, d) > c.dim(0, d))
          c.refuse(1, fmt::format("at most {} on dimension {}", c.dim(0, d), d), std::to_string(c.dim(1, d)));
      return {{c.element(), c.shape(1)}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto axis = c.integer("axis");
          s.kernel("gather_elements", [&](Formula& k) {
            const auto at = k.over(c.shape(1));
            const auto X = k.read(s.input(0)), indices = k.read(s.input(1));
            auto from = at;
            from[static_cast<std::size_t>(axis)] = position(indices.at(at), c.dim(0, static_cast<int>(axis)));
            k.write(k.write_to(s.output()), at, X.at(from));
          });
        },
});

/// Splits indices [.., depth] of GatherND and ScatterND: the leading dimensions, and how many coordinates each gives.
struct Coordinates {
  Shape outer;
  std::int64_t depth;
  Coordinates(const Call& c, int input, std::int64_t batch) : outer(c.shape(input)) {
    c.require_rank_at_least(input, 1);
    depth = outer.back();
    outer.pop_back();
    if (batch + depth > c.rank(0) || batch > static_cast<std::int64_t>(outer.size()))
      c.refuse(input, fmt::format("at most {} coordinates", c.rank(0) - batch), std::to_string(depth));
  }
  /// Coordinates loaded at `at`, as indices of dimensions first, first + 1, ... of X.
  Axes load(const Call& c, const Formula::Operand& indices, const Axes& at, std::int64_t first) const {
    Axes result;
    for (std::int64_t i = 0; i < depth; ++i)
      result.push_back(position(indices.at(join(at, {ir::index(i)})), c.dim(0, static_cast<int>(first + i))));
    return result;
  }
};

OP({
    .name = "gather_nd",
    .summary = "Y[b, i, ...] = X[b, indices[b, i, :], ...]",
    .onnx = {{"GatherND", 11}},
    .inputs = {in("X"), in("indices", Types::index)},
    .attributes = {integer("batch_dims", 0).at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto batch = c.integer("batch_dims");
      const Coordinates at(c, 1, batch);
      for (int d = 0; d < batch; ++d)
        if (c.dim(0, d) != c.dim(1, d))
          c.refuse(1, fmt::format("extent {} on batch dimension {}", c.dim(0, d), d), std::to_string(c.dim(1, d)));
      return {{c.element(), join(at.outer, from_dimension(c.shape(), static_cast<std::size_t>(batch + at.depth)))}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto batch = c.integer("batch_dims");
          const Coordinates coordinates(c, 1, batch);
          s.kernel("gather_nd", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            const auto split = at.begin() + static_cast<std::ptrdiff_t>(coordinates.outer.size());
            const Axes outer(at.begin(), split), rest(split, at.end());
            const auto X = k.read(s.input(0)), indices = k.read(s.input(1));
            const Axes batched(at.begin(), at.begin() + batch);
            k.write(k.write_to(s.output()), at,
                    X.at(join(join(batched, coordinates.load(c, indices, outer, batch)), rest)));
          });
        },
});

// --- scatter ---------------------------------------------------------------------------------------------------------

ir::WriteRule rule_of(const std::string& reduction) {
  if (reduction == "add") return ir::WriteRule::add;
  if (reduction == "mul") return ir::WriteRule::mul;
  if (reduction == "max") return ir::WriteRule::max;
  if (reduction == "min") return ir::WriteRule::min;
  return ir::WriteRule::assign;
}
AttributeSpec reduction() { return text("reduction", {"none", "add", "mul", "max", "min"}); }
/// Y starts as X; every update is written, or combined, in row-major order.
void write_update(const Call& c, Sequence& s, Formula& k, const Formula::Operand& X, const Axes& to,
                  const Expr& update) {
  k.write(k.write_to(s.output()), to, update, {.rule = rule_of(c.text("reduction")), .starts_from = X.operand()});
}

OP({
    .name = "scatter_elements",
    .summary = "Y = X, then Y[i with its coordinate on the axis replaced by indices[i]] takes updates[i], in order",
    .onnx = {{"ScatterElements", 11, 0, normalise_axis}, {"Scatter", 9, 0, normalise_axis}},
    .inputs = {in("X"), in("indices", Types::index), like("updates")},
    .attributes = {integer("axis").at_least(0), reduction()},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto axis = c.axis("axis", c.rank());
      c.require_rank(1, c.rank(), "as X has");
      if (c.shape(2) != c.shape(1))
        c.refuse(2, "shape " + to_string(c.shape(1)) + ", as indices have", to_string(c.shape(2)));
      for (int d = 0; d < c.rank(); ++d)
        if (d != axis && c.dim(1, d) > c.dim(0, d))
          c.refuse(1, fmt::format("at most {} on dimension {}", c.dim(0, d), d), std::to_string(c.dim(1, d)));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto axis = c.integer("axis");
          s.kernel("scatter_elements", [&](Formula& k) {
            const auto at = k.over(c.shape(1));
            const auto X = k.read(s.input(0)), indices = k.read(s.input(1)), updates = k.read(s.input(2));
            auto to = at;
            to[static_cast<std::size_t>(axis)] = position(indices.at(at), c.dim(0, static_cast<int>(axis)));
            write_update(c, s, k, X, to, updates.at(at));
          });
        },
});

OP({
    .name = "scatter_nd",
    .summary = "Y = X, then Y[indices[i, :], ...] takes updates[i, ...], in order",
    .onnx = {{"ScatterND", 11}},
    .inputs = {in("X"), in("indices", Types::index), like("updates")},
    .attributes = {reduction()},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const Coordinates at(c, 1, 0);
      const auto expected = join(at.outer, from_dimension(c.shape(), static_cast<std::size_t>(at.depth)));
      if (c.shape(2) != expected) c.refuse(2, "shape " + to_string(expected), to_string(c.shape(2)));
      return {c.type(0)};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const Coordinates coordinates(c, 1, 0);
          s.kernel("scatter_nd", [&](Formula& k) {
            const auto at = k.over(c.shape(2));
            const auto split = at.begin() + static_cast<std::ptrdiff_t>(coordinates.outer.size());
            const auto X = k.read(s.input(0)), indices = k.read(s.input(1)), updates = k.read(s.input(2));
            const auto to = join(coordinates.load(c, indices, Axes(at.begin(), split), 0), Axes(split, at.end()));
            write_update(c, s, k, X, to, updates.at(at));
          });
        },
});

// --- one hot ---------------------------------------------------------------------------------------------------------

OP({
    .name = "one_hot",
    .summary = "values[1] where the coordinate on the new axis is the index, values[0] elsewhere",
    .onnx = {{"OneHot", 9, 0,
              [](OnnxNode& n) {
                const auto depth = n.known_reals(1);
                if (!depth || depth->size() != 1 || !(depth->front() >= 1 && depth->front() < 0x1p31))
                  n.refuse(1, "one depth from 1 to 2^31", "another value");
                n.put("depth", static_cast<std::int64_t>(depth->front()));
                n.put_axis("axis", -1, n.rank() + 1);
                n.node().inputs.erase(n.node().inputs.begin() + 1);
              }}},
    .inputs = {in("indices", Types::numeric), in("values")},
    .attributes = {integer("axis").at_least(0), integer("depth").at_least(1)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      if (c.shape(1) != Shape{2}) c.refuse(1, "shape [2]", to_string(c.shape(1)));
      auto shape = c.shape();
      shape.insert(shape.begin() + c.axis("axis", c.rank() + 1), c.integer("depth"));
      return {{c.element(1), shape}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto axis = static_cast<std::ptrdiff_t>(c.integer("axis"));
          s.kernel("one_hot", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            auto from = at;
            from.erase(from.begin() + axis);
            const auto indices = k.read(s.input(0)), values = k.read(s.input(1));
            const auto hot = ir::binary(ir::BinaryOp::eq, position(indices.at(from), c.integer("depth")),
                                        at[static_cast<std::size_t>(axis)]);
            k.write(k.write_to(s.output()), at, ir::select(hot, values.at({ir::index(1)}), values.at({ir::index(0)})));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
