#include "compiler/drivers/pim/spatial/layout.hpp"
#include "compiler/drivers/pim/spatial/union_find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "isa/support/error.hpp"

namespace pimento::pim {

std::string to_string(const PBox& b) {
  return fmt::format("[r {}:{}, p {}:{}, c {}:{}]", b.r0, b.r1, b.p0, b.p1, b.c0, b.c1);
}

Layout make_layout(const ir::Shape& shape, std::vector<std::int32_t> order) {
  PIMENTO_CHECK(order.size() == shape.size(), "a layout orders every dimension once");
  Layout layout;
  layout.order = std::move(order);
  std::int64_t rows = 1;
  const std::size_t rank = shape.size();
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t extent = shape[static_cast<std::size_t>(layout.order[i])];
    if (i + 1 == rank)
      layout.channels = static_cast<std::int32_t>(extent);
    else if (i + 2 == rank)
      layout.positions = static_cast<std::int32_t>(extent);
    else
      rows *= extent;
  }
  layout.rows = static_cast<std::int32_t>(rows);
  return layout;
}

PBox to_physical(const Layout& layout, const ir::Shape& shape,
                 const std::vector<std::pair<std::int64_t, std::int64_t>>& box) {
  PBox result{0, 1, 0, 1, 0, 1};
  const std::size_t rank = shape.size();
  std::int64_t first = 0;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto d = static_cast<std::size_t>(layout.order[i]);
    const auto begin = static_cast<std::int32_t>(box[d].first);
    const auto end = static_cast<std::int32_t>(box[d].second);
    if (i + 1 == rank) {
      result.c0 = begin;
      result.c1 = end;
    } else if (i + 2 == rank) {
      result.p0 = begin;
      result.p1 = end;
    } else {
      first = first * shape[d] + begin;
      last = last * shape[d] + end - 1;
    }
  }
  result.r0 = static_cast<std::int32_t>(first);
  result.r1 = static_cast<std::int32_t>(last) + 1;
  return result;
}

bool renames_only(const ir::Node& node) {
  static constexpr std::array<std::string_view, 6> names{"reshape",   "flatten",  "squeeze",
                                                         "unsqueeze", "identity", "dropout"};
  return std::find(names.begin(), names.end(), node.op) != names.end();
}

namespace {
/// Operators whose operands are images: dimension 1 is the channel.
bool sees_images(const ir::Node& node) {
  static constexpr std::array<std::string_view, 15> names{
      "conv",       "conv_transpose",      "max_pool",        "average_pool",
      "lp_pool",    "global_average_pool", "global_max_pool", "global_lp_pool",
      "batch_norm", "instance_norm",       "group_norm",      "lrn",
      "resize",     "depth_to_space",      "space_to_depth"};
  if (std::find(names.begin(), names.end(), node.op) != names.end()) return true;
  return node.op == "group" && node.body &&
         std::any_of(node.body->nodes.begin(), node.body->nodes.end(),
                     [](const ir::Node& n) { return sees_images(n); });
}

/// Operators that permute or mix dimensions, so that operand and result may have different orders.
bool reorders(const ir::Node& node) {
  static constexpr std::array<std::string_view, 6> names{"transpose", "rearrange", "gemm",
                                                         "matmul",    "matmul_nt", "gather"};
  return renames_only(node) || std::find(names.begin(), names.end(), node.op) != names.end() ||
         (node.op == "group" && node.body && !node.body->nodes.empty() && reorders(node.body->nodes.front()));
}
}  // namespace

std::vector<Layout> choose_layouts(const ir::Graph& graph) {
  UnionFind classes(graph.values.size());
  std::vector<std::size_t> images;
  for (const ir::Node& node : graph.nodes) {
    const std::size_t rank = node.outputs.empty() ? 0 : graph.type(node.outputs[0]).shape.size();
    std::vector<ir::ValueId> joined;
    for (const ir::ValueId v : node.inputs)
      if (v != ir::no_value && !graph.is_constant(v)) joined.push_back(v);
    const bool image = sees_images(node);
    for (const ir::ValueId v : joined)
      if (image && graph.type(v).shape.size() > 2) images.push_back(ir::to_index(v));
    for (const ir::ValueId v : node.outputs) {
      if (v == ir::no_value) continue;
      if (image && graph.type(v).shape.size() > 2) images.push_back(ir::to_index(v));
      if (reorders(node)) continue;
      for (const ir::ValueId u : joined)
        if (graph.type(u).shape.size() == rank && graph.type(v).shape.size() == rank)
          classes.join(ir::to_index(u), ir::to_index(v));
    }
  }
  std::vector<bool> is_image(graph.values.size(), false);
  for (const std::size_t v : images) is_image[classes.find(v)] = true;

  std::vector<Layout> layouts;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const ir::Shape& shape = graph.values[v].type.shape;
    std::vector<std::int32_t> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    if (!graph.values[v].constant && is_image[classes.find(v)] && shape.size() > 2)
      std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    layouts.push_back(make_layout(shape, std::move(order)));
  }
  return layouts;
}

namespace {
/// Extents above 1 in physical order, as (logical stride, extent): two values with equal row-major content are in the
/// same physical sequence when these lists, with neighbours that continue each other joined, are equal.
std::vector<std::pair<std::int64_t, std::int64_t>> sequence_of(const ir::Shape& shape, const Layout& layout) {
  const ir::Shape strides = ir::row_major_strides(shape);
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  for (const std::int32_t d : layout.order) {
    const auto i = static_cast<std::size_t>(d);
    if (shape[i] == 1) continue;
    if (!parts.empty() && parts.back().first == strides[i] * shape[i])
      parts.back() = {strides[i], parts.back().second * shape[i]};
    else
      parts.emplace_back(strides[i], shape[i]);
  }
  return parts;
}
}  // namespace

std::vector<Root> find_roots(const ir::Graph& graph, const std::vector<Layout>& layouts) {
  std::vector<Root> roots(graph.values.size());
  for (std::size_t v = 0; v < roots.size(); ++v) roots[v].value = ir::ValueId{static_cast<std::int32_t>(v)};
  for (const ir::Node& node : graph.nodes) {
    if (!renames_only(node) || graph.is_constant(node.inputs[0])) continue;
    const ir::ValueId out = node.outputs[0];
    Root& root = roots[ir::to_index(out)];
    root.value = roots[ir::to_index(node.inputs[0])].value;
    root.same_order = sequence_of(graph.type(out).shape, layouts[ir::to_index(out)]) ==
                      sequence_of(graph.type(root.value).shape, layouts[ir::to_index(root.value)]);
  }
  return roots;
}

}  // namespace pimento::pim
