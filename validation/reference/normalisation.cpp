// Normalisations and softmax: statistics of sets of elements, applied to those elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/reference/slices.hpp"

namespace pimento::reference {
namespace {

struct Moments {
  double mean = 0, variance = 0;
};
Moments moments(const std::vector<double>& x, const std::vector<std::size_t>& set) {
  Moments m;
  for (const std::size_t i : set) m.mean += x[i];
  m.mean /= static_cast<double>(set.size());
  for (const std::size_t i : set) m.variance += (x[i] - m.mean) * (x[i] - m.mean);
  m.variance /= static_cast<double>(set.size());
  return m;
}

std::vector<Value> batch_norm(const Call& c) {
  Value y = c.output();
  const std::int64_t channels = c.rank() > 1 ? c.shape()[1] : 1;
  const std::int64_t plane = count(c.shape()) / (c.shape()[0] * channels);
  for (std::size_t i = 0; i < y.data.size(); ++i) {
    const auto ch = static_cast<std::size_t>(static_cast<std::int64_t>(i) / plane % channels);
    y.data[i] = (c.in(0).data[i] - c.in(3).data[ch]) / std::sqrt(c.in(4).data[ch] + c.real("epsilon", 1e-5)) *
                    c.in(1).data[ch] +
                c.in(2).data[ch];
  }
  return {y};
}

/// Statistics over `set`s of positions; scale and shift by channel (dimension 1).
std::vector<Value> by_channel(const Call& c, const std::vector<std::vector<std::size_t>>& sets) {
  Value y = c.output();
  const std::int64_t channels = c.shape()[1];
  const std::int64_t plane = count(c.shape()) / (c.shape()[0] * channels);
  for (const std::vector<std::size_t>& set : sets) {
    const Moments m = moments(c.in(0).data, set);
    for (const std::size_t i : set) {
      const auto ch = static_cast<std::size_t>(static_cast<std::int64_t>(i) / plane % channels);
      const double z = (c.in(0).data[i] - m.mean) / std::sqrt(m.variance + c.real("epsilon", 1e-5));
      y.data[i] = z * c.in(1).data[ch] + c.in(2).data[ch];
    }
  }
  return {y};
}
std::vector<Value> group_norm(const Call& c) {
  const std::int64_t groups = c.integer("num_groups");
  const ir::Shape grouped{c.shape()[0], groups, count(c.shape()) / (c.shape()[0] * groups)};
  return by_channel(c, slices(grouped, {2}));
}

std::vector<Value> layer_norm(const Call& c) {
  Value y = c.output();
  std::vector<Value> results(3);
  for (const std::size_t o : {1U, 2U})
    if (c.wants(o)) results[o] = c.output(o);
  const std::vector<std::int64_t> scale = broadcast_strides(c.shape(1), y.shape);
  const std::vector<std::int64_t> shift =
      c.has(2) ? broadcast_strides(c.shape(2), y.shape) : std::vector<std::int64_t>(y.shape.size(), 0);
  const auto sets = slices(y.shape, axes_from(c.integer("axis"), y.shape.size()));
  std::vector<Moments> statistics(y.data.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Moments m = moments(c.in(0).data, sets[s]);
    for (const std::size_t i : sets[s]) statistics[i] = m;
    if (c.wants(1)) results[1].data[s] = m.mean;
    if (c.wants(2)) results[2].data[s] = 1 / std::sqrt(m.variance + c.real("epsilon", 1e-5));
  }
  std::vector<std::int64_t> at(y.shape.size(), 0);
  for (std::size_t i = 0; i < y.data.size(); ++i, advance(at, y.shape)) {
    const double z =
        (c.in(0).data[i] - statistics[i].mean) / std::sqrt(statistics[i].variance + c.real("epsilon", 1e-5));
    y.data[i] = z * c.in(1).data[static_cast<std::size_t>(flat(at, scale))] +
                (c.has(2) ? c.in(2).data[static_cast<std::size_t>(flat(at, shift))] : 0);
  }
  results[0] = std::move(y);
  return results;
}

std::vector<Value> mean_variance_norm(const Call& c) {
  Value y = c.output();
  for (const auto& set : slices(y.shape, c.integers("axes"))) {
    const Moments m = moments(c.in(0).data, set);
    for (const std::size_t i : set) y.data[i] = (c.in(0).data[i] - m.mean) / (std::sqrt(m.variance) + 1e-9);
  }
  return {y};
}

/// X / (bias + alpha / size * sum of squares over the channels from floor((size-1)/2) below to ceil((size-1)/2) above).
std::vector<Value> lrn(const Call& c) {
  Value y = c.output();
  const std::int64_t size = c.integer("size");
  const std::int64_t channels = c.shape()[1];
  const std::int64_t plane = count(c.shape()) / (c.shape()[0] * channels);
  for (std::int64_t n = 0; n < c.shape()[0]; ++n) {
    for (std::int64_t ch = 0; ch < channels; ++ch) {
      for (std::int64_t p = 0; p < plane; ++p) {
        const auto position = [&](std::int64_t k) { return static_cast<std::size_t>((n * channels + k) * plane + p); };
        double squares = 0;
        for (std::int64_t k = std::max<std::int64_t>(0, ch - (size - 1) / 2);
             k <= std::min(channels - 1, ch + size / 2); ++k)
          squares += c.in(0).data[position(k)] * c.in(0).data[position(k)];
        const double base = c.real("bias", 1) + c.real("alpha", 1e-4) / static_cast<double>(size) * squares;
        y.data[position(ch)] = c.in(0).data[position(ch)] / std::pow(base, c.real("beta", 0.75));
      }
    }
  }
  return {y};
}

// --- softmax and its kin ---------------------------------------------------------------------------------------------

struct Exponentials {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  std::size_t first = 0;  ///< position of the first largest
};
Exponentials exponentials(const std::vector<double>& x, const std::vector<std::size_t>& set) {
  Exponentials e;
  for (const std::size_t i : set) {
    if (!(x[i] > e.top)) continue;
    e.top = x[i];
    e.first = i;
  }
  for (const std::size_t i : set) e.sum += std::exp(x[i] - e.top);
  return e;
}
template <class F>
std::vector<Value> over_axes(const Call& c, F&& f) {
  Value y = c.output();
  for (const auto& set : slices(y.shape, c.integers("axes"))) {
    const Exponentials e = exponentials(c.in(0).data, set);
    for (const std::size_t i : set) y.data[i] = f(i, c.in(0).data[i], e);
  }
  return {y};
}

REFERENCE("batch_norm", batch_norm);
REFERENCE("instance_norm", [](const Call& c) { return by_channel(c, slices(c.shape(), axes_from(2, c.rank()))); });
REFERENCE("group_norm", group_norm);
REFERENCE("layer_norm", layer_norm);
REFERENCE("mean_variance_norm", mean_variance_norm);
REFERENCE("lrn", lrn);
REFERENCE("softmax", [](const Call& c) {
  return over_axes(c, [](std::size_t, double x, const Exponentials& e) { return std::exp(x - e.top) / e.sum; });
});
REFERENCE("log_softmax", [](const Call& c) {
  return over_axes(c, [](std::size_t, double x, const Exponentials& e) { return x - e.top - std::log(e.sum); });
});
REFERENCE("hardmax", [](const Call& c) {
  return over_axes(c, [](std::size_t i, double, const Exponentials& e) { return i == e.first ? 1.0 : 0.0; });
});

}  // namespace
}  // namespace pimento::reference
