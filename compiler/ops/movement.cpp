// Operators that only move elements: transpose, slice, pad, tile, expand, space and depth.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

// --- transpose -------------------------------------------------------------------------------------------------------

void normalise_transpose(OnnxNode& n) {
  std::vector<std::int64_t> reversed;
  for (int d = n.rank() - 1; d >= 0; --d) reversed.push_back(d);
  n.put("perm", n.positive_axes(n.take_integers("perm").value_or(reversed), n.rank(), "perm"));
}

OP({
    .name = "transpose",
    .summary = "dimension i of Y is dimension perm[i] of X",
    .onnx = {{"Transpose", 1, 0, normalise_transpose}},
    .inputs = {in("X")},
    .attributes = {integers("perm").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      auto sorted = c.integers("perm");
      std::sort(sorted.begin(), sorted.end());
      Shape shape, all;
      for (int d = 0; d < c.rank(); ++d) all.push_back(d);
      if (sorted != all)
        c.refuse("perm", fmt::format("a permutation of {}", to_string(all)), to_string(c.integers("perm")));
      for (const auto d : c.integers("perm")) shape.push_back(c.dim(0, static_cast<int>(d)));
      return {{c.element(), shape}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("transpose", [&](Formula& k) {
            const auto& perm = c.integers("perm");
            const auto at = k.over(c.output().shape);
            Axes from(at.size());
            for (std::size_t d = 0; d < at.size(); ++d) from[static_cast<std::size_t>(perm[d])] = at[d];
            const auto X = k.read(s.input(0));
            k.write(k.write_to(s.output()), at, X.at(from));
          });
        },
});

// --- slice -----------------------------------------------------------------------------------------------------------

/// First element, number of elements and step on every dimension.
void normalise_slice(OnnxNode& n) {
  const auto starts = n.integers_from("starts", 1), ends = n.integers_from("ends", 2);
  if (!starts || !ends) n.refuse("starts and ends", "none");
  const auto rank = n.rank();
  std::vector<std::int64_t> axes(starts->size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  axes = n.positive_axes(n.integers_from("axes", 3).value_or(axes), rank, "axes");
  const auto steps = n.known_positions(4).value_or(std::vector<std::int64_t>(axes.size(), 1));
  if (starts->size() != axes.size() || ends->size() != axes.size() || steps.size() != axes.size())
    n.refuse(fmt::format("{} starts, ends and steps, as there are axes", axes.size()), to_string(*starts));
  Shape begin(static_cast<std::size_t>(rank), 0), sizes = n.shape(), step(static_cast<std::size_t>(rank), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<std::size_t>(axes[i]);
    const auto extent = n.shape()[d];
    if (steps[i] == 0) n.refuse(4, "steps other than 0", "0");
    const bool up = steps[i] > 0;
    const auto from_end = [&](std::int64_t at) { return at < 0 ? at + extent : at; };
    const auto first = std::clamp<std::int64_t>(from_end((*starts)[i]), 0, up ? extent : extent - 1);
    const auto last = std::clamp<std::int64_t>(from_end((*ends)[i]), up ? 0 : -1, extent);
    const auto span = up ? last - first : first - last;
    const auto size =
        up ? steps[i]
           : (steps[i] == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max()
                                                                   : -steps[i]);
    sizes[d] = span <= 0 ? 0 : (span - 1) / size + 1;
    begin[d] = first;
    step[d] = sizes[d] <= 1 ? 1 : steps[i];
  }
  n.put("begins", begin);
  n.put("sizes", sizes);
  n.put("steps", step);
  n.keep_inputs(1);
}

OP({
    .name = "slice",
    .summary = "X[begin + i * step] for i below size, on every dimension",
    .onnx = {{"Slice", 1, 0, normalise_slice}},
    .inputs = {in("X")},
    .attributes = {integers("begins"), integers("sizes").at_least(0), integers("steps")},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto& begins = c.integers("begins");
      const auto& sizes = c.integers("sizes");
      const auto& steps = c.integers("steps");
      const auto rank = c.shape().size();
      if (begins.size() != rank || sizes.size() != rank || steps.size() != rank)
        c.refuse(fmt::format("{} begins, sizes and steps", rank),
                 fmt::format("{}, {} and {}", begins.size(), sizes.size(), steps.size()));
      for (std::size_t d = 0; d < rank; ++d) {
        const auto last = begins[d] + (sizes[d] - 1) * steps[d];
        if (sizes[d] > 0 && (begins[d] < 0 || begins[d] >= c.shape()[d] || last < 0 || last >= c.shape()[d]))
          c.refuse("begins", fmt::format("elements within extent {} on dimension {}", c.shape()[d], d),
                   fmt::format("{} to {}", begins[d], last));
      }
      return {{c.element(), sizes}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("slice", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            Axes from;
            for (std::size_t d = 0; d < at.size(); ++d)
              from.push_back(shifted(scaled(at[d], c.integers("steps")[d]), c.integers("begins")[d]));
            const auto X = k.read(s.input(0));
            k.write(k.write_to(s.output()), at, X.at(from));
          });
        },
});

// --- pad -------------------------------------------------------------------------------------------------------------

void normalise_pad(OnnxNode& n) {
  const auto rank = static_cast<std::size_t>(n.rank());
  const auto written = n.given("paddings") ? n.take_integers("paddings") : n.integers_from("pads", 1);
  if (!written) n.refuse("pads", "the elements to add", "none");
  std::vector<std::int64_t> axes(rank);
  for (std::size_t d = 0; d < rank; ++d) axes[d] = static_cast<std::int64_t>(d);
  if (const auto some = n.known_integers(3)) axes = n.positive_axes(*some, n.rank(), "axes");
  if (written->size() != 2 * axes.size())
    n.refuse("pads", fmt::format("{} values", 2 * axes.size()), to_string(*written));
  std::vector<std::int64_t> pads(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    pads[static_cast<std::size_t>(axes[i])] = (*written)[i];
    pads[rank + static_cast<std::size_t>(axes[i])] = (*written)[axes.size() + i];
  }
  double value = n.take_real("value", 0);
  ir::ValueId computed = ir::no_value;
  if (n.has(2)) {
    if (n.type(2).elements() != 1) n.refuse(2, "one element", to_string(n.shape(2)));
    if (n.constant(2)) {
      value = n.known_reals(2)->front();
    } else {
      computed = n.node().inputs[2];
    }
  }
  n.keep_inputs(1);
  if (computed != ir::no_value) n.set_input(1, computed);
  n.put("pads", pads);
  n.put("value", value);
}

/// Row i of the padded dimension comes from this row of X; -1 where a constant stands.
std::vector<std::int64_t> pad_sources(const std::string& mode, std::int64_t extent, std::int64_t begin,
                                      std::int64_t size) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < size; ++i) {
    auto at = i - begin;
    if (mode == "edge") {
      at = std::clamp<std::int64_t>(at, 0, extent - 1);
    } else if (mode == "wrap") {
      at = ((at % extent) + extent) % extent;
    } else if (extent == 1) {
      at = 0;
    } else {
      const auto period = 2 * (extent - 1);
      at = ((at % period) + period) % period;
      at = std::min(at, period - at);
    }
    result.push_back(at);
  }
  return result;
}

