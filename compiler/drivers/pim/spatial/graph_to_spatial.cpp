#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "compiler/drivers/pim/lower/refusals.hpp"
#include "compiler/drivers/pim/spatial/channel_cuts.hpp"
#include "compiler/drivers/pim/spatial/grids.hpp"
#include "compiler/drivers/pim/spatial/matrices.hpp"
#include "compiler/drivers/pim/spatial/needs.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"
#include "isa/support/hash.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {
namespace {

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
        value_of_(graph.values.size(), -1),
        cut_by_readers_(graph.values.size()) {}

  SpatialResult build() {
    matrices_ = plan_matrices(graph_, chip_, plan_, layouts_, roots_, options_);
    spatial().tiles = std::move(matrices_.tiles);
    make_values();
    find_cuts_of_readers();
    std::vector<Refused> refused;  // all of them, for one message
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      try {
        make_computes(static_cast<std::int32_t>(n));
      } catch (const NoSequence& e) {
        refused.push_back({label(graph_.nodes[n]), graph_.nodes[n].op, e.reason()});
      }
    }
    refuse(refused, chip_);
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
  std::vector<std::int32_t> value_of_;  ///< graph value -> spatial value
  Matrices matrices_;
  std::vector<Grid> grid_of_value_;  ///< by spatial value: how its producer cuts it
  /// By graph value: how the matrix with most copies of those that read it cuts what it makes; 1 block where a matrix
  /// made it.
  std::vector<Grid> cut_by_readers_;
  SpatialResult result_;
  PredictedTimes predicted_;                              ///< by batch and shape of the accesses
  std::vector<std::int32_t> key_;                         ///< the one asked for last
  std::unordered_map<const Alike*, std::int32_t> alike_;  ///< places in Spatial::alike

