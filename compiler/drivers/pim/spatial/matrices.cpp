#include "compiler/drivers/pim/spatial/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/drivers/pim/spatial/rounds.hpp"
#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {

/// A matrix as tiles, so many neighbouring positions in one MVM.
struct Cut {
  std::int32_t windows = 1;
  std::int32_t strips_of_block = 1;
  std::vector<WeightTile> tiles;
  ReplicationDemand demand;
};

class Planner {
 public:
  Planner(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, const std::vector<Layout>& layouts,
          const std::vector<Root>& roots, const SpatialOptions& options)
      : graph_(graph), chip_(chip), plan_(plan), layouts_(layouts), roots_(roots), options_(options) {}

  Matrices run() {
    find_matrices();
    plan_copies();
    for (std::size_t i = 0; i < ways_.size(); ++i) take(result_.nodes[i], ways_[i].front().windows);
    return std::move(result_);
  }
  std::vector<Spread> spreads() {
    find_matrices();
    plan_copies();
    std::vector<Spread> all;
    for (const MatrixNode& m : result_.nodes) all.push_back({m.grid, m.strips_per_core, m.slices, m.pieces});
    return all;
  }
  RoundRange range(bool apart) {
    find_matrices();
    return range_of_rounds(first_demands(), chip_, apart);
  }

 private:
  const ir::Graph& graph_;
  const isa::Chip& chip_;
  const NumericsPlan& plan_;
  const std::vector<Layout>& layouts_;
  const std::vector<Root>& roots_;
  const SpatialOptions& options_;
  Matrices result_;
  WaysToCut ways_;  ///< by node of result_, of fewest crossbars first

  const ir::Node& node(std::int32_t n) const { return graph_.nodes[static_cast<std::size_t>(n)]; }
  const Layout& layout(ir::ValueId v) const { return layouts_[ir::to_index(v)]; }

