// Resizing: every output coordinate takes a few input elements ("taps") with weights; both are tables per dimension, so
// all modes are one kernel: Y[o] = sum over taps of the product of the weights * X[the taps' positions].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

// --- one form --------------------------------------------------------------------------------------------------------

/// Values for `axes` spread over all dimensions.
template <class T>
std::vector<T> spread(const std::vector<T>& some, const std::vector<std::int64_t>& axes, std::vector<T> all) {
  for (std::size_t i = 0; i < axes.size(); ++i) all[static_cast<std::size_t>(axes[i])] = some[i];
  return all;
}

/// Beyond any memory, and small enough that products with it stay exact.
constexpr double longest = 1099511627776.0;  // 2^40

std::int64_t extent(const OnnxNode& n, double length) {
  if (!(length < longest))
    n.refuse("sizes", fmt::format("extents below {:.0f}", longest), fmt::format("{:.6g}", length));
  return static_cast<std::int64_t>(std::floor(length));
}
/// A coordinate as an integer; one that is far outside (or no number) is just as far outside at the limit.
std::int64_t whole(double x) {
  return std::isnan(x) ? 0 : static_cast<std::int64_t>(std::clamp(std::floor(x), -longest, longest));
}

void put_scales(OnnxNode& n, const std::vector<double>& scales) {
  if (static_cast<int>(scales.size()) != n.rank())
    n.refuse("scales", fmt::format("{} values", n.rank()), std::to_string(scales.size()));
  Shape sizes;
  for (std::size_t d = 0; d < scales.size(); ++d) {
    if (!(scales[d] > 0)) n.refuse("scales", "scales above 0", fmt::format("{}", scales[d]));
    if (!(scales[d] > 1 / longest))
      n.refuse("scales", fmt::format("scales above {:.6g}", 1 / longest), fmt::format("{}", scales[d]));
    // Scales are f32 in ONNX: the product is rounded to f32 first, so that 5 * 0.6 is 3.
    const float length = static_cast<float>(n.shape()[d]) * static_cast<float>(scales[d]);
    sizes.push_back(extent(n, static_cast<double>(length)));
  }
  n.put("scales", scales);
  n.put("sizes", sizes);
}

/// Upsample, and Resize before opset 11.
void normalise_upsample(OnnxNode& n) {
  auto scales = n.take_reals("scales");
  if (!scales && n.has(1)) scales = n.known_reals(1);
  if (!scales && n.given("height_scale"))
    scales = std::vector<double>{1, 1, n.take_real("height_scale", 1), n.take_real("width_scale", 1)};
  if (!scales) n.refuse("scales", "one scale per dimension", "none");
  if (n.given("mode") && n.text("mode") == "bilinear") n.put("mode", std::string("linear"));
  n.keep_inputs(1);
  put_scales(n, *scales);
  n.put("coordinates", std::string("asymmetric"));
  n.put("nearest", std::string("floor"));
  n.node().op = "resize";
}

void put_sizes(OnnxNode& n, Shape sizes, const std::vector<std::int64_t>& axes, const std::string& policy) {
  std::vector<double> scales;
  for (std::size_t i = 0; i < axes.size(); ++i)
    scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(n.shape()[static_cast<std::size_t>(axes[i])]));
  if (policy != "stretch") {
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    const double scale = policy == "not_larger" ? *least : *most;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      sizes[i] = extent(n, scale * static_cast<double>(n.shape()[static_cast<std::size_t>(axes[i])]) + 0.5);
      scales[i] = scale;
    }
  }
  n.put("sizes", spread(sizes, axes, n.shape()));
  n.put("scales", spread(scales, axes, std::vector<double>(n.shape().size(), 1)));
}

