#include "compiler/pipeline/spatial_options.hpp"

#include <algorithm>
#include <optional>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "isa/program/program.hpp"

namespace pimento {

pim::SpatialOptions AskedOfSpatial::of(const ir::Graph& graph, const Effort& effort, int windows_per_mvm,
                                       const pim::Placement* own) {
  pim::SpatialOptions options;
  options.crossbar_share = effort.crossbar_share;
  options.goal = effort.goal;
  options.rounds = effort.rounds;
  options.windows_per_mvm = effort.one_window ? 1 : windows_per_mvm;
  options.vector_times = vector_times_;
  options.cuts = cuts_;
  if (own == nullptr) {
    options.ways = options.windows_per_mvm == 1 ? one_window_ : several_;
    return options;
  }
  const auto name = [names = pim::layer_names(graph)](std::int32_t node) {
    return names[static_cast<std::size_t>(node)];
  };
  options.spread_of = [own, name](std::int32_t node, std::int32_t rows, std::int32_t positions, std::int32_t strips) {
    return own->spread(name(node), rows, positions, strips);
  };
  options.rounds_of = [own, name](std::int32_t node, std::int32_t strips, std::int32_t tiles) {
    return own->rounds_of(name(node), strips, tiles);
  };
  options.windows_of = [own, name](std::int32_t node, std::int32_t positions) {
    return own->windows(name(node), positions);
  };
  return options;
}

namespace {
/// The same graph with one window per MVM; nothing where the chosen mapping has no more, or where it does not fit.
std::optional<pim::Spatial> one_window(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan,
                                       const pim::Spatial& chosen, const pim::ConstantPool& kernels) {
  const bool several =
      std::any_of(chosen.tiles.begin(), chosen.tiles.end(), [](const pim::WeightTile& t) { return t.windows > 1; });
  if (!several) return std::nullopt;
  Effort effort = one_window_plans.front();
  effort.one_window = true;
  effort.rounds = pim::rounds_of(chosen);
  pim::ConstantPool pool = kernels.only_kernels();
  try {
    return pim::graph_to_spatial(graph, chip, plan, pool, AskedOfSpatial().of(graph, effort, 1, nullptr)).spatial;
  } catch (const pim::DoesNotFit&) {  // nothing to compare with
    return std::nullopt;
  }
}

}  // namespace

pim::Bounds bounds_of(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan,
                      const pim::Spatial& spatial, const isa::Program& program, const pim::ConstantPool* kernels) {
  pim::Bounds bounds;
  bounds.hardware = pim::hardware_bound(graph, chip, plan, spatial, program.images);
  bounds.mapping = pim::mapping_bound(spatial, program, chip);
  if (program.images > 1) bounds.interval = pim::interval_bound(spatial, program, chip);
  if (kernels == nullptr) return bounds;
  if (const auto one = one_window(graph, chip, plan, spatial, *kernels)) {
    if (program.images > 1)
      bounds.one_window_interval = pim::interval_bound(*one, chip);
    else
      bounds.one_window = pim::mapping_bound(*one, chip);
  }
  return bounds;
}

}  // namespace pimento
