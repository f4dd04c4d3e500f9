// Sampling an image at positions that data gives: a grid, or regions of interest. A sample is a weighted sum of the
// elements around its position.
#include <fmt/format.h>

#include "compiler/ops/window.hpp"

namespace pimento::ops {
namespace {

using ir::BinaryOp;
using ir::UnaryOp;

Expr number(double value) { return ir::constant(ElementType::f32, value); }
Expr compare(BinaryOp op, const Expr& a, const Expr& b) { return ir::binary(op, a, b); }
Expr floor_of(const Expr& e) { return ir::unary(UnaryOp::floor, e); }
Expr wide(const Expr& e) { return ir::cast(ElementType::f32, e); }
Expr whole(const Expr& e) { return ir::cast(ElementType::i64, e); }

// --- grid_sample -----------------------------------------------------------------------------------------------------

/// One direction of the image: how a grid coordinate in [-1, 1] finds its elements.
struct Direction {
  std::int64_t extent;
  bool aligned;  ///< -1 and 1 are the centres of the edge elements, else their outer borders
  std::string padding;

  double low() const { return aligned ? 0 : -0.5; }
  double high() const { return static_cast<double>(extent) - (aligned ? 1 : 0.5); }
  Expr source(const Expr& g) const {
    const auto size = static_cast<double>(extent);
    return aligned ? (g + 1.0) * ((size - 1) / 2) : ((g + 1.0) * size - 1.0) / 2.0;
  }
  /// Mirrors a position at `low` and `high` until it lies between them.
  Expr reflected(const Expr& x) const {
    const double span = high() - low();
    if (span <= 0) return number(low());
    const auto turn = ir::binary(BinaryOp::floor_mod, x - low(), number(2 * span));
    return ir::min(turn, 2 * span - turn) + low();
  }
  Expr inside(const Expr& x) const {
    if (padding == "border") return ir::min(ir::max(x, number(0)), number(static_cast<double>(extent - 1)));
    return padding == "reflection" ? reflected(x) : x;
  }
};

/// Keys' cubic with a = -0.75 at distance d, which lies in [0, 2].
Expr cubic(const Expr& d) {
  constexpr double a = -0.75;
  const auto near = ((a + 2) * d - (a + 3)) * d * d + 1.0;
  const auto far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return ir::select(compare(BinaryOp::le, d, number(1)), near, far);
}

void grid_sample_kernels(const Call& c, Sequence& s) {
  const auto mode = c.text("mode");
  const Direction rows{c.dim(0, 2), c.flag("align_corners"), c.text("padding_mode")};
  const Direction columns{c.dim(0, 3), c.flag("align_corners"), c.text("padding_mode")};
  const std::int64_t taps = mode == "linear" ? 2 : mode == "cubic" ? 4 : 1;
  s.kernel("grid_sample", [&](Formula& k) {
    const auto at = k.over(c.output().shape);
    const auto X = k.read(s.input(0)), G = k.read(s.input(1));
    Expr weight;
    const auto position = [&](const Direction& d, std::int64_t coordinate, const char* tap_name) {
      auto x = d.source(wide(G.at({at[0], at[2], at[3], ir::index(coordinate)})));
      if (mode == "nearest") x = ir::unary(UnaryOp::round, x);
      x = d.inside(x);
      if (taps == 1) return whole(d.inside(ir::unary(UnaryOp::round, x)));
      const auto tap = wide(shifted(k.reduction(tap_name, taps), 1 - taps / 2));
      const auto distance = ir::unary(UnaryOp::abs, x - floor_of(x) - tap);
      const auto w = mode == "cubic" ? cubic(distance) : 1.0 - distance;
      weight = weight ? weight * w : w;
      return whole(d.inside(floor_of(x) + tap));
    };
    const auto row = position(rows, 1, "ty"), column = position(columns, 0, "tx");
    const auto value = wide(X.at({at[0], at[1], row, column}, 0.0));
    const auto Y = k.write_to(s.output());
    k.write(Y, at, as(Y, weight ? k.sum(weight * value) : value));
  });
}

void normalise_grid_sample(OnnxNode& n) {
  const auto mode = n.take_text("mode", "bilinear");
  n.put("mode", std::string(mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode));
}

OP({
    .name = "grid_sample",
    .summary = "X sampled at the positions of the grid, whose coordinates in [-1, 1] are (x, y)",
    .onnx = {{"GridSample", 16, 0, normalise_grid_sample}},
    .inputs = {in("X", Types::real), in("grid", Types::real)},
    .attributes = {text("mode", {"linear", "nearest", "cubic"}),
                   text("padding_mode", {"zeros", "border", "reflection"}), flag("align_corners", false)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank(0, 4, "since images are sampled");
      c.require_rank(1, 4, "as X has");
      if (c.dim(1, 0) != c.dim(0, 0))
        c.refuse(1, fmt::format("{} samples, as X has", c.dim(0, 0)), std::to_string(c.dim(1, 0)));
      if (c.dim(1, 3) != 2) c.refuse(1, "2 coordinates", std::to_string(c.dim(1, 3)));
      return {{c.element(), {c.dim(0, 0), c.dim(0, 1), c.dim(1, 1), c.dim(1, 2)}}};
    },
    .kernels = grid_sample_kernels,
});

// --- roi_align -------------------------------------------------------------------------------------------------------

void roi_align_kernels(const Call& c, Sequence& s) {
  const auto scale = c.real("spatial_scale"), offset = c.flag("half_pixel") ? 0.5 : 0.0;
  const auto samples = c.integer("sampling_ratio");
  const bool mean = c.text("mode") == "avg";
  s.kernel("roi_align", [&](Formula& k) {
    const auto at = k.over(c.output().shape);  // region, channel, row, column
    const auto X = k.read(s.input(0)), rois = k.read(s.input(1)), batch = k.read(s.input(2));
    Expr weight;
    const auto position = [&](std::int64_t first, const Expr& cell, std::int64_t cells, std::int64_t extent,
                              const char* name) {
      const auto i = k.reduction(fmt::format("i{}", name), samples), tap = k.reduction(fmt::format("t{}", name), 2);
      const auto edge = [&](std::int64_t corner) { return wide(rois.at({at[0], ir::index(corner)})) * scale - offset; };
      const auto begin = edge(first);
      auto length = edge(first + 2) - begin;
      if (!c.flag("half_pixel")) length = ir::max(length, number(1));  // the old form never lets a region vanish
      const auto bin = length / static_cast<double>(cells);
      const auto x = begin + wide(cell) * bin + (wide(i) + 0.5) * bin / static_cast<double>(samples);
      const auto last = static_cast<double>(extent - 1);
      const auto clamped = ir::min(ir::max(x, number(0)), number(last));
      const auto distance = ir::unary(UnaryOp::abs, clamped - floor_of(clamped) - wide(tap));
      const auto far = ir::binary(BinaryOp::bit_or, compare(BinaryOp::lt, x, number(-1)),
                                  compare(BinaryOp::gt, x, number(last + 1)));
      const auto w = ir::select(far, number(0), 1.0 - distance);
      weight = weight ? weight * w : w;
      return whole(ir::min(floor_of(clamped) + wide(tap), number(last)));
    };
    const auto row = position(1, at[2], c.integer("output_height"), c.dim(0, 2), "y");
    const auto column = position(0, at[3], c.integer("output_width"), c.dim(0, 3), "x");
    const auto value = weight * wide(X.at({whole(batch.at({at[0]})), at[1], row, column}));
    const auto result = mean ? k.sum(value) / static_cast<double>(samples * samples) : k.maximum(value);
    const auto Y = k.write_to(s.output());
    k.write(Y, at, as(Y, result));
  });
}

void normalise_roi_align(OnnxNode& n) {
  const auto fallback = n.opset() >= 16 ? "half_pixel" : "output_half_pixel";
  n.put("half_pixel", std::int64_t{n.take_text("coordinate_transformation_mode", fallback) == "half_pixel"});
  if (!n.given("sampling_ratio") || n.integer("sampling_ratio") <= 0)
    n.refuse("sampling_ratio", "1 or more, since with 0 the number of samples depends on data", "0");
}

OP({
    .name = "roi_align",
    .summary = "each cell of each region: mean (or maximum) of samples between the elements of X",
    .onnx = {{"RoiAlign", 10, 0, normalise_roi_align}},
    .inputs = {in("X", Types::real), like("rois"), in("batch_indices", Types::index)},
    .attributes = {integer("output_height", 1).at_least(1), integer("output_width", 1).at_least(1),
                   integer("sampling_ratio").at_least(1), real("spatial_scale", 1), text("mode", {"avg", "max"}),
                   flag("half_pixel", true)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank(0, 4);
      c.require_rank(1, 2);
      if (c.dim(1, 1) != 4) c.refuse(1, "4 coordinates per region", std::to_string(c.dim(1, 1)));
      if (c.shape(2) != Shape{c.dim(1, 0)}) c.refuse(2, fmt::format("shape [{}]", c.dim(1, 0)), to_string(c.shape(2)));
      return {{c.element(), {c.dim(1, 0), c.dim(0, 1), c.integer("output_height"), c.integer("output_width")}}};
    },
    .kernels = roi_align_kernels,
});

// --- max_roi_pool ----------------------------------------------------------------------------------------------------

void max_roi_pool_kernels(const Call& c, Sequence& s) {
  const auto& cells = c.integers("pooled_shape");
  const auto scale = c.real("spatial_scale");
  s.kernel("max_roi_pool", [&](Formula& k) {
    const auto at = k.over(c.output().shape);
    const auto h = k.reduction("h", c.dim(0, 2)), w = k.reduction("w", c.dim(0, 3));
    const auto X = k.read(s.input(0)), rois = k.read(s.input(1));
    const auto roi = [&](std::int64_t i) { return wide(rois.at({at[0], ir::index(i)})); };
    // Element x lies in cell `cell` of the region from corner `first` on; cells overlap where they share elements.
    const auto lies_in = [&](const Expr& x, const Expr& cell, std::int64_t first, std::int64_t count) {
      const auto begin = ir::unary(UnaryOp::round, roi(first) * scale),
                 end = ir::unary(UnaryOp::round, roi(first + 2) * scale);
      const auto bin = ir::max(end - begin + 1.0, number(1)) / static_cast<double>(count);
      const auto from = begin + floor_of(wide(cell) * bin),
                 to = begin + ir::unary(UnaryOp::ceil, (wide(cell) + 1.0) * bin);
      return ir::binary(BinaryOp::bit_and, compare(BinaryOp::ge, wide(x), from), compare(BinaryOp::lt, wide(x), to));
    };
    const auto here = ir::binary(BinaryOp::bit_and, lies_in(h, at[2], 2, cells[0]), lies_in(w, at[3], 1, cells[1]));
    const auto best = k.maximum(X.at({whole(roi(0)), at[1], h, w}), here);
    const auto Y = k.write_to(s.output());
    const auto nothing = ir::constant(best.type(), lowest(best.type()));
    k.write(
        Y, at,
        ir::select(compare(BinaryOp::eq, best, nothing), ir::constant(best.type(), 0), best));  // an empty cell is 0
  });
}

OP({
    .name = "max_roi_pool",
    .summary = "largest element of each cell of each region",
    .onnx = {{"MaxRoiPool", 1}},
    .inputs = {in("X", Types::real), like("rois")},
    .attributes = {integers("pooled_shape").at_least(1), real("spatial_scale", 1)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      c.require_rank(0, 4);
      c.require_rank(1, 2);
      if (c.dim(1, 1) != 5) c.refuse(1, "5 numbers per region", std::to_string(c.dim(1, 1)));
      const auto& cells = c.integers("pooled_shape");
      if (cells.size() != 2) c.refuse("pooled_shape", "2 extents", to_string(cells));
      return {{c.element(), {c.dim(1, 0), c.dim(0, 1), cells[0], cells[1]}}};
    },
    .kernels = max_roi_pool_kernels,
});

// --- max_unpool ------------------------------------------------------------------------------------------------------

void normalise_max_unpool(OnnxNode& n) {
  const auto kernel = n.take_integers("kernel_shape");
  if (!kernel) n.refuse("kernel_shape", "one extent per spatial dimension", "none");
  const auto rank = kernel->size();
  n.require_rank(0, static_cast<int>(rank) + 2);
  const auto strides = n.take_integers("strides").value_or(Shape(rank, 1));
  const auto pads = n.take_integers("pads").value_or(Shape(2 * rank, 0));
  if (strides.size() != rank || pads.size() != 2 * rank)
    n.refuse(fmt::format("{} strides and {} pads", rank, 2 * rank), "others");
  auto pooled = n.shape();  // the tensor that was pooled, whose positions the indices are
  for (std::size_t d = 0; d < rank; ++d)
    pooled[2 + d] = (pooled[2 + d] - 1) * strides[d] + (*kernel)[d] - pads[d] - pads[rank + d];
  n.put("pooled_shape", pooled);
  n.put("shape", n.known_integers(2).value_or(pooled));
  n.keep_inputs(2);
}

OP({
    .name = "max_unpool",
    .summary = "zeros with the elements of X at the positions that Indices of max_pool give",
    .onnx = {{"MaxUnpool", 9, 0, normalise_max_unpool}},
    .inputs = {in("X", Types::real), in("indices", Types::index)},
    .attributes = {integers("shape").at_least(0), integers("pooled_shape").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      if (c.shape(1) != c.shape(0)) c.refuse(1, "shape " + to_string(c.shape(0)) + ", as X has", to_string(c.shape(1)));
      for (const char* name : {"shape", "pooled_shape"})
        if (c.integers(name).size() != c.shape().size())
          c.refuse(name, fmt::format("{} extents", c.rank()), to_string(c.integers(name)));
      return {{c.element(), c.integers("shape")}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("max_unpool", [&](Formula& k) {
            const auto at = k.over(c.shape());
            const auto X = k.read(s.input(0)), indices = k.read(s.input(1));
            // Positions count through the pooled tensor; its coordinates are those of the result.
            const auto strides = ir::row_major_strides(c.integers("pooled_shape"));
            auto rest = whole(indices.at(at));
            Axes to;
            for (const auto stride : strides) {
              to.push_back(stride == 1 ? rest : ir::floor_div(rest, stride));
              if (stride != 1) rest = ir::floor_mod(rest, stride);
            }
            k.write(k.write_to(s.output()), to, X.at(at));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