void normalise_resize(OnnxNode& n) {
  if (n.opset() < 11) return normalise_upsample(n);
  const auto rank = n.shape().size();
  std::vector<std::int64_t> axes(rank);
  for (std::size_t d = 0; d < rank; ++d) axes[d] = static_cast<std::int64_t>(d);
  if (const auto some = n.take_integers("axes")) axes = n.positive_axes(*some, n.rank(), "axes");
  const auto coordinates = n.take_text("coordinate_transformation_mode", "half_pixel");
  const auto policy = n.take_text("keep_aspect_ratio_policy", "stretch");
  const auto scales = n.known_reals(2);
  const auto sizes = n.known_integers(3);
  if (coordinates == "tf_crop_and_resize") {
    const auto roi = n.known_reals(1);
    if (!roi || roi->size() != 2 * axes.size())
      n.refuse(1, fmt::format("{} values", 2 * axes.size()), "another number");
    const auto half = roi->begin() + static_cast<std::ptrdiff_t>(axes.size());
    n.put("crop_begins", spread({roi->begin(), half}, axes, std::vector<double>(rank, 0)));
    n.put("crop_ends", spread({half, roi->end()}, axes, std::vector<double>(rank, 1)));
  }
  if (sizes && !sizes->empty()) {
    if (sizes->size() != axes.size()) n.refuse(3, fmt::format("{} sizes", axes.size()), to_string(*sizes));
    put_sizes(n, *sizes, axes, policy);
  } else if (scales && !scales->empty()) {
    if (scales->size() != axes.size())
      n.refuse(2, fmt::format("{} scales", axes.size()), std::to_string(scales->size()));
    put_scales(n, spread(*scales, axes, std::vector<double>(rank, 1)));
  } else {
    n.refuse("scales or sizes", "none");
  }
  n.put("coordinates", coordinates);
  n.put("nearest", n.take_text("nearest_mode", "round_prefer_floor"));
  n.keep_inputs(1);
}

// --- tables ----------------------------------------------------------------------------------------------------------

/// What one dimension of the output takes from the input.
struct Taps {
  std::int64_t count = 1;              ///< taps per output coordinate
  std::vector<std::int64_t> position;  ///< [output coordinate * count + tap]
  std::vector<double> weight;          ///< the same; empty: every weight is 1
  std::vector<std::int64_t> inside;    ///< per output coordinate: 0 where the crop reaches beyond the input
};

struct Dimension {
  std::int64_t in, out;
  double scale, crop_begin, crop_end;
};

double source_of(const std::string& mode, const Dimension& d, std::int64_t o) {
  const auto at = static_cast<double>(o), in = static_cast<double>(d.in);
  const double length = d.scale * in;  // not rounded: ONNX computes with the length that the scale asks for
  if (mode == "asymmetric") return at / d.scale;
  if (mode == "align_corners") return d.out == 1 ? 0 : at * (in - 1) / (length - 1);
  if (mode == "pytorch_half_pixel") return d.out == 1 ? 0 : (at + 0.5) / d.scale - 0.5;
  if (mode == "tf_half_pixel_for_nn") return (at + 0.5) / d.scale;
  if (mode == "tf_crop_and_resize")
    return d.out > 1 ? d.crop_begin * (in - 1) + at * (d.crop_end - d.crop_begin) * (in - 1) / (length - 1)
                     : 0.5 * (d.crop_begin + d.crop_end) * (in - 1);
  if (mode == "half_pixel_symmetric")
    return in / 2 * (1 - static_cast<double>(d.out) / length) + (at + 0.5) / d.scale - 0.5;
  return (at + 0.5) / d.scale - 0.5;
}

std::int64_t nearest_to(const std::string& mode, double x) {
  const double below = std::floor(x), part = x - below;
  bool up = part > 0.5;
  if (mode == "round_prefer_ceil") up = part >= 0.5;
  if (mode == "floor") up = false;
  if (mode == "ceil") up = part > 0;
  return whole(below) + (up ? 1 : 0);
}

/// Weight of an element at distance x: a triangle, or Keys' cubic with parameter a.
double triangle(double x) { return std::max(0.0, 1 - std::fabs(x)); }
double cubic(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  if (x < 2) return a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a;
  return 0;
}