OP({
    .name = "pad",
    .summary = "X with elements added (or, with negative pads, removed) around it: a value, mirrored, the edge's, or "
               "the other side's",
    .onnx = {{"Pad", 1, 0, normalise_pad}},
    .inputs = {in("X"), maybe(like("constant_value"))},
    .attributes = {integers("pads"), text("mode", {"constant", "reflect", "edge", "wrap"}), real("value", 0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto& pads = c.integers("pads");
      auto shape = c.shape();
      if (pads.size() != 2 * shape.size())
        c.refuse("pads", fmt::format("{} values", 2 * shape.size()), to_string(pads));
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const auto extent = shape[d];
        shape[d] += pads[d] + pads[shape.size() + d];
        if (shape[d] < 0) c.refuse("pads", "an output extent of 0 or more", std::to_string(shape[d]));
        if (c.text("mode") == "constant") continue;
        if (extent == 0 && shape[d] > 0) c.refuse(0, fmt::format("elements to repeat on dimension {}", d), "none");
        require_table(c, static_cast<double>(shape[d]));
      }
      return {{c.element(), shape}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("pad", [&](Formula& k) {
            const auto& pads = c.integers("pads");
            const auto& mode = c.text("mode");
            const auto shape = c.output().shape;
            const auto at = k.over(shape);
            const auto X = k.read(s.input(0));
            Axes from;
            Expr inside;  // every index lies in X
            for (std::size_t d = 0; d < at.size(); ++d) {
              const bool moved = pads[d] != 0 || pads[at.size() + d] != 0;
              if (mode == "constant") {
                from.push_back(shifted(at[d], -pads[d]));
                if (!moved) continue;
                const auto here = ir::binary(ir::BinaryOp::bit_and, ir::binary(ir::BinaryOp::ge, from[d], ir::index(0)),
                                             ir::binary(ir::BinaryOp::lt, from[d], ir::index(c.shape()[d])));
                inside = inside ? ir::binary(ir::BinaryOp::bit_and, inside, here) : here;
              } else {
                from.push_back(moved ? by_table(pad_sources(mode, c.shape()[d], pads[d], shape[d]), at[d]) : at[d]);
              }
            }
            Expr value = mode == "constant" ? X.at(from, c.real("value")) : X.at(from);
            if (c.has(1) && inside) value = ir::select(inside, value, k.read(s.input(1), {}).at({}));
            k.write(k.write_to(s.output()), at, value);
          });
        },
});

// --- tile and expand -------------------------------------------------------------------------------------------------

OP({
    .name = "tile",
    .summary = "X repeated along every dimension",
    .onnx = {{"Tile", 6, 0,
              [](OnnxNode& n) {
                n.put("repeats", n.known_integers(1).value_or(Shape{}));
                n.keep_inputs(1);
              }}},
    .inputs = {in("X")},
    .attributes = {integers("repeats").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      auto shape = c.shape();
      const auto& repeats = c.integers("repeats");
      if (repeats.size() != shape.size())
        c.refuse("repeats", fmt::format("{} values", shape.size()), to_string(repeats));
      for (std::size_t d = 0; d < shape.size(); ++d)
        if (__builtin_mul_overflow(shape[d], repeats[d], &shape[d]))
          c.refuse("repeats", "extents that 64 bits hold", to_string(repeats));
      return {{c.element(), shape}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("tile", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            Axes from;
            for (std::size_t d = 0; d < at.size(); ++d) {
              const auto extent = c.shape()[d];
              from.push_back(c.integers("repeats")[d] == 1 ? at[d]
                             : extent == 1                 ? ir::index(0)
                                                           : ir::floor_mod(at[d], extent));
            }
            const auto X = k.read(s.input(0));
            k.write(k.write_to(s.output()), at, X.at(from));
          });
        },
});

OP({
    .name = "expand",
    .summary = "X broadcast to a shape",
    .onnx = {{"Expand", 8, 0,
              [](OnnxNode& n) {
                // The result broadcasts both ways: X may be the wider of the two.
                Shape shape = n.known_integers(1).value_or(Shape{});
                const Shape& own = n.shape();
                if (own.size() > shape.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
                for (std::size_t d = 0; d < own.size(); ++d) {
                  auto& extent = shape[shape.size() - own.size() + d];
                  if (extent == 1) extent = own[d];
                }
                n.put("shape", shape);
                n.keep_inputs(1);
              }}},
    .inputs = {in("X")},
    .attributes = {integers("shape").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto& wide = c.integers("shape");
      const auto& own = c.shape();
      for (std::size_t d = 0; d < own.size(); ++d)
        if (own.size() > wide.size() || (own[d] != 1 && own[d] != wide[wide.size() - own.size() + d]))
          c.refuse("shape", "a shape to which " + to_string(own) + " broadcasts", to_string(wide));
      return {{c.element(), wide}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("expand", [&](Formula& k) {
            const auto at = k.over(c.output().shape);
            const auto X = k.read(s.input(0));
            k.write(k.write_to(s.output()), at, aligned(X, at));
          });
        },
});

// --- space and depth -------------------------------------------------------------------------------------------------

OP({
    .name = "depth_to_space",
    .summary =
        "channels become blocks of pixels: Y[n, c, h*b+i, w*b+j] = X[n, (i*b+j)*C+c, h, w] (CRD: channel c*b*b+i*b+j)",
    .onnx = {{"DepthToSpace", 1}},
    .inputs = {in("X")},
    .attributes = {integer("blocksize").at_least(1), text("mode", {"DCR", "CRD"})},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank(0, 4);
      const auto b = c.integer("blocksize");
      if (c.dim(0, 1) % (b * b) != 0)
        c.refuse(0, fmt::format("a multiple of {} channels", b * b), std::to_string(c.dim(0, 1)));
      return {{c.element(), {c.dim(0, 0), c.dim(0, 1) / (b * b), c.dim(0, 2) * b, c.dim(0, 3) * b}}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto b = c.integer("blocksize"), channels = c.output().shape[1];
          s.kernel("depth_to_space", [&](Formula& k) {
            const auto n = k.parallel("n", c.dim(0, 0)), ch = k.parallel("c", channels);
            const auto h = k.parallel("h", c.dim(0, 2)), i = k.parallel("i", b);
            const auto w = k.parallel("w", c.dim(0, 3)), j = k.parallel("j", b);
            const auto block = mixed(i, b, j);
            const auto X = k.read(s.input(0));
            const auto from = c.text("mode") == "DCR" ? mixed(block, channels, ch) : mixed(ch, b * b, block);
            k.write(k.write_to(s.output()), {n, ch, mixed(h, b, i), mixed(w, b, j)}, X.at({n, from, h, w}));
          });
        },
});

OP({
    .name = "space_to_depth",
    .summary = "blocks of pixels become channels: Y[n, (i*b+j)*C+c, h, w] = X[n, c, h*b+i, w*b+j]",
    .onnx = {{"SpaceToDepth", 1}},
    .inputs = {in("X")},
    .attributes = {integer("blocksize").at_least(1)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank(0, 4);
      const auto b = c.integer("blocksize");
      for (const int d : {2, 3})
        if (c.dim(0, d) % b != 0)
          c.refuse(0, fmt::format("a multiple of {} on dimension {}", b, d), std::to_string(c.dim(0, d)));
      return {{c.element(), {c.dim(0, 0), c.dim(0, 1) * b * b, c.dim(0, 2) / b, c.dim(0, 3) / b}}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          const auto b = c.integer("blocksize"), channels = c.dim(0, 1);
          s.kernel("space_to_depth", [&](Formula& k) {
            const auto n = k.parallel("n", c.dim(0, 0)), i = k.parallel("i", b), j = k.parallel("j", b);
            const auto ch = k.parallel("c", channels), h = k.parallel("h", c.dim(0, 2) / b),
                       w = k.parallel("w", c.dim(0, 3) / b);
            const auto X = k.read(s.input(0));
            k.write(k.write_to(s.output()), {n, mixed(mixed(i, b, j), channels, ch), h, w},
                    X.at({n, ch, mixed(h, b, i), mixed(w, b, j)}));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
