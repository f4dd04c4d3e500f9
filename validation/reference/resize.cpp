// Resize from ONNX's specification, one dimension after the other: each is resampled on its own.
#include <algorithm>
#include <cmath>

#include "validation/reference/operator.hpp"

namespace pimento::reference {
namespace {

struct Line {
  std::int64_t in = 1, out = 1;
  double scale = 1, roi_start = 0, roi_end = 1;
  double length() const { return scale * static_cast<double>(in); }
};

/// The specification's table of coordinate_transformation_mode.
double original(const Call& c, const Line& line, std::int64_t o) {
  const std::string mode = c.text("coordinates");
  const auto x = static_cast<double>(o);
  const auto in = static_cast<double>(line.in);
  if (mode == "half_pixel") return (x + 0.5) / line.scale - 0.5;
  if (mode == "asymmetric") return x / line.scale;
  if (mode == "align_corners") return line.out == 1 ? 0 : x * (in - 1) / (line.length() - 1);
  if (mode == "pytorch_half_pixel") return line.out > 1 ? (x + 0.5) / line.scale - 0.5 : 0;
  if (mode == "tf_crop_and_resize")
    return line.out > 1
               ? line.roi_start * (in - 1) + x * (line.roi_end - line.roi_start) * (in - 1) / (line.length() - 1)
               : 0.5 * (line.roi_start + line.roi_end) * (in - 1);
  c.refuse("no reference for coordinate_transformation_mode '" + mode + "'");
}

std::int64_t nearest(const Call& c, double x) {
  const std::string mode = c.text("nearest");
  if (mode == "floor") return static_cast<std::int64_t>(std::floor(x));
  if (mode == "ceil") return static_cast<std::int64_t>(std::ceil(x));
  if (mode == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(x + 0.5));
  return static_cast<std::int64_t>(std::ceil(x - 0.5));  // round_prefer_floor
}

/// Weights of the elements around x, the first of which stands at `first`.
std::vector<double> weights(const Call& c, const Line& line, double x, std::int64_t& first) {
  const double s = x - std::floor(x);
  std::vector<double> w;
  if (c.text("mode") == "linear") {
    first = static_cast<std::int64_t>(std::floor(x));
    w = {1 - s, s};
  } else {
    first = static_cast<std::int64_t>(std::floor(x)) - 1;
    const double a = c.real("cubic_coeff_a", -0.75);
    const auto far = [&](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
    const auto near = [&](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
    w = {far(1 + s), near(s), near(1 - s), far(2 - s)};
  }
  if (c.integer("exclude_outside") == 0) return w;
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    if (at < 0 || at >= line.in) w[i] = 0;
    sum += w[i];
  }
  for (double& each : w) each /= sum;
  return w;
}

/// Resamples dimension d of `x`; what a crop takes from beyond the input is `extrapolation`.
Value resample(const Call& c, const Value& x, std::size_t d, const Line& line, double extrapolation) {
  Value y{x.type, x.shape, {}};
  y.shape[d] = line.out;
  std::int64_t inner = 1;
  for (std::size_t i = d + 1; i < x.shape.size(); ++i) inner *= x.shape[i];
  const std::int64_t outer = count(x.shape) / (inner * line.in);
  y.data.resize(static_cast<std::size_t>(count(y.shape)));
  const bool crops = c.text("coordinates") == "tf_crop_and_resize";
  for (std::int64_t o = 0; o < line.out; ++o) {
    const double at = original(c, line, o);
    const bool beyond = crops && (at < 0 || at > static_cast<double>(line.in - 1));
    std::int64_t first = 0;
    std::vector<double> w{1};
    if (c.text("mode") == "nearest")
      first = nearest(c, at);
    else
      w = weights(c, line, at, first);
    for (std::int64_t a = 0; a < outer; ++a)
      for (std::int64_t b = 0; b < inner; ++b) {
        double sum = 0;
        for (std::size_t t = 0; t < w.size(); ++t) {
          const std::int64_t from = std::clamp<std::int64_t>(first + static_cast<std::int64_t>(t), 0, line.in - 1);
          sum += w[t] * x.data[static_cast<std::size_t>((a * line.in + from) * inner + b)];
        }
        y.data[static_cast<std::size_t>((a * line.out + o) * inner + b)] = beyond ? extrapolation : sum;
      }
  }
  return y;
}

std::vector<Value> resize(const Call& c) {
  if (c.integer("antialias") != 0) c.refuse("no reference for antialias");
  if (!is_float(c.in(0).type) && c.text("mode") != "nearest") c.refuse("no reference for weighted sums of integers");
  Value y = c.in(0);
  const ir::Shape sizes = c.integers("sizes");
  const std::vector<double> scales = ir::reals_attribute(c.node, "scales", {});
  const bool crops = c.text("coordinates") == "tf_crop_and_resize";
  const std::vector<double> begins = ir::reals_attribute(c.node, "crop_begins", {});
  const std::vector<double> ends = ir::reals_attribute(c.node, "crop_ends", {});
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == y.shape[d] && scales[d] == 1 && !crops) continue;
    Line line{y.shape[d], sizes[d], scales[d]};
    if (crops) line.roi_start = begins[d], line.roi_end = ends[d];
    y = resample(c, y, d, line, c.real("extrapolation_value"));
  }
  return {y};
}

REFERENCE("resize", resize);

}  // namespace
}  // namespace pimento::reference