Taps taps_of(const Call& c, const Dimension& d) {
  const auto& mode = c.text("mode");
  const auto& coordinates = c.text("coordinates");
  const bool is_cubic = mode == "cubic", outside_is_excluded = c.flag("exclude_outside");
  // Antialiasing widens the filter when it shrinks the image.
  const double squeeze = c.flag("antialias") ? std::min(d.scale, 1.0) : 1.0;
  const std::int64_t first = whole(-(is_cubic ? 2 : 1) / squeeze) + 1;
  Taps taps;
  taps.count = mode == "nearest" ? 1 : 2 - 2 * first;
  for (std::int64_t o = 0; o < d.out; ++o) {
    const double x = source_of(coordinates, d, o);
    taps.inside.push_back(x >= 0 && x <= static_cast<double>(d.in - 1) ? 1 : 0);
    if (mode == "nearest") {
      taps.position.push_back(std::clamp<std::int64_t>(nearest_to(c.text("nearest"), x), 0, d.in - 1));
      continue;
    }
    const double below = std::floor(x), part = x - below;
    std::vector<double> weights;
    double total = 0;
    for (std::int64_t t = 0; t < taps.count; ++t) {
      const std::int64_t at = whole(below) + first + t;
      const double distance = (static_cast<double>(first + t) - part) * squeeze;
      double weight = is_cubic ? cubic(distance, c.real("cubic_coeff_a")) : triangle(distance);
      if (outside_is_excluded && (at < 0 || at >= d.in)) weight = 0;
      taps.position.push_back(std::clamp<std::int64_t>(at, 0, d.in - 1));
      weights.push_back(weight);
      total += weight;
    }
    const bool scales_to_one = outside_is_excluded || squeeze < 1;
    for (const double weight : weights) taps.weight.push_back(scales_to_one ? weight / total : weight);
  }
  return taps;
}

void resize_kernels(const Call& c, Sequence& s) {
  const auto& sizes = c.integers("sizes");
  const auto& scales = c.reals("scales");
  const bool crops = c.text("coordinates") == "tf_crop_and_resize";
  s.kernel("resize", [&](Formula& k) {
    const auto at = k.over(sizes);
    const auto X = k.read(s.input(0));
    Axes from = at;
    Expr weight, inside;
    bool reduces = false;
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (sizes[d] == c.shape()[d] && scales[d] == 1 && !crops) continue;
      const auto taps = taps_of(c, {c.shape()[d], sizes[d], scales[d], crops ? c.reals("crop_begins")[d] : 0,
                                    crops ? c.reals("crop_ends")[d] : 1});
      auto tap = at[d];
      if (taps.count > 1) {
        tap = mixed(at[d], taps.count, k.reduction(fmt::format("t{}", d), taps.count));
        const auto w = by_table(taps.weight, tap);
        weight = weight ? weight * w : w;
        reduces = true;
      }
      from[d] = by_table(taps.position, tap);
      if (crops) {
        const auto here = ir::binary(ir::BinaryOp::eq, by_table(taps.inside, at[d]), ir::index(1));
        inside = inside ? ir::binary(ir::BinaryOp::bit_and, inside, here) : here;
      }
    }
    const auto Y = k.write_to(s.output());
    auto value = X.at(from);
    if (reduces) value = as(Y, k.sum(weight * ir::cast(ElementType::f32, value)));
    if (inside) value = ir::select(inside, value, ir::constant(value.type(), c.real("extrapolation_value")));
    k.write(Y, at, value);
  });
}

OP({
    .name = "resize",
    .summary = "X at another size: each output element is a weighted sum of the input elements around its source",
    .onnx = {{"Resize", 10, 0, normalise_resize}, {"Upsample", 1, 9, normalise_upsample}},
    .inputs = {in("X", Types::numeric)},
    .attributes = {integers("sizes").at_least(0), reals("scales"), text("mode", {"nearest", "linear", "cubic"}),
                   text("coordinates", {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                                        "tf_half_pixel_for_nn", "tf_crop_and_resize", "half_pixel_symmetric"}),
                   text("nearest", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}),
                   real("cubic_coeff_a", -0.75), flag("exclude_outside", false), flag("antialias", false),
                   real("extrapolation_value", 0), reals("crop_begins").maybe(), reals("crop_ends").maybe()},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const auto& sizes = c.integers("sizes");
      if (sizes.size() != c.shape().size()) c.refuse("sizes", fmt::format("{} values", c.rank()), to_string(sizes));
      if (c.reals("scales").size() != sizes.size())
        c.refuse("scales", fmt::format("{} values", c.rank()), std::to_string(c.reals("scales").size()));
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (c.shape()[d] == 0 && sizes[d] > 0) c.refuse(0, fmt::format("elements on dimension {}", d), "none");
        if (sizes[d] != c.shape()[d]) require_table(c, static_cast<double>(std::max(c.shape()[d], sizes[d])));
      }
      return {{c.element(), sizes}};
    },
    .kernels = resize_kernels,
});

}  // namespace
}  // namespace pimento::ops
