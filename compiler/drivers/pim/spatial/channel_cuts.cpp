#include "compiler/drivers/pim/spatial/channel_cuts.hpp"

#include <algorithm>

#include "compiler/drivers/pim/spatial/matrices.hpp"

namespace pimento::pim {
namespace {

class Cutter {
 public:
  Cutter(const ir::Graph& graph, const ir::Node& node, const InputNeeds& needs, const std::vector<Layout>& layouts,
         const isa::Chip& chip, std::int32_t output)
      : graph_(graph), node_(node), needs_(needs), layouts_(layouts), chip_(chip), output_(output) {}

  /// Channels of one lane: enough to fill the vector unit, and no more lanes than cores.
  std::int32_t channel_lanes(const Layout& where, std::int64_t lanes_so_far) const {
    const std::int32_t widest = std::max(1, where.channels / std::max(1, 4 * chip_.core.vector.lanes));
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(chip_.cores / std::max<std::int64_t>(1, lanes_so_far), 1, widest));
  }

  std::vector<std::int32_t> channel_cuts(std::int64_t lanes) const {
    const Layout& where = layout(node_.outputs[static_cast<std::size_t>(output_)]);
    std::vector<std::int32_t> cuts = source_cuts();
    if (cuts.size() > 2 || reads_other_channels()) return cuts;
    const std::int32_t slices = channel_lanes(where, lanes);
    cuts.clear();
    for (std::int32_t i = 0; i <= slices; ++i) cuts.push_back(begin_of(where.channels, slices, i));
    return cuts;
  }

  /// A result that several inputs fill side by side (a concatenation) is cut where one input ends.
  std::vector<std::int32_t> source_cuts() const {
    const ir::ValueId out = node_.outputs[static_cast<std::size_t>(output_)];
    const Layout& where = layout(out);
    std::vector<std::int32_t> cuts{0};
    std::int64_t data_inputs = 0;
    for (const ir::ValueId in : node_.inputs) data_inputs += in != ir::no_value && !graph_.is_constant(in);
    std::vector<bool> last;
    for (std::int32_t c = 0; c < where.channels && data_inputs > 1; ++c) {
      const PBox unit{0, where.rows, 0, where.positions, c, c + 1};
      std::vector<bool> used;
      for (const ir::Box& b : needs_.of(to_logical(where, graph_.type(out).shape, unit)))
        used.push_back(!b.empty() && !ir::is_empty(b));
      if (c > 0 && used != last) cuts.push_back(c);
      last = std::move(used);
    }
    cuts.push_back(where.channels);
    return cuts;
  }

  /// One channel of the result needs more than the same channel of some input: slicing channels would repeat work.
  bool reads_other_channels() const {
    const ir::ValueId out = node_.outputs[static_cast<std::size_t>(output_)];
    const Layout& where = layout(out);
    const std::int32_t middle = where.channels / 2;
    const PBox box{0, 1, 0, 1, middle, middle + 1};
    const std::vector<ir::Box> boxes = needs_.of(to_logical(where, graph_.type(out).shape, box));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const ir::ValueId in = node_.inputs[i];
      if (in == ir::no_value || graph_.is_constant(in) || boxes[i].empty()) continue;
      const PBox part = physical(layout(in), graph_.type(in).shape, boxes[i]);
      if (part.channels() > 1) return true;
    }
    return false;
  }

 private:
  const ir::Graph& graph_;
  const ir::Node& node_;
  const InputNeeds& needs_;
  const std::vector<Layout>& layouts_;
  const isa::Chip& chip_;
  std::int32_t output_;
  const Layout& layout(ir::ValueId v) const { return layouts_[ir::to_index(v)]; }
};

}  // namespace

std::vector<std::int32_t> channel_cuts(const ir::Graph& graph, const ir::Node& node, const InputNeeds& needs,
                                       const std::vector<Layout>& layouts, const isa::Chip& chip, std::int64_t lanes,
                                       std::int32_t output) {
  return Cutter(graph, node, needs, layouts, chip, output).channel_cuts(lanes);
}

}  // namespace pimento::pim
