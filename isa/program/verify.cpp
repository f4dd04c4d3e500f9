#include "isa/program/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "isa/program/array_groups.hpp"
#include "isa/support/counted.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa {
namespace {
struct Verifier {
  const Program& program;
  const Chip& chip;
  const std::string& file;

  [[noreturn]] void fail(const std::string& where, const std::string& message) const {
    throw UserError({.file = file, .line = 0, .column = 0, .node = where}, message);
  }

  void check_crossbars(const std::string& where, std::int32_t rows, std::int32_t cols) const {
    const ArrayGroup& limit = chip.core.array_group;
    if (rows < 1 || cols < 1 || rows > limit.max_rows || cols > limit.max_columns)
      fail(where, fmt::format("{}x{} crossbars, an array group of chip '{}' has at most {}x{}", rows, cols, chip.name,
                              limit.max_rows, limit.max_columns));
  }

  void check_tile(std::size_t index) const {
    const Tile& tile = program.tiles[index];
    const std::string where = fmt::format("tile {}", index);
    check_crossbars(where, tile.crossbar_rows, tile.crossbar_cols);
    const std::int64_t rows = std::int64_t{tile.crossbar_rows} * chip.core.crossbar.rows;
    const std::int64_t cols = std::int64_t{tile.crossbar_cols} * chip.weights_per_crossbar_row();
    if (tile.rows < 1 || tile.cols < 1 || tile.rows > rows || tile.cols > cols)
      fail(where, fmt::format("{}x{} weights, its {}x{} crossbars hold at most {}x{}", tile.rows, tile.cols,
                              tile.crossbar_rows, tile.crossbar_cols, rows, cols));
    if (tile.type != ElementType::i8 && tile.type != ElementType::i16 && tile.type != ElementType::f32)
      fail(where, fmt::format("expected weights of type i8, i16 or f32, got {}", to_string(tile.type)));
    if (tile.type == ElementType::f32 && !chip.numerics.f32)
      fail(where, fmt::format("weights are f32, chip '{}' has no f32 in its matrix path", chip.name));
    const std::size_t weights = static_cast<std::size_t>(tile.rows) * static_cast<std::size_t>(tile.cols);
    const std::size_t bytes = weights * static_cast<std::size_t>(size_of(tile.type));
    if (tile.weights.size() != bytes)
      fail(where, fmt::format("expected {} bytes of weights, got {}", bytes, tile.weights.size()));
    if (tile.real.size() != 0 && tile.real.size() != weights)
      fail(where, fmt::format("expected {} real weights or none, got {}", weights, tile.real.size()));
    if (program.numerics == Numerics::exact && tile.real.size() == 0)
      fail(where, "exact numerics need the weights as real numbers, this tile has none");
  }

  void check_groups(std::size_t core) const {
    const auto& groups = program.cores[core].groups;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Group& group = groups[g];
      const std::string where = fmt::format("core {}, array group {}", core, g);
      check_crossbars(where, group.crossbar_rows, group.crossbar_cols);
      if (crossbars_of(group) > chip.core.crossbars)
        fail(where, fmt::format("{}, a core has {}", counted(crossbars_of(group), "crossbar"), chip.core.crossbars));
      if (group.tile == no_tile) continue;
      if (group.tile >= program.tiles.size())
        fail(where, fmt::format("tile {}, program has {}", group.tile, program.tiles.size()));
      const Tile& tile = program.tiles[group.tile];
      if (tile.crossbar_rows > group.crossbar_rows || tile.crossbar_cols > group.crossbar_cols)
        fail(where, fmt::format("tile {} takes {}x{} crossbars, the group has {}x{}", group.tile, tile.crossbar_rows,
                                tile.crossbar_cols, group.crossbar_rows, group.crossbar_cols));
    }
    check_starts(core);
  }

