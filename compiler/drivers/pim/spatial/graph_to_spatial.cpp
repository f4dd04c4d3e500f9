#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/drivers/pim/spatial/needs.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// A contraction of the graph as tiles; copies come from the replication.
struct MatrixNode {
  std::int32_t node = 0;
  Contracted contraction;
  ir::ValueId data = ir::no_value;  ///< where the streamed content stands
  std::vector<std::int32_t> tiles;  ///< all tiles: by column block, then strip
  std::int32_t strips_of_block = 1;
  Grid grid;
  std::int32_t strips_per_core = 1;
  std::int32_t parts() const { return (strips_of_block + strips_per_core - 1) / strips_per_core; }
};

std::int32_t begin_of(std::int32_t extent, std::int32_t parts, std::int32_t i) {
  return static_cast<std::int32_t>(std::int64_t{extent} * i / parts);
}

class Builder {
 public:
  Builder(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, ConstantPool& pool,
          const SpatialOptions& options)
      : graph_(graph),
        chip_(chip),
        plan_(plan),
        pool_(pool),
        options_(options),
        layouts_(choose_layouts(graph)),
        roots_(find_roots(graph, layouts_)),
        value_of_(graph.values.size(), -1) {}

  SpatialResult build() {
    find_matrices();
    plan_copies();
    make_values();
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) make_computes(static_cast<std::int32_t>(n));
    count();
    return std::move(result_);
  }

 private:
  const ir::Graph& graph_;
  const isa::Chip& chip_;
  const NumericsPlan& plan_;
  ConstantPool& pool_;
  const SpatialOptions& options_;
  std::vector<Layout> layouts_;
  std::vector<Root> roots_;
  std::vector<std::int32_t> value_of_;   ///< graph value -> spatial value
  std::vector<std::int32_t> matrix_of_;  ///< graph node -> index into matrices_, or -1
  std::vector<MatrixNode> matrices_;
  std::vector<Grid> grid_of_value_;  ///< by spatial value: how its producer cuts it
  SpatialResult result_;
  std::map<std::vector<std::int32_t>, Cycles> predicted_;  ///< by batch and shape of the accesses

  Spatial& spatial() { return result_.spatial; }
  const ir::Node& node(std::int32_t n) const { return graph_.nodes[static_cast<std::size_t>(n)]; }
  const ir::Shape& shape(ir::ValueId v) const { return graph_.type(v).shape; }
  const Layout& layout(ir::ValueId v) const { return layouts_[ir::to_index(v)]; }
  std::string label(std::int32_t n) const { return node(n).source.empty() ? node(n).op : node(n).source; }

  // --- contractions -> tiles
  void find_matrices() {
    matrix_of_.assign(graph_.nodes.size(), -1);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const auto id = static_cast<std::int32_t>(n);
      if (renames_only(node(id))) continue;
      std::optional<Contracted> c = contracted(graph_, node(id), layouts_, roots_);
      if (!c) continue;
      MatrixNode matrix;
      matrix.node = id;
      matrix.contraction = std::move(*c);
      matrix.data =
          roots_[ir::to_index(node(id).inputs[static_cast<std::size_t>(matrix.contraction.data_input)])].value;
      if (!cut_tiles(matrix)) continue;
      matrix_of_[n] = static_cast<std::int32_t>(matrices_.size());
      matrices_.push_back(std::move(matrix));
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
    for (const Contracted::Matrix& matrix : m.contraction.matrices) {
      const std::vector<Strip> strips = cut_strips(matrix, m.contraction, channels, max_rows);
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
          mvm_work += isa::cost::mvm_compute(chip_, tile.shape, input);
          tiles.push_back(std::move(tile));
        }
      vector_work += static_cast<std::int64_t>(matrix.elements.size()) * (matrix.col1 - matrix.col0);
    }
    const isa::VectorUnit& v = chip_.core.vector;
    if (m.contraction.matrices.size() > 1 && vector_work / v.lanes * v.latency_cycles <= mvm_work) return false;
    for (WeightTile& tile : tiles) {
      m.tiles.push_back(static_cast<std::int32_t>(spatial().tiles.size()));
      spatial().tiles.push_back(std::move(tile));
    }
    return true;
  }

  void plan_copies() {
    std::vector<ReplicationDemand> demands;
    for (const MatrixNode& m : matrices_) {
      ReplicationDemand d;
      d.name = label(m.node);
      const Layout& out = layout(node(m.node).outputs[0]);
      d.rows = out.rows;
      d.positions = out.positions;
      d.strips = m.strips_of_block;
      d.blocks = static_cast<std::int32_t>(m.tiles.size()) / m.strips_of_block;
      d.crossbars = 0;
      Cycles work = 0;
      std::int32_t columns = 0;
      for (const std::int32_t t : m.tiles) {
        const WeightTile& tile = spatial().tiles[static_cast<std::size_t>(t)];
        const std::int32_t taken = tile.shape.crossbar_rows * tile.shape.crossbar_cols;
        d.crossbars += taken;
        d.strip_crossbars = std::max(d.strip_crossbars, taken);
        columns = std::max(columns, tile.col1 - tile.col0);
        work += isa::cost::mvm_compute(chip_, tile.shape, plan_.of(m.data).type);
      }
      d.mvm_cycles = std::max<Cycles>(1, work / static_cast<Cycles>(m.tiles.size()));
      d.partial_cycles = mean_cycles(std::int64_t{columns} * 4);
      d.slices = combine_slices(m.strips_of_block, columns);
      d.lag_rows = lag_rows(m);
      demands.push_back(d);
    }
    const auto all = static_cast<double>(std::int64_t{chip_.cores} * chip_.core.crossbars);
    const auto budget = options_.replicate ? static_cast<std::int64_t>(all * options_.crossbar_share) : 0;
    const std::vector<Spread> spreads = replicate(demands, chip_, budget);
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      matrices_[i].grid = spreads[i].grid;
      matrices_[i].strips_per_core = spreads[i].strips_per_core;
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
    for (const Contracted::Matrix& matrix : m.contraction.matrices)
      for (const Contracted::Matrix::Element& e : matrix.elements) {
        first = std::min(first, e.row);
        last = std::max(last, e.row);
      }
    const std::int32_t stride = std::max(1, m.contraction.row_stride);
    return std::max(1, (last - first + stride) / stride - (last > 0 && first < 0 ? 1 : 0));
  }

  // --- values
  SpatialValueId add_value(SpatialValue value, Grid grid) {
    spatial().values.push_back(std::move(value));
    grid_of_value_.push_back(grid);
    return SpatialValueId{static_cast<std::int32_t>(spatial().values.size() - 1)};
  }
  SpatialValueId value(ir::ValueId v) const {
    const std::int32_t at = value_of_[ir::to_index(v)];
    PIMENTO_CHECK(at >= 0, fmt::format("value '{}' has no place on the chip", graph_.value(v).name));
    return SpatialValueId{at};
  }

  void make_value(ir::ValueId v, ValueRole role, Grid grid) {
    SpatialValue s;
    s.name = graph_.value(v).name;
    s.graph_value = v;
    s.role = role;
    s.layout = layout(v);
    s.type = plan_.of(v).type;
    s.scale = plan_.of(v).scale;
    s.port_order = s.layout.order;
    if (role != ValueRole::intermediate) s.port = v;
    value_of_[ir::to_index(v)] = static_cast<std::int32_t>(index_of(add_value(std::move(s), grid)));
  }

  /// A renamed value gets bytes of its own only where somebody needs them: a reader that is no contraction, or an
  /// output whose physical sequence differs from its root's.
  std::vector<bool> renamed_with_bytes() const {
    std::vector<bool> needs(graph_.values.size(), false);
    std::vector<bool> is_output(graph_.values.size(), false);
    for (const ir::ValueId v : graph_.outputs) is_output[ir::to_index(v)] = true;
    const auto renamed = [&](ir::ValueId v) { return v != ir::no_value && roots_[ir::to_index(v)].value != v; };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const ir::Node& reader = graph_.nodes[n];
      if (renames_only(reader)) continue;
      for (std::size_t i = 0; i < reader.inputs.size(); ++i) {
        const std::int32_t m = matrix_of_[n];
        const bool streamed =
            m >= 0 && matrices_[static_cast<std::size_t>(m)].contraction.data_input == static_cast<std::int32_t>(i);
        if (renamed(reader.inputs[i]) && (!streamed || reads_again(static_cast<std::int32_t>(n), i)))
          needs[ir::to_index(reader.inputs[i])] = true;
      }
    }
    for (const ir::ValueId v : graph_.outputs) {
      if (!renamed(v)) continue;
      const Root& root = roots_[ir::to_index(v)];
      const bool root_is_port =
          is_output[ir::to_index(root.value)] ||
          std::find(graph_.inputs.begin(), graph_.inputs.end(), root.value) != graph_.inputs.end();
      if (!root.same_order || root_is_port) needs[ir::to_index(v)] = true;
    }
    return needs;
  }

  /// The kernels after the first one read input i.
  bool reads_again(std::int32_t n, std::size_t i) const {
    const ir::KernelSequence sequence = ops::kernels_of(graph_, node(n));
    for (std::size_t c = 1; c < sequence.calls.size(); ++c)
      for (const ir::Slot& slot : sequence.calls[c].slots)
        if (slot.kind == ir::SlotKind::input && slot.index == static_cast<int>(i)) return true;
    return false;
  }

  std::vector<bool> with_bytes_;
  void make_values() {
    with_bytes_ = renamed_with_bytes();
    for (const ir::ValueId v : graph_.inputs) make_value(v, ValueRole::input, {});
    std::vector<bool> is_output(graph_.values.size(), false);
    for (const ir::ValueId v : graph_.outputs) is_output[ir::to_index(v)] = true;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (renames_only(graph_.nodes[n]) && !with_bytes_[ir::to_index(graph_.nodes[n].outputs[0])]) continue;
      const Grid grid = matrix_of_[n] >= 0 ? matrices_[static_cast<std::size_t>(matrix_of_[n])].grid : Grid{};
      for (const ir::ValueId v : graph_.nodes[n].outputs)
        if (v != ir::no_value)
          make_value(v, is_output[ir::to_index(v)] ? ValueRole::output : ValueRole::intermediate, grid);
    }
    for (const ir::ValueId v : graph_.outputs) {
      if (graph_.is_constant(v))
        throw UserError(fmt::format("output '{}' is a constant; nothing is left to compute", graph_.value(v).name));
      if (value_of_[ir::to_index(v)] >= 0) {
        if (spatial().values[index_of(value(v))].role == ValueRole::input)
          throw UserError(
              fmt::format("output '{}' is an input of the model; nothing is computed for it", graph_.value(v).name));
        continue;
      }
      SpatialValue& root = spatial().values[index_of(value(roots_[ir::to_index(v)].value))];
      root.role = ValueRole::output;
      root.port = v;
      root.port_order = layout(v).order;
    }
  }

  // --- computes
  BatchId add_batch(Body body) {
    spatial().batches.push_back({body, {}});
    return BatchId{static_cast<std::int32_t>(spatial().batches.size() - 1)};
  }

  /// Computes of equal shape cost the same, so each shape is selected once.
  Cycles cycles_of(const Compute& c) {
    std::vector<std::int32_t> key{static_cast<std::int32_t>(c.batch)};
    const PBox& w = c.write.box;
    for (const std::int32_t x : {w.rows(), w.positions(), w.channels()}) key.push_back(x);
    for (const Access& read : c.reads) {
      const PBox& b = read.box;
      for (const std::int32_t x : {b.r0 - w.r0, b.r1 - w.r0, b.p0 - w.p0, b.p1 - w.p0, b.c0, b.c1}) key.push_back(x);
    }
    const auto [at, is_new] = predicted_.try_emplace(std::move(key), 0);
    if (is_new) {
      const SelectContext context{graph_, chip_, plan_, spatial().values, spatial().tiles, pool_};
      const Selected selected = select(context, spatial().batches[index_of(c.batch)].body, c.reads, c.write, c.cls);
      at->second = predicted_cycles(context, selected);
    }
    return at->second;
  }

  void add_compute(Compute compute) {
    compute.cycles = cycles_of(compute);
    const ComputeId id{static_cast<std::int32_t>(spatial().computes.size())};
    spatial().batches[index_of(compute.batch)].lanes.push_back(id);
    if (compute.cls != no_class) spatial().classes[index_of(compute.cls)].computes.push_back(id);
    spatial().computes.push_back(std::move(compute));
  }

  void make_computes(std::int32_t n) {
    if (renames_only(node(n)) && !with_bytes_[ir::to_index(node(n).outputs[0])]) return;
    if (matrix_of_[static_cast<std::size_t>(n)] >= 0)
      make_matrix(matrices_[static_cast<std::size_t>(matrix_of_[static_cast<std::size_t>(n)])]);
    else
      make_vector(n);
  }

  /// Boxes of the inputs that the kernels from `first_call` on read for one box of the output.
  void add_reads(std::vector<Access>& reads, std::int32_t n, const ir::KernelSequence& sequence, const PBox& box,
                 std::size_t first_call) {
    const ir::ValueId out = node(n).outputs[0];
    const std::vector<ir::Box> boxes =
        needed_inputs(graph_, node(n), sequence, to_logical(layout(out), shape(out), box), first_call);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const ir::ValueId in = node(n).inputs[i];
      if (in == ir::no_value || graph_.is_constant(in)) continue;
      if (boxes[i].empty() && !shape(in).empty()) {
        if (first_call == 0) reads.push_back({value(in), {}});
        continue;
      }
      reads.push_back({value(in), physical(layout(in), shape(in), boxes[i])});
    }
  }

  SpatialValueId add_partial(const MatrixNode& m, std::int32_t copy, std::size_t strip) {
    const ir::ValueId out = node(m.node).outputs[0];
    const Layout& where = layout(out);
    SpatialValue p;
    p.name = fmt::format("{}.copy{}.strip{}", graph_.value(out).name, copy, strip);
    p.role = ValueRole::partial;
    p.layout = where;
    p.type = plan_.numerics == Numerics::f32 ? ElementType::f32 : ElementType::i32;
    p.port_order = where.order;
    const std::int32_t by = copy / m.grid.positions;
    const std::int32_t bx = copy % m.grid.positions;
    p.block = {begin_of(where.rows, m.grid.rows, by),
               begin_of(where.rows, m.grid.rows, by + 1),
               begin_of(where.positions, m.grid.positions, bx),
               begin_of(where.positions, m.grid.positions, bx + 1),
               0,
               where.channels};
    return add_value(std::move(p), m.grid);
  }

  void make_matrix(const MatrixNode& m) {
    const ir::Node& source = node(m.node);
    const ir::ValueId out = source.outputs[0];
    const Layout& where = layout(out);
    const ir::KernelSequence sequence = ops::kernels_of(graph_, source);
    const std::int32_t channels = layout(m.data).channels;
    const SpatialValueId data = value(m.data);
    const auto strips = static_cast<std::size_t>(m.strips_of_block);
    const auto parts = static_cast<std::size_t>(m.parts());  // cores of one copy and column block
    const auto per_core = static_cast<std::size_t>(m.strips_per_core);
    const bool has_partials = parts > 1;

    struct Part {  // strips that stand together
      std::size_t first = 0, count = 0;
      BatchId batch{};
      std::vector<ClassId> classes;
    };
    std::vector<Part> all_parts;
    for (std::size_t block = 0; block < m.tiles.size(); block += strips)
      for (std::size_t first = 0; first < strips; first += per_core) {
        Part part;
        part.first = block + first;
        part.count = std::min(per_core, strips - first);
        const std::int32_t tile = m.tiles[part.first];
        const auto tiles = static_cast<std::int32_t>(part.count);
        part.batch = add_batch(
            {.kind = BodyKind::mvm, .node = m.node, .tile = tile, .tile_count = tiles, .epilogue = !has_partials});
        std::int32_t crossbars = 0;
        for (std::size_t t = part.first; t < part.first + part.count; ++t) {
          const isa::cost::TileShape& s = spatial().tiles[static_cast<std::size_t>(m.tiles[t])].shape;
          crossbars += s.crossbar_rows * s.crossbar_cols;
        }
        for (std::int32_t copy = 0; copy < m.grid.copies(); ++copy) {
          part.classes.push_back(ClassId{static_cast<std::int32_t>(spatial().classes.size())});
          spatial().classes.push_back(
              {.tile = tile, .copy = copy, .tile_count = tiles, .crossbars = crossbars, .computes = {}});
        }
        all_parts.push_back(std::move(part));
      }
    // partial sums of part s, copy c: partials[c * parts + s]
    std::vector<SpatialValueId> partials;
    std::vector<BatchId> combines;
    if (has_partials) {
      for (std::int32_t copy = 0; copy < m.grid.copies(); ++copy)
        for (std::size_t s = 0; s < parts; ++s) partials.push_back(add_partial(m, copy, s));
      for (std::size_t b = 0; b < m.tiles.size() / strips; ++b)
        combines.push_back(add_batch({.kind = BodyKind::combine, .node = m.node}));
    }

    // row by row through every block at once: the order in which one image streams
    std::int32_t tallest = 0;
    for (std::int32_t by = 0; by < m.grid.rows; ++by)
      tallest = std::max(tallest, begin_of(where.rows, m.grid.rows, by + 1) - begin_of(where.rows, m.grid.rows, by));
    for (std::int32_t step = 0; step < tallest; ++step)
      for (std::int32_t copy = 0; copy < m.grid.copies(); ++copy) {
        const std::int32_t by = copy / m.grid.positions;
        const std::int32_t bx = copy % m.grid.positions;
        const std::int32_t r = begin_of(where.rows, m.grid.rows, by) + step;
        if (r >= begin_of(where.rows, m.grid.rows, by + 1)) continue;
        const std::int32_t p0 = begin_of(where.positions, m.grid.positions, bx);
        const std::int32_t p1 = begin_of(where.positions, m.grid.positions, bx + 1);
        for (std::size_t block = 0; block < m.tiles.size() / strips; ++block) {
          const WeightTile& leader = spatial().tiles[static_cast<std::size_t>(m.tiles[block * strips])];
          const PBox box{r, r + 1, p0, p1, leader.col0, leader.col1};
          for (std::size_t s = 0; s < parts; ++s) {
            const Part& part = all_parts[block * parts + s];
            Compute c;
            c.batch = part.batch;
            c.cls = part.classes[static_cast<std::size_t>(copy)];
            for (std::size_t t = part.first; t < part.first + part.count; ++t) {
              const Window& window = spatial().tiles[static_cast<std::size_t>(m.tiles[t])].window;
              c.reads.push_back({data, window_box(window, channels, r, r + 1, p0, p1)});
            }
            if (!has_partials) add_reads(c.reads, m.node, sequence, box, 1);
            c.write = {has_partials ? partials[static_cast<std::size_t>(copy) * parts + s] : value(out), box};
            add_compute(std::move(c));
          }
          if (!has_partials) continue;
          // the partial sums of many strips would queue before one core: their channels are added up in slices
          const std::int32_t slices = combine_slices(m.parts(), box.channels());
          for (std::int32_t slice = 0; slice < slices; ++slice) {
            PBox part = box;
            part.c0 = box.c0 + begin_of(box.channels(), slices, slice);
            part.c1 = box.c0 + begin_of(box.channels(), slices, slice + 1);
            Compute sum;
            sum.batch = combines[block];
            for (std::size_t s = 0; s < parts; ++s)
              sum.reads.push_back({partials[static_cast<std::size_t>(copy) * parts + s], part});
            add_reads(sum.reads, m.node, sequence, part, 1);
            sum.write = {value(out), part};
            add_compute(std::move(sum));
          }
        }
      }
  }

  /// Slices of a combine: about eight messages each, and at least one pass of the vector unit.
  std::int32_t combine_slices(std::int32_t strips, std::int32_t channels) const {
    return std::clamp((strips + 7) / 8, 1, std::max(1, channels / chip_.core.vector.lanes));
  }

  /// Channels of one lane: enough to fill the vector unit, and no more lanes than cores.
  std::int32_t channel_lanes(const Layout& where, std::int64_t lanes_so_far) const {
    const std::int32_t widest = std::max(1, where.channels / std::max(1, 4 * chip_.core.vector.lanes));
    return static_cast<std::int32_t>(
        std::clamp<std::int64_t>(chip_.cores / std::max<std::int64_t>(1, lanes_so_far), 1, widest));
  }

  void make_vector(std::int32_t n) {
    const ir::Node& source = node(n);
    if (source.outputs.size() != 1)
      throw UserError({"", 0, 0, fmt::format("node '{}' ({})", label(n), source.op)},
                      "several outputs are not supported on this backend");
    const ir::KernelSequence sequence = ops::kernels_of(graph_, source);
    const ir::ValueId out = source.outputs[0];
    const Layout& where = layout(out);
    // cut as the largest input is cut, so that most of it stays where it is made
    Grid grid;
    for (const ir::ValueId in : source.inputs)
      if (in != ir::no_value && !graph_.is_constant(in)) {
        const Grid& g = grid_of_value_[index_of(value(in))];
        if (g.copies() > grid.copies()) grid = g;
      }
    grid.rows = std::min(grid.rows, where.rows);
    grid.positions = std::min(grid.positions, where.positions);
    grid_of_value_[index_of(value(out))] = grid;
    const std::vector<std::int32_t> cuts = channel_cuts(n, sequence, std::int64_t{where.rows} * grid.positions);
    const BatchId batch = add_batch({.kind = BodyKind::vector, .node = n});
    for (std::int32_t r = 0; r < where.rows; ++r)
      for (std::int32_t bx = 0; bx < grid.positions; ++bx)
        for (std::size_t slice = 0; slice + 1 < cuts.size(); ++slice) {
          const PBox box{r,
                         r + 1,
                         begin_of(where.positions, grid.positions, bx),
                         begin_of(where.positions, grid.positions, bx + 1),
                         cuts[slice],
                         cuts[slice + 1]};
          Compute c;
          c.batch = batch;
          add_reads(c.reads, n, sequence, box, 0);
          c.write = {value(out), box};
          add_compute(std::move(c));
        }
  }

  /// Boundaries of the channel slices, 0 and the last included.
  std::vector<std::int32_t> channel_cuts(std::int32_t n, const ir::KernelSequence& sequence, std::int64_t lanes) const {
    const Layout& where = layout(node(n).outputs[0]);
    std::vector<std::int32_t> cuts = source_cuts(n, sequence);
    if (cuts.size() > 2 || reads_other_channels(n, sequence)) return cuts;
    const std::int32_t slices = channel_lanes(where, lanes);
    cuts.clear();
    for (std::int32_t i = 0; i <= slices; ++i) cuts.push_back(begin_of(where.channels, slices, i));
    return cuts;
  }

  /// A result that several inputs fill side by side (a concatenation) is cut where one input ends.
  std::vector<std::int32_t> source_cuts(std::int32_t n, const ir::KernelSequence& sequence) const {
    const ir::ValueId out = node(n).outputs[0];
    const Layout& where = layout(out);
    std::vector<std::int32_t> cuts{0};
    std::int64_t data_inputs = 0;
    for (const ir::ValueId in : node(n).inputs) data_inputs += in != ir::no_value && !graph_.is_constant(in);
    std::vector<bool> last;
    for (std::int32_t c = 0; c < where.channels && data_inputs > 1; ++c) {
      const PBox unit{0, where.rows, 0, where.positions, c, c + 1};
      std::vector<bool> used;
      for (const ir::Box& b : needed_inputs(graph_, node(n), sequence, to_logical(where, shape(out), unit)))
        used.push_back(!b.empty() && !ir::is_empty(b));
      if (c > 0 && used != last) cuts.push_back(c);
      last = std::move(used);
    }
    cuts.push_back(where.channels);
    return cuts;
  }

  /// One channel of the result needs more than the same channel of some input: slicing channels would repeat work.
  bool reads_other_channels(std::int32_t n, const ir::KernelSequence& sequence) const {
    const ir::ValueId out = node(n).outputs[0];
    const Layout& where = layout(out);
    const std::int32_t middle = where.channels / 2;
    const PBox box{0, 1, 0, 1, middle, middle + 1};
    const std::vector<ir::Box> boxes = needed_inputs(graph_, node(n), sequence, to_logical(where, shape(out), box));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const ir::ValueId in = node(n).inputs[i];
      if (in == ir::no_value || graph_.is_constant(in) || boxes[i].empty()) continue;
      const PBox part = physical(layout(in), shape(in), boxes[i]);
      if (part.channels() > 1) return true;
    }
    return false;
  }

  void count() {
    SpatialStatistics& s = result_.statistics;
    s.computes = static_cast<std::int64_t>(spatial().computes.size());
    s.batches = static_cast<std::int64_t>(spatial().batches.size());
    s.classes = static_cast<std::int64_t>(spatial().classes.size());
    s.values = static_cast<std::int64_t>(spatial().values.size());
    for (const TileClass& c : spatial().classes) s.crossbars_used += c.crossbars;
    for (const Compute& c : spatial().computes)
      if (c.cls != no_class)
        s.mvms += std::int64_t{c.write.box.rows()} * c.write.box.positions() *
                  spatial().batches[index_of(c.batch)].body.tile_count;
  }
};

}  // namespace

SpatialResult graph_to_spatial(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                               ConstantPool& pool, const SpatialOptions& options) {
  return Builder(graph, chip, plan, pool, options).build();
}

}  // namespace pimento::pim
