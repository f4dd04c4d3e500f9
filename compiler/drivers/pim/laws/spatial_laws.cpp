#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "compiler/drivers/pim/laws/laws.hpp"
#include "compiler/drivers/pim/laws/shape.hpp"
#include "compiler/drivers/pim/spatial/layout.hpp"
#include "compiler/drivers/pim/spatial/matrices.hpp"
#include "compiler/drivers/pim/spatial/merge.hpp"

namespace pimento::pim {
namespace {

const Body& body_of(const Spatial& s, const Compute& c) { return s.batches[index_of(c.batch)].body; }

std::string check_host(const ir::Graph& graph, const Spatial& s) {
  std::set<std::int32_t> computed;
  for (const Batch& b : s.batches)
    if (!b.lanes.empty()) computed.insert(b.body.node);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ir::Node& node = graph.nodes[n];
    const bool empty = std::all_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId v) {
      return v == ir::no_value || graph.is_constant(v) || ir::element_count(graph.type(v).shape) == 0;
    });
    if (renames_only(node) || empty || computed.contains(static_cast<std::int32_t>(n))) continue;
    return fmt::format("work moved to the host: no core computes node '{}' ({})", label(node), node.op);
  }
  return "";
}

std::string check_granularity(const Spatial& s) {
  for (std::size_t i = 0; i < s.computes.size(); ++i)
    if (const PBox& box = s.computes[i].write.box; box.rows() > 1)
      return fmt::format("coarser granularity: compute {} makes {} rows of '{}', expected at most one", i, box.rows(),
                         s.values[index_of(s.computes[i].write.value)].name);
  return "";
}

/// Lanes of one body that write the same channels of a value are one batch.
std::string check_batches(const Spatial& s) {
  std::map<std::tuple<BodyKind, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t>, std::size_t>
      seen;
  for (std::size_t b = 0; b < s.batches.size(); ++b) {
    const Batch& batch = s.batches[b];
    if (batch.lanes.empty()) continue;
    const Body& body = batch.body;
    const Compute& lane = s.computes[index_of(batch.lanes[0])];
    const auto [at, is_new] =
        seen.try_emplace({body.kind, body.node, body.tile, body.output, body.channel0, lane.write.box.c0}, b);
    if (!is_new)
      return fmt::format("a scalarised batch: the lanes of batch {} have the body of batch {}'s", b, at->second);
  }
  return "";
}

/// Positions of the output that a compute makes: partial sums may have more, to be whole products.
std::int64_t positions_met(const Spatial& s, const Compute& c) {
  const SpatialValue& to = s.values[index_of(c.write.value)];
  const std::int32_t beyond = to.role == ValueRole::partial ? std::max(0, c.write.box.p1 - to.layout.positions) : 0;
  return std::int64_t{c.write.box.rows()} * (c.write.box.positions() - beyond);
}

/// By tile: the products of all computes whose body begins with it are no more than its node has positions.
std::string check_products(const ir::Graph& graph, const Spatial& s) {
  std::map<std::int32_t, std::int64_t> made;  // by first tile
  for (const Compute& c : s.computes)
    if (c.cls != no_class) made[body_of(s, c).tile] += positions_met(s, c);
  std::map<ir::ValueId, std::int64_t> positions;
  for (const SpatialValue& v : s.values)
    if (v.graph_value != ir::no_value) positions[v.graph_value] = std::int64_t{v.layout.rows} * v.layout.positions;
  for (const auto& [tile, count] : made) {
    const ir::Node& node = graph.nodes[static_cast<std::size_t>(s.tiles[static_cast<std::size_t>(tile)].node)];
    const auto at = positions.find(node.outputs[0]);
    if (at != positions.end() && count > at->second)
      return fmt::format("recomputation: tile {} of node '{}' meets {} positions, there are {}", tile, label(node),
                         count, at->second);
  }
  return "";
}

std::int64_t elements_read(const Spatial& s) {
  std::int64_t sum = 0;
  for (const Compute& c : s.computes)
    for (const Access& read : c.reads)
      if (!read.box.empty()) sum += read.box.elements();
  return sum;
}

/// For every depth: how many products may have been started by then, other products alone waited for.
std::vector<std::int64_t> startable(const Spatial& s) {
  const std::vector<std::int64_t> depth = matrix_depths(s);
  std::vector<std::int64_t> by_depth;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (s.computes[i].cls == no_class) continue;
    const auto d = static_cast<std::size_t>(depth[i]);
    if (by_depth.size() <= d) by_depth.resize(d + 1, 0);
    ++by_depth[d];
  }
  for (std::size_t d = 1; d < by_depth.size(); ++d) by_depth[d] += by_depth[d - 1];
  return by_depth;
}

}  // namespace

std::string law_of_spatial(const ir::Graph& graph, const Spatial& spatial) {
  if (std::string broken = check_host(graph, spatial); !broken.empty()) return broken;
  if (std::string broken = check_granularity(spatial); !broken.empty()) return broken;
  if (std::string broken = check_batches(spatial); !broken.empty()) return broken;
  return check_products(graph, spatial);
}

std::string law_of_merge(const Spatial& before, const Spatial& after) {
  if (std::string broken = check_granularity(after); !broken.empty()) return broken;
  const auto matrix_lanes = [](const Spatial& s) {
    std::vector<std::size_t> lanes;
    for (const Batch& b : s.batches)
      if (b.body.kind == BodyKind::mvm) lanes.push_back(b.lanes.size());
    return lanes;
  };
  const std::vector<std::size_t> lanes = matrix_lanes(before), kept = matrix_lanes(after);
  if (kept.size() > lanes.size())
    return fmt::format("a scalarised batch: {} batches of products before, {} after", lanes.size(), kept.size());
  if (kept != lanes) return "fewer lanes or cores: batches of products have other lanes";
  if (after.computes.size() > before.computes.size())
    return fmt::format("recomputation: {} computes before, {} after", before.computes.size(), after.computes.size());
  const std::vector<std::int64_t> first = startable(before), then = startable(after);
  for (std::size_t d = 0; d < first.size(); ++d) {
    const std::int64_t now = then.empty() ? 0 : then[std::min(d, then.size() - 1)];
    if (now < first[d])
      return fmt::format(
          "a sequential loop in place of independent work: {} products wait for fewer than {} others before, {} after",
          first[d], d, now);
  }
  const auto longest = [](const Spatial& s) {
    const std::vector<std::int64_t> all = depths(s, Producers(s));
    return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  };
  if (const std::int64_t a = longest(before), b = longest(after); b > a)
    return fmt::format("a sequential loop in place of independent work: critical path of {} steps before, {} after", a,
                       b);
  if (const Cycles a = critical_path(before, Producers(before)), b = critical_path(after, Producers(after)); b > a)
    return fmt::format("a sequential loop in place of independent work: critical path of {} cycles before, {} after", a,
                       b);
  if (const std::int64_t a = elements_read(before), b = elements_read(after); b > a)
    return fmt::format("added copies: computes read {} elements before, {} after", a, b);
  return "";
}

}  // namespace pimento::pim