  /// No crossbar may hold cells of two tiles at the start.
  void check_starts(std::size_t core) const {
    const auto& groups = program.cores[core].groups;
    if (crossbars_of(groups) <= chip.core.crossbars) return;
    const std::vector<std::int64_t> first = first_crossbars(groups, chip.core.crossbars);
    std::vector<std::size_t> holder(static_cast<std::size_t>(chip.core.crossbars), groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].tile == no_tile) continue;
      for (std::int64_t at = first[g]; at < first[g] + crossbars_of(groups[g]); ++at) {
        std::size_t& holds = holder[static_cast<std::size_t>(at)];
        if (holds != groups.size())
          fail(fmt::format("core {}", core),
               fmt::format("array groups {} and {} share crossbars ({} in all, a core has {}), and both hold a tile at "
                           "the start",
                           holds, g, crossbars_of(groups), chip.core.crossbars));
        holds = g;
      }
    }
  }

  /// Constants of one memory: inside it, whole elements, no two in the same place.
  template <class C>
  void check_constants(const std::string& owner, const std::vector<C>& constants, Bytes capacity,
                       std::string_view memory) const {
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t k = 0; k < constants.size(); ++k) {
      const C& constant = constants[k];
      const std::string where = fmt::format("{}constant {}", owner, k);
      const auto bytes = static_cast<std::int64_t>(constant.bytes.size());
      if (constant.address < 0 || bytes > capacity || constant.address > capacity - bytes)
        fail(where, fmt::format("{} bytes at {}, {} memory has {}", bytes, constant.address, memory, capacity));
      const std::int64_t size = size_of(constant.type);
      if (bytes % size != 0)
        fail(where, fmt::format("{} bytes are no whole elements of type {}", bytes, to_string(constant.type)));
      if (constant.real.size() != 0 && static_cast<std::int64_t>(constant.real.size()) != bytes / size)
        fail(where, fmt::format("expected {} real values or none, got {}", bytes / size, constant.real.size()));
      order.emplace_back(constant.address, k);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t n = 1; n < order.size(); ++n) {
      const auto [before, first] = order[n - 1];
      const std::int64_t end = before + static_cast<std::int64_t>(constants[first].bytes.size());
      if (end > order[n].first)
        fail(fmt::format("{}constant {}", owner, order[n].second),
             fmt::format("begins at {}, inside constant {}, which ends at {}", order[n].first, first, end));
    }
  }

  void check_core(std::size_t core) const {
    const CoreProgram& mine = program.cores[core];
    const std::string owner = fmt::format("core {}", core);
    const auto demand = static_cast<Bytes>(mine.instructions.size() * sizeof(Instruction));
    if (demand > chip.core.instruction_memory)
      fail(owner, fmt::format("{} instructions take {} bytes, instruction memory has {}", mine.instructions.size(),
                              demand, chip.core.instruction_memory));
    const Bytes local = chip.core.local_memory.capacity;
    if (mine.local_memory_used < 0 || mine.local_memory_used > local)
      fail(owner, fmt::format("uses {} bytes of local memory, which has {}", mine.local_memory_used, local));
    check_groups(core);
    check_constants(owner + ", ", mine.constants, local, "local");
    std::uint32_t end = 0;
    for (std::size_t k = 0; k < mine.nodes.size(); ++k) {
      const NodeRange& range = mine.nodes[k];
      const std::string where = fmt::format("{}, node range {}", owner, k);
      if (range.begin < end || range.begin >= range.end || range.end > mine.instructions.size())
        fail(where, fmt::format("[{}, {}) of {} instructions, after a range that ends at {}", range.begin, range.end,
                                mine.instructions.size(), end));
      if (range.node >= program.nodes.size())
        fail(where, fmt::format("node {}, program has {}", range.node, program.nodes.size()));
      end = range.end;
    }
    verify_core(program, chip, core, file);
  }

  void check_set(std::size_t index) const {
    const auto& set = program.core_sets[index];
    const std::string where = fmt::format("core set {}", index);
    if (set.empty()) fail(where, "has no core");
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (set[k] >= program.cores.size())
        fail(where, fmt::format("core {}, program has {}", set[k], program.cores.size()));
      if (k > 0 && set[k] <= set[k - 1])
        fail(where, fmt::format("core {} after core {}: expected ascending order", set[k], set[k - 1]));
    }
  }

  void check_port(const std::string& kind, const Port& port) const {
    const std::string where = fmt::format("{} '{}'", kind, port.name);
    const auto rank = port.shape.size();
    Bytes elements = 1;
    for (const std::int64_t extent : port.shape) {
      if (extent < 1 || elements > chip.global_memory.capacity / extent)
        fail(where, fmt::format("shape [{}] does not fit global memory of {} bytes", fmt::join(port.shape, ", "),
                                chip.global_memory.capacity));
      elements *= extent;
    }
    std::vector<std::int32_t> dimensions = port.layout;
    std::sort(dimensions.begin(), dimensions.end());
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      if (dimensions.size() != rank || dimensions[d] != static_cast<std::int32_t>(d))
        fail(where, fmt::format("layout [{}] is no permutation of {} dimensions", fmt::join(port.layout, ", "), rank));
    if (dimensions.size() != rank) fail(where, fmt::format("layout [] is no permutation of {} dimensions", rank));
    if (!std::isfinite(port.scale) || port.scale <= 0)
      fail(where, fmt::format("expected a scale above 0, got {}", port.scale));
    if (port.address < 0 || port.address > chip.global_memory.capacity - port.bytes())
      fail(where, fmt::format("{} bytes at {}, global memory has {}", port.bytes(), port.address,
                              chip.global_memory.capacity));
  }

  void check_ports(const std::string& kind, const std::vector<Port>& ports) const {
    std::set<std::string> names;
    for (const Port& port : ports) {
      check_port(kind, port);
      if (!names.insert(port.name).second) fail(fmt::format("{} '{}'", kind, port.name), "the name stands twice");
    }
  }

  void run() const {
    if (program.cores.size() > static_cast<std::size_t>(chip.cores))
      fail("", fmt::format("program for {} cores, chip '{}' has {}", program.cores.size(), chip.name, chip.cores));
    if (program.numerics == Numerics::f32 && !chip.numerics.f32)
      fail("", fmt::format("numerics are f32, chip '{}' has no f32 in its matrix path", chip.name));
    const Bytes global = chip.global_memory.capacity;
    if (program.global_memory_used < 0 || program.global_memory_used > global)
      fail("", fmt::format("uses {} bytes of global memory, which has {}", program.global_memory_used, global));
    for (std::size_t t = 0; t < program.tiles.size(); ++t) check_tile(t);
    for (std::size_t s = 0; s < program.core_sets.size(); ++s) check_set(s);
    for (const auto* ports : {&program.inputs, &program.outputs})
      if (program.images < 1 || static_cast<std::int64_t>(ports->size()) % program.images != 0)
        fail("", fmt::format("{} {} for {} images: expected as many for each", ports->size(),
                             ports == &program.inputs ? "inputs" : "outputs", program.images));
    const auto most = static_cast<std::int64_t>(std::max(program.inputs.size(), program.outputs.size()));
    if (program.images > std::max<std::int64_t>(1, most))
      fail("", fmt::format("{} images, but at most {} inputs or outputs", program.images, most));
    check_ports("input", program.inputs);
    check_ports("output", program.outputs);
    check_constants("global ", program.global_constants, global, "global");
    for (std::size_t c = 0; c < program.cores.size(); ++c) check_core(c);
  }
};
}  // namespace

void verify_program(const Program& program, const Chip& chip, const std::string& file) {
  Verifier{program, chip, file}.run();
}

}  // namespace pimento::isa