  void find_matrices() {
    result_.of_node.assign(graph_.nodes.size(), -1);
    WaysToCut cut_here;
    WaysToCut& ways = options_.ways ? *options_.ways : cut_here;
    const bool known = !ways.empty();
    ways.resize(graph_.nodes.size());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<std::int32_t>(n);
      if (!plan_.contractions[n]) continue;
      MatrixNode matrix;
      matrix.node = id;
      matrix.contraction = plan_.contractions[n];
      matrix.data =
          roots_[ir::to_index(node(id).inputs[static_cast<std::size_t>(matrix.contraction->data_input)])].value;
      if (!known) ways[n] = ways_to_cut(matrix);
      if (ways[n].empty()) continue;
      result_.of_node[n] = static_cast<std::int32_t>(result_.nodes.size());
      result_.nodes.push_back(std::move(matrix));
      ways_.push_back(ways[n]);
    }
  }

  /// Empty when vector instructions do the node's work sooner than its MVMs (a depthwise convolution).
  std::vector<ReplicationDemand> ways_to_cut(const MatrixNode& m) const {
    const Cut plain = *cut(m, 1);
    std::int64_t vector_work = 0;
    Cycles mvm_work = 0;
    for (const Contracted::Matrix& matrix : m.contraction->matrices)
      vector_work += static_cast<std::int64_t>(matrix.elements.size()) * (matrix.col1 - matrix.col0);
    for (const WeightTile& tile : plain.tiles)
      mvm_work += isa::cost::mvm_compute(chip_, tile.shape, plan_.of(m.data).type);
    const isa::VectorUnit& v = chip_.core.vector;
    if (m.contraction->matrices.size() > 1 && vector_work / v.lanes * v.latency_cycles <= mvm_work) return {};

    const std::int32_t positions = layout(node(m.node).outputs[0]).positions;
    const auto mvms = [&](std::int32_t windows) { return ceil_div(positions, windows); };
    if (options_.windows_of) {
      const AskedWindows asked = options_.windows_of(m.node, positions);
      return {asked.windows > 1 ? wanted(m, asked).demand : plain.demand};
    }
    std::vector<ReplicationDemand> ways{plain.demand};
    const std::int32_t most = std::min(
        positions, options_.windows_per_mvm == any_windows ? positions : std::int32_t{options_.windows_per_mvm});
    for (std::int32_t windows = 2; windows <= most; ++windows) {
      if (mvms(windows) == mvms(windows - 1)) continue;  // the same MVMs with columns to spare
      std::optional<Cut> wider = cut(m, windows);
      if (!wider) break;
      // what is read, written and added up more than for one window after the other counts as work
      const std::int64_t mvms_of_row =
          std::int64_t{wider->demand.positions} * wider->demand.strips * wider->demand.blocks;
      wider->demand.mvm_cycles = std::max<Cycles>(
          1, wider->demand.mvm_cycles + (handling_of_row(m, *wider) - handling_of_row(m, plain)) / mvms_of_row);
      // more crossbars must save products
      if (work_of_row(wider->demand) < work_of_row(ways.back())) ways.push_back(wider->demand);
    }
    if (options_.windows_per_mvm != any_windows) ways.erase(ways.begin(), std::prev(ways.end()));
    // where several take as many crossbars, the one of least work stands for all
    std::stable_sort(ways.begin(), ways.end(), [](const ReplicationDemand& a, const ReplicationDemand& b) {
      return std::pair(a.crossbars, work_of_row(a)) < std::pair(b.crossbars, work_of_row(b));
    });
    return ways;
  }
  Cut wanted(const MatrixNode& m, const AskedWindows& asked) const {
    std::optional<Cut> made = cut(m, asked.windows);
    if (made) return std::move(*made);
    throw UserError(asked.place, fmt::format("layer '{}': no array group of chip '{}' holds {} windows of one row",
                                             label(node(m.node)), chip_.name, asked.windows));
  }
  static Cycles work_of_row(const ReplicationDemand& d) {
    return std::int64_t{d.positions} * d.strips * d.blocks * d.mvm_cycles;
  }

  /// Nothing where several windows are no one view, or do not fit into one array group: each of them is as wide as a
  /// position's channels.
  std::optional<Cut> cut(const MatrixNode& m, std::int32_t windows) const {
    const isa::ArrayGroup& group = chip_.core.array_group;
    const Contracted& c = *m.contraction;
    if (windows > 1 && c.pace.rows_per_position != 0) return std::nullopt;  // neighbouring positions are other rows
    // a weight of 0 where a window does not reach would make a NaN of another window's infinity
    if (windows > 1 && plan_.numerics == Numerics::f32) return std::nullopt;
    const std::int32_t channels = layout(m.data).channels;
    const std::int32_t per_crossbar = chip_.weights_per_crossbar_row();
    const std::int32_t max_rows = chip_.core.crossbar.rows * std::min(group.max_rows, chip_.core.crossbars);
    Cut made;
    made.windows = windows;
    for (const Contracted::Matrix& one : c.matrices) {
      if (windows > 1 && std::int64_t{windows} * (one.col1 - one.col0) > std::int64_t{per_crossbar} * group.max_columns)
        return std::nullopt;
      const Widened wide = widen(one, c.pace, windows);
      const Contracted::Matrix& matrix = wide.matrix;
      const std::vector<Strip> strips = cut_strips(matrix, c.pace.of_windows(windows), channels, max_rows);
      std::int32_t tallest = 1;
      for (const Strip& s : strips)
        tallest = std::max(tallest, (s.size + chip_.core.crossbar.rows - 1) / chip_.core.crossbar.rows);
      const std::int32_t max_cols =
          per_crossbar * std::max(1, std::min(group.max_columns, chip_.core.crossbars / tallest));
      if (windows > 1 && windows * (matrix.col1 - matrix.col0) > max_cols) return std::nullopt;
      // partial sums of one matrix only stand in one piece from position to position where no other's channels follow
      if (windows > 1 && strips.size() > 1 && c.matrices.size() > 1) return std::nullopt;
      made.strips_of_block = static_cast<std::int32_t>(strips.size());
      std::int32_t block = 0;
      for (std::int32_t col = matrix.col0; col < matrix.col1; col += max_cols, ++block)
        for (std::size_t s = 0; s < strips.size(); ++s) {
          WeightTile tile;
          tile.node = m.node;
          tile.strip = static_cast<std::int32_t>(s);
          tile.column_block = block;
          tile.col0 = col;
          tile.col1 = std::min(col + max_cols, matrix.col1);
          tile.windows = windows;
          for (std::size_t w = 0; w < static_cast<std::size_t>(windows); ++w) {
            const auto first =
                wide.reductions.begin() + static_cast<std::ptrdiff_t>(w * matrix.elements.size()) + strips[s].first;
            tile.reduction.insert(tile.reduction.end(), first, first + strips[s].size);
          }
          tile.window = strips[s].window;
          tile.shape = isa::cost::tile_shape(chip_, strips[s].size, tile.columns());
          tile.element = plan_.numerics == Numerics::f32 ? 4 : chip_.numerics.weight_bits > 8 ? 2 : 1;
          made.tiles.push_back(std::move(tile));
        }
    }
    made.demand = demand(m, made);
    return made;
  }

  ReplicationDemand demand(const MatrixNode& m, const Cut& cut) const {
    ReplicationDemand d;
    d.name = label(node(m.node));
    const Layout& out = layout(node(m.node).outputs[0]);
    d.rows = out.rows;
    d.positions = static_cast<std::int32_t>(ceil_div(out.positions, cut.windows));
    d.windows = cut.windows;
    d.strips = cut.strips_of_block;
    d.blocks = static_cast<std::int32_t>(cut.tiles.size()) / cut.strips_of_block;
    d.crossbars = 0;
    Cycles work = 0;
    std::int32_t columns = 0;
    for (const WeightTile& tile : cut.tiles) {
      const std::int32_t taken = tile.shape.crossbar_rows * tile.shape.crossbar_cols;
      d.crossbars += taken;
      d.strip_crossbars = std::max(d.strip_crossbars, taken);
      d.element = tile.element;
      columns = std::max(columns, tile.col1 - tile.col0);
      work += isa::cost::mvm_compute(chip_, tile.shape, plan_.of(m.data).type);
    }
    d.mvm_cycles = std::max<Cycles>(1, work / static_cast<Cycles>(cut.tiles.size()));
    d.partial_cycles = mean_cycles(std::int64_t{columns} * cut.windows * 4);
    d.columns = columns;
    d.lag_rows = lag_rows(m);
    return d;
  }
  /// What a row's MVMs read and write, and adding up what they make.
  Cycles handling_of_row(const MatrixNode& m, const Cut& cut) const {
    Cycles all = 0;
    for (const WeightTile& tile : cut.tiles) all += handling(tile, plan_.of(m.data).type);
    const std::int32_t columns = cut.tiles.front().columns();
    all += std::int64_t{cut.demand.strips - 1} * cut.demand.blocks * sum_cycles(columns);
    return all * cut.demand.positions;
  }
  Cycles handling(const WeightTile& tile, ElementType input) const {
    isa::Instruction i;
    i.opcode = isa::Opcode::mvm;
    i.type_a = input;
    i.type_d = sum_type();
    i.count = tile.window.count;
    i.len = tile.window.len;
    i.stride_a = tile.window.count > 1 ? std::numeric_limits<std::int32_t>::max() : 0;  // segments apart
    const isa::cost::Duration d = isa::cost::mvm(chip_, tile.shape, i);
    return d.total() - d.compute;
  }
  /// Adding two partial sums.
  Cycles sum_cycles(std::int32_t columns) const {
    isa::Instruction i;
    i.opcode = isa::Opcode::vadd;
    i.type_a = i.type_b = i.type_d = sum_type();
    i.len = columns;
    return isa::cost::local(chip_, i).total();
  }
  ElementType sum_type() const { return plan_.numerics == Numerics::f32 ? ElementType::f32 : ElementType::i32; }
  std::vector<ReplicationDemand> first_demands() const {
    std::vector<ReplicationDemand> demands;
    for (const std::vector<ReplicationDemand>& ways : ways_) demands.push_back(ways.front());
    return demands;
  }

  void plan_copies() {
    if (!options_.spread_of && options_.rounds > 1) plan_rounds_of_copies();
    if (!options_.spread_of && options_.rounds <= 1) plan_one_round();
  }
  void plan_one_round() {
    const auto [spare, goal] = allowance(first_demands(), chip_, spare_share(), options_.goal, false);
    const std::vector<Spread> spreads = replicate(ways_, chip_, spare, goal);
    result_.best_interval = best_interval(ways_, chip_, spare);
    for (std::size_t i = 0; i < spreads.size(); ++i) {
      result_.nodes[i].grid = spreads[i].grid;
      result_.nodes[i].strips_per_core = spreads[i].strips_per_core;
      result_.nodes[i].slices = spreads[i].slices;
      result_.nodes[i].pieces = spreads[i].pieces;
    }
  }
  double spare_share() const { return options_.replicate ? options_.crossbar_share : 0; }
  /// Copies round by round: each has the whole chip. Crossbars are what there is too little of, so every matrix is cut
  /// the way that takes fewest.
  void plan_rounds_of_copies() {
    const std::vector<ReplicationDemand> demands = first_demands();
    const Rounds rounds = plan_rounds(demands, chip_, options_.rounds, spare_share(), options_.goal);
    for (std::int32_t r = 0; r < options_.rounds; ++r) {
      std::vector<ReplicationDemand> parts;
      std::vector<std::size_t> of_part;
      for (std::size_t i = 0; i < demands.size(); ++i) {
        const ReplicationDemand part = part_of_round(demands[i], rounds[i], r);
        if (part.crossbars == 0) continue;
        parts.push_back(part);
        of_part.push_back(i);
      }
      const auto [spare, goal] = allowance(parts, chip_, spare_share(), options_.goal, r > 0);
      const std::vector<Spread> spreads = replicate(parts, chip_, spare, goal);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        MatrixNode& m = result_.nodes[of_part[p]];
        const bool is_first = m.round_of_tile.empty();
        m.round_of_tile = rounds[of_part[p]];
        m.grid = spreads[p].grid;
        m.strips_per_core =
            is_first ? spreads[p].strips_per_core : std::min(m.strips_per_core, spreads[p].strips_per_core);
        m.slices = std::max(m.slices, spreads[p].slices);
        m.pieces = std::max(m.pieces, spreads[p].pieces);
      }
    }
  }
  /// The tiles of the way that the grid was made for.
  void take(MatrixNode& m, std::int32_t own_windows) {
    const std::int32_t windows = options_.spread_of ? own_windows : m.grid.windows;
    CutMatrices cut_here;
    const auto [at, is_new] = (options_.cuts ? *options_.cuts : cut_here).made.try_emplace({m.node, windows});
    CutMatrices::Made& made = at->second;
    if (is_new) {
      std::optional<Cut> all = cut(m, windows);
      PIMENTO_CHECK(all.has_value(), "a matrix is spread as it cannot be cut");
      made = {all->strips_of_block, std::move(all->tiles)};
    }
    m.strips_of_block = made.strips_of_block;
    for (const WeightTile& tile : made.tiles) {
      m.tiles.push_back(static_cast<std::int32_t>(result_.tiles.size()));
      result_.tiles.push_back(tile);
    }
    if (!options_.spread_of) return;
    const Layout& out = layout(node(m.node).outputs[0]);
    const Spread own = options_.spread_of(m.node, out.rows, out.positions, m.strips_of_block);
    m.grid = own.grid;
    m.strips_per_core = own.strips_per_core;
    m.slices = own.slices;
    m.pieces = own.pieces;
    if (options_.rounds_of)
      m.round_of_tile = options_.rounds_of(m.node, m.strips_of_block, static_cast<std::int32_t>(m.tiles.size()));
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

std::int32_t begin_of_block(std::int32_t positions, const Grid& grid, std::int32_t i) {
  const auto mvms = static_cast<std::int32_t>(ceil_div(positions, grid.windows));
  return std::min(positions, begin_of(mvms, grid.positions, i) * grid.windows);
}

std::int32_t begin_of_piece(std::int32_t positions, const MatrixNode& matrix, std::int32_t i, std::int32_t k) {
  const Grid& grid = matrix.grid;
  const auto mvms = static_cast<std::int32_t>(ceil_div(positions, grid.windows));
  const std::int32_t first = begin_of(mvms, grid.positions, i);
  const std::int32_t here = begin_of(mvms, grid.positions, i + 1) - first;
  return std::min(positions, (first + begin_of(here, matrix.pieces, k)) * grid.windows);
}

Matrices plan_matrices(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                       const std::vector<Layout>& layouts, const std::vector<Root>& roots,
                       const SpatialOptions& options) {
  return Planner(graph, chip, plan, layouts, roots, options).run();
}

std::vector<Spread> plan_spreads(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                                 const std::vector<Layout>& layouts, const std::vector<Root>& roots,
                                 const SpatialOptions& options) {
  return Planner(graph, chip, plan, layouts, roots, options).spreads();
}

RoundRange range_of_rounds(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, bool apart) {
  const std::vector<Layout> layouts = choose_layouts(graph);
  return Planner(graph, chip, plan, layouts, find_roots(graph, layouts), SpatialOptions{}).range(apart);
}

}  // namespace pimento::pim
