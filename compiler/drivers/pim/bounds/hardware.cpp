#include <algorithm>
#include <map>
#include <set>

#include "compiler/drivers/pim/bounds/bounds.hpp"
#include "compiler/drivers/pim/bounds/least.hpp"
#include "compiler/drivers/pim/numerics/plan.hpp"
#include "compiler/drivers/pim/spatial/needs.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {

class Hardware {
 public:
  Hardware(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, const Spatial& spatial)
      : graph_(graph), chip_(chip), plan_(plan), layouts_(choose_layouts(graph)), roots_(find_roots(graph, layouts_)) {
    for (const WeightTile& tile : spatial.tiles) products_.insert(static_cast<std::size_t>(tile.node));
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      for (std::size_t o = 0; o < graph.nodes[n].outputs.size(); ++o)
        if (graph.nodes[n].outputs[o] != ir::no_value) producer_[ir::to_index(graph.nodes[n].outputs[o])] = {n, o};
  }

  Bound bound(std::int64_t images) {
    return {{{"matrix products", images * products()},
             {"global memory", images * memory()},
             {"links of the global memory", images * links()},
             {"depth", depth()}}};
  }

 private:
  const ir::Graph& graph_;
  const isa::Chip& chip_;
  const NumericsPlan& plan_;
  std::vector<Layout> layouts_;
  std::vector<Root> roots_;
  std::set<std::size_t> products_;                                       ///< nodes
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> producer_;  ///< value -> node, output
  std::map<std::pair<std::size_t, std::vector<std::pair<std::int64_t, std::int64_t>>>, Cycles> known_;

  const Contracted& contraction(std::size_t n) const { return *plan_.contractions[n]; }
  const Layout& layout(ir::ValueId v) const { return layouts_[ir::to_index(v)]; }
  ir::ValueId data_of(std::size_t n) const {
    return graph_.nodes[n].inputs[static_cast<std::size_t>(contraction(n).data_input)];
  }
  ElementType type_of(std::size_t n) const { return plan_.of(data_of(n)).type; }

  /// Multiplications that one crossbar does in a cycle when it never waits, at the best number of rows.
  double most_per_cycle(ElementType input) const {
    const isa::Crossbar& x = chip_.core.crossbar;
    const int columns = chip_.weights_per_crossbar_row();
    double most = 0;
    for (int rows = 1; rows <= x.rows; ++rows)
      most = std::max(most, static_cast<double>(rows) * columns /
                                static_cast<double>(least_hold(chip_, {rows, columns, 1, 1}, input)));
    return most;
  }
  Cycles products() const {
    std::map<ElementType, double> work;
    for (const std::size_t n : products_) {
      const Layout& out = layout(graph_.nodes[n].outputs[0]);
      for (const Contracted::Matrix& m : contraction(n).matrices)
        work[type_of(n)] += static_cast<double>(m.elements.size()) * (m.col1 - m.col0) * out.rows * out.positions;
    }
    double crossbar_cycles = 0;
    for (const auto& [type, multiplications] : work) crossbar_cycles += multiplications / most_per_cycle(type);
    return static_cast<Cycles>(crossbar_cycles / (static_cast<double>(chip_.cores) * chip_.core.crossbars));
  }

