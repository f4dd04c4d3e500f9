#include "compiler/drivers/pim/spatial/matrices.hpp"

#include <algorithm>

#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/drivers/pim/spatial/rounds.hpp"
#include "isa/cost/cost.hpp"

namespace pimento::pim {
namespace {

class Planner {
 public:
  Planner(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, const std::vector<Layout>& layouts,
          const std::vector<Root>& roots, double spare_share, const SpreadGoal& goal, int rounds)
      : graph_(graph),
        chip_(chip),
        plan_(plan),
        layouts_(layouts),
        roots_(roots),
        spare_share_(spare_share),
        goal_(goal),
        rounds_(rounds) {}

  Matrices run() {
    find_matrices();
    if (rounds_ != no_copies) plan_copies();
    return std::move(result_);
  }
  RoundRange range(bool apart) {
    find_matrices();
    return range_of_rounds(demands(), chip_, apart);
  }

 private:
  const ir::Graph& graph_;
  const isa::Chip& chip_;
  const NumericsPlan& plan_;
  const std::vector<Layout>& layouts_;
  const std::vector<Root>& roots_;
  double spare_share_;
  SpreadGoal goal_;
  int rounds_;
  Matrices result_;

  const ir::Node& node(std::int32_t n) const { return graph_.nodes[static_cast<std::size_t>(n)]; }
  const Layout& layout(ir::ValueId v) const { return layouts_[ir::to_index(v)]; }

  void find_matrices() {
    result_.of_node.assign(graph_.nodes.size(), -1);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<std::int32_t>(n);
      if (!plan_.contractions[n]) continue;
      MatrixNode matrix;
      matrix.node = id;
      matrix.contraction = plan_.contractions[n];
      matrix.data =
          roots_[ir::to_index(node(id).inputs[static_cast<std::size_t>(matrix.contraction->data_input)])].value;
      if (!cut_tiles(matrix)) continue;
      result_.of_node[n] = static_cast<std::int32_t>(result_.nodes.size());
      result_.nodes.push_back(std::move(matrix));
    }
  }

  /// False when vector instructions do the node's work sooner than its MVMs (a depthwise convolution).
  bool cut_tiles(MatrixNode& m) {
    const isa::ArrayGroup& group = chip_.core.array_group;
    const std::int32_t channels = layout(m.data).channels;
    const std::int32_t per_crossbar = chip_.weights_per_crossbar_row();
    const std::int32_t max_rows = chip_.core.crossbar.rows * std::min(group.max_rows, chip_.core.crossbars);
    const ElementType input = plan_.of(m.data).type;
    std::vector<WeightTile> tiles;
    std::int64_t vector_work = 0;
    Cycles mvm_work = 0;
    for (const Contracted::Matrix& matrix : m.contraction->matrices) {
      const std::vector<Strip> strips = cut_strips(matrix, *m.contraction, channels, max_rows);
      std::int32_t tallest = 1;
      for (const Strip& s : strips)
        tallest = std::max(tallest, (s.size + chip_.core.crossbar.rows - 1) / chip_.core.crossbar.rows);
      const std::int32_t max_cols =
          per_crossbar * std::max(1, std::min(group.max_columns, chip_.core.crossbars / tallest));
      m.strips_of_block = static_cast<std::int32_t>(strips.size());
      std::int32_t block = 0;
      for (std::int32_t col = matrix.col0; col < matrix.col1; col += max_cols, ++block)
        for (std::size_t s = 0; s < strips.size(); ++s) {
          WeightTile tile;
          tile.node = m.node;
          tile.strip = static_cast<std::int32_t>(s);
          tile.column_block = block;
          tile.col0 = col;
          tile.col1 = std::min(col + max_cols, matrix.col1);
          for (std::int32_t e = strips[s].first; e < strips[s].first + strips[s].size; ++e)
            tile.reduction.push_back(matrix.elements[static_cast<std::size_t>(e)].reduction);
          tile.window = strips[s].window;
          tile.shape = isa::cost::tile_shape(chip_, strips[s].size, tile.col1 - tile.col0);
          tile.element = plan_.numerics == Numerics::f32 ? 4 : chip_.numerics.weight_bits > 8 ? 2 : 1;
          mvm_work += isa::cost::mvm_compute(chip_, tile.shape, input);
          tiles.push_back(std::move(tile));
        }
      vector_work += static_cast<std::int64_t>(matrix.elements.size()) * (matrix.col1 - matrix.col0);
    }
    const isa::VectorUnit& v = chip_.core.vector;
    if (m.contraction->matrices.size() > 1 && vector_work / v.lanes * v.latency_cycles <= mvm_work) return false;
    for (WeightTile& tile : tiles) {
      m.tiles.push_back(static_cast<std::int32_t>(result_.tiles.size()));
      result_.tiles.push_back(std::move(tile));
    }
    return true;
  }

