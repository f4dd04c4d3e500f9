#include "compiler/pipeline/spatial_options.hpp"

namespace pimento {

pim::SpatialOptions spatial_options(const ir::Graph& graph, const Effort& effort, int windows_per_mvm,
                                    const pim::Placement* own) {
  pim::SpatialOptions options;
  options.crossbar_share = effort.crossbar_share;
  options.goal = effort.goal;
  options.rounds = effort.rounds;
  options.windows_per_mvm = effort.one_window ? 1 : windows_per_mvm;
  if (own == nullptr) return options;
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

}  // namespace pimento
