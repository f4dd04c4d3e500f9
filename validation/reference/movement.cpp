// Operators that only move elements.
#include <algorithm>

#include "validation/reference/operator.hpp"

namespace pimento::reference {
namespace {

/// Y[position] = X[from(position)]; `from` may answer no, then Y keeps `otherwise`.
template <class F>
Value moved(const Call& c, double otherwise, F&& from) {
  Value y = c.output();
  const std::vector<std::int64_t> by = strides(c.shape());
  std::vector<std::int64_t> at(y.shape.size(), 0);
  std::vector<std::int64_t> source(c.rank(), 0);
  for (double& element : y.data) {
    element = from(at, source) ? c.in(0).data[static_cast<std::size_t>(flat(source, by))] : otherwise;
    advance(at, y.shape);
  }
  return y;
}
using Place = std::vector<std::int64_t>;

REFERENCE("reshape", [](const Call& c) {
  Value y{c.in(0).type, c.output().shape, c.in(0).data};
  return std::vector<Value>{y};
});
REFERENCE("transpose", [](const Call& c) {
  const ir::Shape perm = c.integers("perm");
  return std::vector<Value>{moved(c, 0, [&](const Place& at, Place& from) {
    for (std::size_t d = 0; d < at.size(); ++d) from[static_cast<std::size_t>(perm[d])] = at[d];
    return true;
  })};
});
REFERENCE("slice", [](const Call& c) {
  const ir::Shape begins = c.integers("begins");
  const ir::Shape steps = c.integers("steps");
  return std::vector<Value>{moved(c, 0, [&](const Place& at, Place& from) {
    for (std::size_t d = 0; d < at.size(); ++d) from[d] = begins[d] + at[d] * steps[d];
    return true;
  })};
});
REFERENCE("expand", [](const Call& c) {
  return std::vector<Value>{moved(c, 0, [&](const Place& at, Place& from) {
    for (std::size_t d = 0; d < from.size(); ++d) from[d] = c.shape()[d] == 1 ? 0 : at[at.size() - from.size() + d];
    return true;
  })};
});
REFERENCE("tile", [](const Call& c) {
  return std::vector<Value>{moved(c, 0, [&](const Place& at, Place& from) {
    for (std::size_t d = 0; d < at.size(); ++d) from[d] = at[d] % c.shape()[d];
    return true;
  })};
});

/// Where a padded position comes from: the elements go on as in a mirror, a plateau or a ring.
bool padded_source(const std::string& mode, std::int64_t extent, std::int64_t& at) {
  if (at >= 0 && at < extent) return true;
  if (mode == "constant") return false;
  if (mode == "edge") at = std::clamp<std::int64_t>(at, 0, extent - 1);
  if (mode == "wrap") at = (at % extent + extent) % extent;
  if (mode == "reflect" && extent == 1) at = 0;
  while (mode == "reflect" && (at < 0 || at >= extent)) at = at < 0 ? -at : 2 * (extent - 1) - at;
  return true;
}
REFERENCE("pad", [](const Call& c) {
  const ir::Shape pads = c.integers("pads");
  const std::string mode = c.text("mode", "constant");
  const double value = c.has(1) ? c.in(1).data[0] : c.real("value", 0);
  return std::vector<Value>{moved(c, value, [&](const Place& at, Place& from) {
    bool inside = true;
    for (std::size_t d = 0; d < at.size(); ++d) {
      from[d] = at[d] - pads[d];
      inside = padded_source(mode, c.shape()[d], from[d]) && inside;
    }
    return inside;
  })};
});

REFERENCE("depth_to_space", [](const Call& c) {
  const std::int64_t b = c.integer("blocksize");
  const std::int64_t channels = c.shape()[1] / (b * b);
  const bool depth_first = c.text("mode", "DCR") == "DCR";
  return std::vector<Value>{moved(c, 0, [&](const Place& at, Place& from) {
    const std::int64_t block = at[2] % b * b + at[3] % b;
    from = {at[0], depth_first ? block * channels + at[1] : at[1] * b * b + block, at[2] / b, at[3] / b};
    return true;
  })};
});
REFERENCE("space_to_depth", [](const Call& c) {
  const std::int64_t b = c.integer("blocksize");
  return std::vector<Value>{moved(c, 0, [&](const Place& at, Place& from) {
    const std::int64_t block = at[1] / c.shape()[1];
    from = {at[0], at[1] % c.shape()[1], at[2] * b + block / b, at[3] * b + block % b};
    return true;
  })};
});

// --- joining and splitting along an axis
// -------------------------------------------------------------------------------

struct Cut {
  std::int64_t outer = 1, inner = 1;
  Cut(const ir::Shape& shape, std::int64_t axis) {
    for (std::int64_t d = 0; d < axis; ++d) outer *= shape[static_cast<std::size_t>(d)];
    for (auto d = static_cast<std::size_t>(axis) + 1; d < shape.size(); ++d) inner *= shape[d];
  }
};
/// Copies a band of rows between a tensor that has `extent` of them and one that has `part`, starting at `begin`.
void copy_band(const Cut& cut, const double* from, std::int64_t from_extent, std::int64_t from_begin, double* to,
               std::int64_t to_extent, std::int64_t to_begin, std::int64_t rows) {
  for (std::int64_t o = 0; o < cut.outer; ++o)
    std::copy_n(from + (o * from_extent + from_begin) * cut.inner, rows * cut.inner,
                to + (o * to_extent + to_begin) * cut.inner);
}
REFERENCE("concat", [](const Call& c) {
  Value y = c.output();
  const std::int64_t axis = c.integer("axis");
  const auto a = static_cast<std::size_t>(axis);
  const Cut cut(y.shape, axis);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const std::int64_t rows = c.shape(i)[a];
    copy_band(cut, c.in(i).data.data(), rows, 0, y.data.data(), y.shape[a], begin, rows);
    begin += rows;
  }
  return std::vector<Value>{y};
});
REFERENCE("split", [](const Call& c) {
  const std::int64_t axis = c.integer("axis");
  const auto a = static_cast<std::size_t>(axis);
  const ir::Shape parts = c.integers("split");
  const Cut cut(c.shape(), axis);
  std::vector<Value> results;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < c.node.outputs.size(); ++i) {
    Value part = c.wants(i) ? c.output(i) : Value{};
    if (c.wants(i)) copy_band(cut, c.in(0).data.data(), c.shape()[a], begin, part.data.data(), parts[i], 0, parts[i]);
    results.push_back(std::move(part));
    begin += parts[i];
  }
  return results;
});

}  // namespace
}  // namespace pimento::reference