  /// Bytes of the outputs, and bytes of the inputs that products cannot do without.
  Bytes output_bytes() const {
    Bytes bytes = 0;
    for (const ir::ValueId v : std::set<ir::ValueId>(graph_.outputs.begin(), graph_.outputs.end()))
      bytes += graph_.type(v).elements() * size_of(plan_.of(v).type);
    return bytes;
  }
  Bytes input_bytes() const {
    Bytes bytes = 0;
    for (const ir::ValueId v : graph_.inputs) {
      std::int64_t elements = 0;
      for (const std::size_t n : products_)
        if (roots_[ir::to_index(data_of(n))].value == v)
          elements = std::max(elements, elements_needed(n, contraction(n)));
      bytes += elements * size_of(plan_.of(v).type);
    }
    return bytes;
  }
  /// Of the box that a product reads: one row of each stride in each image, one position of each stride, every channel.
  std::int64_t elements_needed(std::size_t n, const Contracted& c) const {
    const ir::Node& node = graph_.nodes[n];
    const ir::KernelSequence sequence = ops::kernels_of(graph_, node);
    const ir::ValueId data = data_of(n);
    const std::vector<ir::Box> boxes =
        InputNeeds(graph_, node, sequence).of(ir::whole(graph_.type(node.outputs[0]).shape));
    const ir::Box& box = boxes[static_cast<std::size_t>(c.data_input)];
    if (box.empty() || ir::is_empty(box)) return 0;
    const ir::Shape& shape = graph_.type(data).shape;
    const PBox all = physical(layout(data), shape, ir::whole(shape));
    const PBox p = intersect(physical(layout(data), shape, box), all);
    std::set<std::int32_t> channels;
    for (const Contracted::Matrix& m : c.matrices)
      for (const Contracted::Matrix::Element& e : m.elements) channels.insert(e.channel);
    const Pace& pace = c.pace;
    const std::int32_t images = pace.image_rows == 0 ? 1 : layout(node.outputs[0]).rows / pace.image_rows;
    const std::int32_t rows_of_image = p.rows() - (images - 1) * pace.image_step;
    return images * ceil_div(rows_of_image, std::max(1, pace.row_stride)) *
           ceil_div(p.positions(), std::max(1, pace.position_stride)) *
           std::min<std::int64_t>(static_cast<std::int64_t>(channels.size()), p.channels());
  }
  Cycles memory() const {
    const isa::GlobalMemory& g = chip_.global_memory;
    const Bytes width = std::max<Bytes>(g.width, 1);
    const std::int64_t served = ceil_div(input_bytes(), width) * g.read_latency_cycles +
                                ceil_div(output_bytes(), width) * g.write_latency_cycles;
    return to_core_cycles(chip_, static_cast<double>(served) / g.channels, g.clock);
  }
  Cycles links() const {
    if (chip_.network.topology == "table") return 0;
    const std::int64_t most = std::max(input_bytes(), output_bytes());
    const auto flits = static_cast<double>(ceil_div(most, std::max<Bytes>(chip_.network.flit, 1)));
    return to_core_cycles(chip_, flits / chip_.global_memory.channels, chip_.network.clock);
  }

  /// When the last element of a box of a value can stand at the earliest.
  Cycles ready(ir::ValueId v, const ir::Box& box) {
    if (v == ir::no_value || graph_.is_constant(v)) return 0;
    const auto made = producer_.find(ir::to_index(v));
    if (made == producer_.end()) return least_access(chip_, false);
    std::pair<std::size_t, std::vector<std::pair<std::int64_t, std::int64_t>>> key{ir::to_index(v), {}};
    for (const ir::Range& r : box) key.second.emplace_back(r.begin, r.end);
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
    const auto [n, output] = made->second;
    const ir::Node& node = graph_.nodes[n];
    const std::vector<ir::Box> boxes =
        InputNeeds(graph_, node, ops::kernels_of(graph_, node), 0, static_cast<int>(output)).of(box);
    Cycles start = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (node.inputs[i] == ir::no_value || graph_.is_constant(node.inputs[i])) continue;
      const bool scalar = graph_.type(node.inputs[i]).shape.empty();
      if (!scalar && (boxes[i].empty() || ir::is_empty(boxes[i]))) continue;
      start = std::max(start, ready(node.inputs[i], boxes[i]));
    }
    const Cycles own = products_.count(n) == 0 ? 0 : least_product(chip_, {1, 1, 1, 1}, type_of(n));
    return known_[key] = start + own;
  }
  Cycles depth() {
    Cycles latest = 0;
    for (const ir::ValueId v : graph_.outputs) latest = std::max(latest, ready(v, ir::whole(graph_.type(v).shape)));
    return latest + least_access(chip_, true);
  }
};

}  // namespace

const Bound::Part* Bound::largest() const {
  const auto at =
      std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.cycles < b.cycles; });
  return at == parts.end() ? nullptr : &*at;
}

Bound hardware_bound(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, const Spatial& spatial,
                     std::int64_t images) {
  return Hardware(graph, chip, plan, spatial).bound(images);
}

}  // namespace pimento::pim