  Spatial& spatial() { return result_.spatial; }
  const ir::Node& node(std::int32_t n) const { return graph_.nodes[static_cast<std::size_t>(n)]; }
  const ir::Shape& shape(ir::ValueId v) const { return graph_.type(v).shape; }
  const Layout& layout(ir::ValueId v) const { return layouts_[ir::to_index(v)]; }

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
    const auto renamed = [&](ir::ValueId v) { return v != ir::no_value && roots_[ir::to_index(v)].value != v; };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const ir::Node& reader = graph_.nodes[n];
      if (renames_only(reader)) continue;
      for (std::size_t i = 0; i < reader.inputs.size(); ++i) {
        const std::int32_t m = matrices_.of_node[n];
        const bool streamed = m >= 0 && matrices_.nodes[static_cast<std::size_t>(m)].contraction->data_input ==
                                            static_cast<std::int32_t>(i);
        if (renamed(reader.inputs[i]) && (!streamed || reads_again(static_cast<std::int32_t>(n), i)))
          needs[ir::to_index(reader.inputs[i])] = true;
      }
    }
    std::vector<bool> has_port(graph_.values.size(), false);  // one output may be the name of a value, a second not
    for (const ir::ValueId v : graph_.inputs) has_port[ir::to_index(v)] = true;
    for (const ir::ValueId v : graph_.outputs)
      if (!renamed(v)) has_port[ir::to_index(v)] = true;
    for (const ir::ValueId v : graph_.outputs) {
      if (!renamed(v) || needs[ir::to_index(v)]) continue;
      const Root& root = roots_[ir::to_index(v)];
      const std::size_t at = ir::to_index(root.value);
      if (!root.same_order || has_port[at]) needs[ir::to_index(v)] = true;
      has_port[at] = true;
    }
    // a copy of a name is made of bytes
    for (std::size_t n = graph_.nodes.size(); n-- > 0;)
      if (const ir::Node& copy = graph_.nodes[n]; renames_only(copy) && needs[ir::to_index(copy.outputs[0])])
        if (renamed(copy.inputs[0])) needs[ir::to_index(copy.inputs[0])] = true;
    return needs;
  }

  /// The kernels after the first one read input i.
  bool reads_again(std::int32_t n, std::size_t i) const {
    const ir::KernelSequence& sequence = pool_.kernels(graph_, n);
    for (std::size_t c = 1; c < sequence.calls.size(); ++c)
      for (const ir::Slot& slot : sequence.calls[c].slots)
        if (slot.kind == ir::SlotKind::input && slot.index == static_cast<int>(i)) return true;
    return false;
  }

  std::vector<bool> with_bytes_;
  /// A name for what stands elsewhere on the chip; a constant stands nowhere yet.
  bool is_only_a_name(const ir::Node& n) const {
    return renames_only(n) && !graph_.is_constant(n.inputs[0]) && !with_bytes_[ir::to_index(n.outputs[0])];
  }
  void make_values() {
    with_bytes_ = renamed_with_bytes();
    for (const ir::ValueId v : graph_.inputs) make_value(v, ValueRole::input, {});
    std::vector<bool> is_output(graph_.values.size(), false);
    for (const ir::ValueId v : graph_.outputs) is_output[ir::to_index(v)] = true;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (is_only_a_name(graph_.nodes[n])) continue;
      const Grid grid =
          matrices_.of_node[n] >= 0 ? matrices_.nodes[static_cast<std::size_t>(matrices_.of_node[n])].grid : Grid{};
      for (const ir::ValueId v : graph_.nodes[n].outputs)
        if (v != ir::no_value)
          make_value(v, is_output[ir::to_index(v)] ? ValueRole::output : ValueRole::intermediate, grid);
    }
    for (const ir::ValueId v : graph_.outputs) {
      if (value_of_[ir::to_index(v)] >= 0) continue;
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

  static std::int32_t nearest_ratio(std::int32_t from, std::int32_t to) {
    return std::max(1, (from + to / 2) / std::max(1, to));
  }
  /// Computes of equal shape cost the same, so each shape is selected once.
  const PredictedTime& time_of(const Compute& c) {
    const Body& body = spatial().batches[index_of(c.batch)].body;
    // what no tile computes takes the same time in every mapping of the graph
    const bool is_shared = body.kind == BodyKind::vector && options_.vector_times;
    std::vector<std::int32_t>& key = key_;
    key.assign({static_cast<std::int32_t>(c.batch)});
    if (is_shared) key.assign({body.node, body.output});
    const PBox& w = c.write.box;
    for (const std::int32_t x : {w.rows(), w.positions(), w.channels()}) key.push_back(x);
    const Layout& to = spatial().values[index_of(c.write.value)].layout;
    for (const Access& read : c.reads) {
      const Layout& from = spatial().values[index_of(read.value)].layout;
      // where the write would begin in what is read: windows with a stride move on by it
      const std::int32_t r0 = w.r0 * nearest_ratio(from.rows, to.rows);
      const std::int32_t p0 = w.p0 * nearest_ratio(from.positions, to.positions);
      const PBox& b = read.box;
      for (const std::int32_t x : {b.r0 - r0, b.r1 - r0, b.p0 - p0, b.p1 - p0, b.c0, b.c1}) key.push_back(x);
    }
    const auto [at, is_new] = (is_shared ? *options_.vector_times : predicted_).try_emplace(key);
    if (is_new) {
      const SelectContext context{graph_, chip_, plan_, spatial().values, spatial().tiles, pool_};
      Selected selected = select(context, body, c.reads, c.write, c.cls);
      at->second = {predicted_cycles(context, selected), alone(context, selected), nullptr};
      if (chip_.core.window > 1) at->second.alike = alike(std::move(selected), c);
    }
    return at->second;
  }
  std::shared_ptr<const Alike> alike(Selected selected, const Compute& c) const {
    Alike made{std::move(selected), {}, c.reads, c.write};
    for (const std::int32_t constant : made.selected.constants) {
      const ConstantData& data = pool_[constant];
      made.constants.push_back(
          {data.type, static_cast<Bytes>(data.bytes.size()), hash64(data.bytes.data(), data.bytes.size())});
    }
    return std::make_shared<const Alike>(std::move(made));
  }
  /// Its index into Spatial::alike.
  std::int32_t index_of_alike(const std::shared_ptr<const Alike>& alike) {
    if (!alike) return -1;
    auto& all = spatial().alike;
    const auto [at, is_new] = alike_.try_emplace(alike.get(), static_cast<std::int32_t>(all.size()));
    if (is_new) all.push_back(alike);
    return at->second;
  }

  void add_compute(Compute compute) {
    const PredictedTime& time = time_of(compute);
    compute.cycles = time.cycles, compute.alone = time.alone;
    compute.alike = index_of_alike(time.alike);
    const ComputeId id{static_cast<std::int32_t>(spatial().computes.size())};
    spatial().batches[index_of(compute.batch)].lanes.push_back(id);
    if (compute.cls != no_class) spatial().classes[index_of(compute.cls)].computes.push_back(id);
    spatial().computes.push_back(std::move(compute));
  }

  void make_computes(std::int32_t n) {
    if (is_only_a_name(node(n))) return;
    if (matrices_.of_node[static_cast<std::size_t>(n)] >= 0)
      make_matrix(matrices_.nodes[static_cast<std::size_t>(matrices_.of_node[static_cast<std::size_t>(n)])]);
    else
      make_vector(n);
  }

  /// Boxes of the inputs that are read for one box of value `out`; an epilogue leaves out what it does not read.
  void add_reads(std::vector<Access>& reads, std::int32_t n, const InputNeeds& needs, ir::ValueId out, const PBox& box,
                 bool is_epilogue) {
    const std::vector<ir::Box> boxes = needs.of(to_logical(layout(out), shape(out), box));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const ir::ValueId in = node(n).inputs[i];
      if (in == ir::no_value || graph_.is_constant(in)) continue;
      if (boxes[i].empty() && !shape(in).empty()) {
        if (!is_epilogue) reads.push_back({value(in), {}});
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
               begin_of_block(where.positions, m.grid, bx),
               begin_of_block(where.positions, m.grid, bx + 1),
               0,
               where.channels};
    p.block.p1 = whole_mvms(p.block, m.grid);
    return add_value(std::move(p), m.grid);
  }

  /// Where the MVMs for the positions of a box end.
  static std::int32_t whole_mvms(const PBox& box, const Grid& grid) {
    return box.p0 + static_cast<std::int32_t>(ceil_div(box.positions(), grid.windows)) * grid.windows;
  }

  void make_matrix(const MatrixNode& m) {
    const ir::Node& source = node(m.node);
    const ir::ValueId out = source.outputs[0];
    const Layout& where = layout(out);
    const InputNeeds needs(graph_, source, pool_.kernels(graph_, m.node), 1);  // of the epilogue
    const std::int32_t channels = layout(m.data).channels;
    const SpatialValueId data = value(m.data);
    const auto strips = static_cast<std::size_t>(m.strips_of_block);
    const std::vector<MatrixNode::Part> cut = m.parts();  // on the cores of one copy and column block
    const std::size_t parts = cut.size();
    const bool has_partials = parts > 1;

    struct Part {  // strips that stand together
      std::size_t first = 0, count = 0;
      BatchId batch{};
      std::vector<ClassId> classes;
    };
    std::vector<Part> all_parts;
    for (std::size_t block = 0; block < m.tiles.size(); block += strips)
      for (const MatrixNode::Part& together : cut) {
        Part part;
        part.first = block + together.first;
        part.count = together.count;
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
          spatial().classes.push_back({.tile = tile,
                                       .copy = copy,
                                       .tile_count = tiles,
                                       .crossbars = crossbars,
                                       .computes = {},
                                       .round = m.round(part.first)});
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
      for (std::int32_t piece = 0; piece < m.grid.copies() * m.pieces; ++piece) {
        const std::int32_t copy = piece / m.pieces;
        const std::int32_t by = copy / m.grid.positions;
        const std::int32_t bx = copy % m.grid.positions;
        const std::int32_t r = begin_of(where.rows, m.grid.rows, by) + step;
        if (r >= begin_of(where.rows, m.grid.rows, by + 1)) continue;
        const std::int32_t p0 = begin_of_piece(where.positions, m, bx, piece % m.pieces);
        const std::int32_t p1 = begin_of_piece(where.positions, m, bx, piece % m.pieces + 1);
        if (p0 == p1) continue;
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
              c.reads.push_back({data, window_box(window, channels, r, r + 1, p0 / leader.windows,
                                                  p0 / leader.windows + leader.mvms(p1 - p0))});
            }
            if (!has_partials) add_reads(c.reads, m.node, needs, out, box, true);
            c.write = {has_partials ? partials[static_cast<std::size_t>(copy) * parts + s] : value(out), box};
            if (has_partials) c.write.box.p1 = whole_mvms(box, m.grid);
            add_compute(std::move(c));
          }
          if (!has_partials) continue;
          // the partial sums of many strips would queue before one core: their channels are added up in slices
          const std::int32_t slices = combine_slices(chip_, static_cast<std::int32_t>(parts), box.channels(), m.slices);
          for (std::int32_t slice = 0; slice < slices; ++slice) {
            PBox part = box;
            part.c0 = box.c0 + begin_of(box.channels(), slices, slice);
            part.c1 = box.c0 + begin_of(box.channels(), slices, slice + 1);
            Compute sum;
            sum.batch = combines[block];
            for (std::size_t s = 0; s < parts; ++s)
              sum.reads.push_back({partials[static_cast<std::size_t>(copy) * parts + s], part});
            add_reads(sum.reads, m.node, needs, out, part, true);
            sum.write = {value(out), part};
            add_compute(std::move(sum));
          }
        }
      }
  }

  /// What no matrix makes would stand on one core: it is cut as its readers are.
  void find_cuts_of_readers() {
    std::vector<bool> of_matrix(graph_.values.size(), false);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const ir::Node& maker = graph_.nodes[n];
      const bool found = matrices_.of_node[n] >= 0 ||
                         std::any_of(maker.inputs.begin(), maker.inputs.end(),
                                     [&](ir::ValueId in) { return in != ir::no_value && of_matrix[ir::to_index(in)]; });
      for (const ir::ValueId out : maker.outputs)
        if (out != ir::no_value) of_matrix[ir::to_index(out)] = found;
    }
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      const ir::Node& reader = graph_.nodes[n];
      const std::int32_t m = matrices_.of_node[n];
      for (const ir::ValueId out : reader.outputs) {
        if (out == ir::no_value) continue;
        const Grid grid =
            m >= 0 ? matrices_.nodes[static_cast<std::size_t>(m)].grid : cut_by_readers_[ir::to_index(out)];
        for (const ir::ValueId in : reader.inputs) {
          if (in == ir::no_value || graph_.is_constant(in) || of_matrix[ir::to_index(in)]) continue;
          Grid& cut = cut_by_readers_[ir::to_index(in)];
          if (grid.copies() > cut.copies()) cut = in_proportion(grid, layout(out).positions, layout(in).positions);
        }
      }
    }
  }

  void make_vector(std::int32_t n) {
    if (node(n).op == "loop")
      throw NoSequence(chip_.name, label(node(n)), "loops over a graph are not supported on this backend");
    const auto outputs = static_cast<std::int32_t>(node(n).outputs.size());
    for (std::int32_t o = 0; o < outputs; ++o)
      if (node(n).outputs[static_cast<std::size_t>(o)] != ir::no_value) make_vector(n, o);
  }

  void make_vector(std::int32_t n, std::int32_t output) {
    const ir::Node& source = node(n);
    const InputNeeds needs(graph_, source, pool_.kernels(graph_, n), 0, output);
    const ir::ValueId out = source.outputs[static_cast<std::size_t>(output)];
    const Layout& where = layout(out);
    // cut as the largest input is cut, so that most of it stays where it is made
    Grid grid = cut_by_readers_[ir::to_index(out)];
    for (const ir::ValueId in : source.inputs)
      if (in != ir::no_value && !graph_.is_constant(in)) {
        const Grid& g = grid_of_value_[index_of(value(in))];
        if (g.copies() > grid.copies()) grid = in_proportion(g, layout(in).positions, where.positions);
      }
    if (source.op == "rearrange") {
      const ir::ValueId in = source.inputs[0];
      const std::int64_t made = std::int64_t{layout(in).rows} * grid_of_value_[index_of(value(in))].positions;
      grid = cut_rearranged(grid, where, made, size_of(plan_.of(out).type));
    }
    grid.rows = std::min(grid.rows, where.rows);
    grid.positions = std::min(grid.positions, static_cast<std::int32_t>(ceil_div(where.positions, grid.windows)));
    grid_of_value_[index_of(value(out))] = grid;
    const std::vector<std::int32_t> cuts =
        channel_cuts(graph_, source, needs, layouts_, chip_, std::int64_t{where.rows} * grid.positions, output);
    const BatchId batch = add_batch({.kind = BodyKind::vector, .node = n, .output = output});
    for (std::int32_t r = 0; r < where.rows; ++r)
      for (std::int32_t bx = 0; bx < grid.positions; ++bx)
        for (std::size_t slice = 0; slice + 1 < cuts.size(); ++slice) {
          const PBox box{r,
                         r + 1,
                         begin_of_block(where.positions, grid, bx),
                         begin_of_block(where.positions, grid, bx + 1),
                         cuts[slice],
                         cuts[slice + 1]};
          Compute c;
          c.batch = batch;
          add_reads(c.reads, n, needs, out, box, false);
          c.write = {value(out), box};
          add_compute(std::move(c));
        }
  }

  std::int64_t mvms_in_row(const Compute& c) const {
    const Body& body = result_.spatial.batches[index_of(c.batch)].body;
    const WeightTile& tile = result_.spatial.tiles[static_cast<std::size_t>(body.tile)];
    return std::int64_t{tile.mvms(c.write.box.positions())} * body.tile_count;
  }
  void count() {
    SpatialStatistics& s = result_.statistics;
    s.best_interval = matrices_.best_interval;
    s.computes = static_cast<std::int64_t>(spatial().computes.size());
    s.batches = static_cast<std::int64_t>(spatial().batches.size());
    s.classes = static_cast<std::int64_t>(spatial().classes.size());
    s.values = static_cast<std::int64_t>(spatial().values.size());
    for (const TileClass& c : spatial().classes) s.crossbars_used += c.crossbars;
    for (const Compute& c : spatial().computes)
      if (c.cls != no_class) s.mvms += std::int64_t{c.write.box.rows()} * mvms_in_row(c);
  }
};

}  // namespace

SpatialResult graph_to_spatial(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                               ConstantPool& pool, const SpatialOptions& options) {
  return Builder(graph, chip, plan, pool, options).build();
}

std::vector<Spread> planned_spreads(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan,
                                    const SpatialOptions& options) {
  const std::vector<Layout> layouts = choose_layouts(graph);
  return plan_spreads(graph, chip, plan, layouts, find_roots(graph, layouts), options);
}

}  // namespace pimento::pim