  std::vector<ReplicationDemand> demands() const {
    std::vector<ReplicationDemand> demands;
    for (const MatrixNode& m : result_.nodes) {
      ReplicationDemand d;
      d.name = label(node(m.node));
      const Layout& out = layout(node(m.node).outputs[0]);
      d.rows = out.rows;
      d.positions = out.positions;
      d.strips = m.strips_of_block;
      d.blocks = static_cast<std::int32_t>(m.tiles.size()) / m.strips_of_block;
      d.crossbars = 0;
      Cycles work = 0;
      std::int32_t columns = 0;
      for (const std::int32_t t : m.tiles) {
        const WeightTile& tile = result_.tiles[static_cast<std::size_t>(t)];
        const std::int32_t taken = tile.shape.crossbar_rows * tile.shape.crossbar_cols;
        d.crossbars += taken;
        d.strip_crossbars = std::max(d.strip_crossbars, taken);
        d.element = tile.element;
        columns = std::max(columns, tile.col1 - tile.col0);
        work += isa::cost::mvm_compute(chip_, tile.shape, plan_.of(m.data).type);
      }
      d.mvm_cycles = std::max<Cycles>(1, work / static_cast<Cycles>(m.tiles.size()));
      d.partial_cycles = mean_cycles(std::int64_t{columns} * 4);
      d.slices = combine_slices(chip_, m.strips_of_block, columns);
      d.lag_rows = lag_rows(m);
      demands.push_back(d);
    }
    return demands;
  }

  /// Copies round by round: each has the whole chip.
  void plan_copies() {
    const std::vector<ReplicationDemand> demands = this->demands();
    Rounds rounds;
    if (rounds_ > 1) rounds = plan_rounds(demands, chip_, rounds_, spare_share_, goal_);
    for (std::int32_t r = 0; r < rounds_; ++r) {
      std::vector<ReplicationDemand> parts;
      std::vector<std::size_t> of_part;
      for (std::size_t i = 0; i < demands.size(); ++i) {
        const ReplicationDemand part = rounds_ > 1 ? part_of_round(demands[i], rounds[i], r) : demands[i];
        if (part.crossbars == 0) continue;
        parts.push_back(part);
        of_part.push_back(i);
      }
      const auto [spare, goal] = allowance(parts, chip_, spare_share_, goal_, r > 0);
      const std::vector<Spread> spreads = replicate(parts, chip_, spare, goal);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        MatrixNode& m = result_.nodes[of_part[p]];
        const bool is_first = rounds_ == 1 || m.round_of_tile.empty();
        if (rounds_ > 1) m.round_of_tile = rounds[of_part[p]];
        m.grid = spreads[p].grid;
        m.strips_per_core =
            is_first ? spreads[p].strips_per_core : std::min(m.strips_per_core, spreads[p].strips_per_core);
      }
    }
  }

  /// Network time of some bytes between two cores, mean over all pairs with core 0 and the middle core.
  Cycles mean_cycles(Bytes bytes) const {
    if (chip_.cores < 2) return 0;
    Cycles sum = 0;
    std::int64_t pairs = 0;
    for (const CoreId a : {CoreId{0}, static_cast<CoreId>(chip_.cores / 2)})
      for (CoreId b = 0; b < static_cast<CoreId>(chip_.cores); ++b)
        if (a != b) {
          sum += isa::cost::message_cycles(chip_, a, b, bytes);
          ++pairs;
        }
    return sum / pairs;
  }

  /// Output rows that cannot be made before the last input row has come.
  static std::int32_t lag_rows(const MatrixNode& m) {
    std::int32_t first = 0;
    std::int32_t last = 0;
    for (const Contracted::Matrix& matrix : m.contraction->matrices)
      for (const Contracted::Matrix::Element& e : matrix.elements) {
        first = std::min(first, e.row);
        last = std::max(last, e.row);
      }
    const std::int32_t stride = std::max(1, m.contraction->pace.row_stride);
    return std::max(1, (last - first + stride) / stride - (last > 0 && first < 0 ? 1 : 0));
  }
};

}  // namespace

std::int32_t begin_of(std::int32_t extent, std::int32_t parts, std::int32_t i) {
  return static_cast<std::int32_t>(std::int64_t{extent} * i / parts);
}

std::int32_t combine_slices(const isa::Chip& chip, std::int32_t strips, std::int32_t channels) {
  return std::clamp((strips + 7) / 8, 1, std::max(1, channels / chip.core.vector.lanes));
}

std::string label(const ir::Node& node) { return node.source.empty() ? node.op : node.source; }

std::vector<MatrixNode::Part> MatrixNode::parts() const {
  std::vector<Part> all;
  const auto strips = static_cast<std::size_t>(strips_of_block);
  for (std::size_t s = 0; s < strips; ++s) {
    const bool joins =
        !all.empty() && all.back().count < static_cast<std::size_t>(strips_per_core) && round(s) == round(s - 1);
    if (joins)
      ++all.back().count;
    else
      all.push_back({s, 1});
  }
  return all;
}

Matrices plan_matrices(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                       const std::vector<Layout>& layouts, const std::vector<Root>& roots, double spare_share,
                       const SpreadGoal& goal, int rounds) {
  return Planner(graph, chip, plan, layouts, roots, spare_share, goal, rounds).run();
}

RoundRange range_of_rounds(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, bool apart) {
  const std::vector<Layout> layouts = choose_layouts(graph);
  return Planner(graph, chip, plan, layouts, find_roots(graph, layouts), 0, {}, 1).range(apart);
}

}  // namespace pimento::pim
