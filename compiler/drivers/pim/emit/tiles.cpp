#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>

#include "compiler/drivers/pim/emit/parts.hpp"
#include "compiler/drivers/pim/schedule/residency.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
/// Columns that are read together: as many short runs of memory, each walked once.
constexpr std::size_t panel = 8;
using Panel = std::array<float, panel>;

/// What is rounded to codes, halves to even: `largest` in magnitude at most.
double code_of(double value, double largest) {
  constexpr double whole = 0x1.8p52;  // what is added to it loses its fraction
  return std::clamp(value, -largest, largest) + whole - whole;
}

/// The tiles of one block of columns: they share its columns and differ in their rows.
class BlockMaker {
 public:
  BlockMaker(const EmitInput& input, const Contracted& c, std::span<const WeightTile> tiles)
      : input_(input), contraction_(c), tiles_(tiles), cols_(static_cast<std::size_t>(tiles[0].col1 - tiles[0].col0)) {
    const auto& all = input.context.plan.weight_scales[static_cast<std::size_t>(tiles[0].node)];
    scales_.assign(cols_, 1.0);  // integer models: the weights as they are
    if (!all.empty()) scales_.assign(all.begin() + tiles[0].col0, all.begin() + tiles[0].col1);
  }

  void run(std::vector<isa::Tile>& out) {
    const Numerics numerics = input_.context.plan.numerics;
    const int bits = input_.context.chip.numerics.weight_bits;
    bytes_.resize(tiles_.size());
    real_.resize(tiles_.size());
    read_.resize(contraction_.by_reduction.size());
    const ElementType type = numerics == Numerics::f32 ? ElementType::f32
                             : bits > 8                ? ElementType::i16
                                                       : ElementType::i8;
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
      const std::size_t elements = tiles_[t].reduction.size() * cols_;  // of all windows
      if (numerics != Numerics::f32) bytes_[t].resize(elements * static_cast<std::size_t>(size_of(type)));
      if (numerics != Numerics::quantised) real_[t].resize(elements);
    }
    const double largest = static_cast<double>((std::int64_t{1} << (bits - 1)) - 1);
    for (std::size_t col = 0; col < cols_; col += panel) {
      read(col);
      for (std::size_t t = 0; t < tiles_.size(); ++t) {
        if (!real_[t].empty()) copy(t, col);
        if (type == ElementType::i16) round<std::int16_t>(t, col, largest);
        if (type == ElementType::i8) round<std::int8_t>(t, col, largest);
      }
    }
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
      const WeightTile& tile = tiles_[t];
      isa::Tile made;
      made.rows = tile.rows();
      made.cols = tile.columns();
      made.crossbar_rows = tile.shape.crossbar_rows;
      made.crossbar_cols = tile.shape.crossbar_cols;
      made.type = type;
      if (numerics == Numerics::f32) {
        bytes_[t].resize(real_[t].size() * sizeof(float));
        if (!bytes_[t].empty()) std::memcpy(bytes_[t].data(), real_[t].data(), bytes_[t].size());
      }
      made.weights = isa::Blob<std::uint8_t>::own(std::move(bytes_[t]));
      if (numerics == Numerics::exact) made.real = isa::Blob<float>::own(std::move(real_[t]));
      out.push_back(std::move(made));
    }
  }

 private:
  std::size_t columns_from(std::size_t col) const { return std::min(panel, cols_ - col); }
  /// Some columns by reduction.
  void read(std::size_t col) {
    const ir::Node& node = input_.context.graph.nodes[static_cast<std::size_t>(tiles_[0].node)];
    const ir::ValueId source = node.inputs[static_cast<std::size_t>(contraction_.weight_input)];
    const ir::Tensor& weights = *input_.context.graph.value(source).constant;
    const auto matrix =
        std::find_if(contraction_.matrices.begin(), contraction_.matrices.end(),
                     [&](const Contracted::Matrix& m) { return m.col0 <= tiles_[0].col0 && tiles_[0].col1 <= m.col1; });
    PIMENTO_CHECK(matrix != contraction_.matrices.end(),
                  fmt::format("tile of node '{}' lies in no matrix", node.source));
    const float* data = weights.element_type() == ElementType::f32 ? weights.data<float>() : nullptr;
    for (std::size_t k = 0; k < columns_from(col); ++k) {
      const auto column = static_cast<std::size_t>(tiles_[0].col0 - matrix->col0) + col + k;
      const std::int64_t base = matrix->weight_base + contraction_.by_column[column];
      for (std::size_t r = 0; r < read_.size(); ++r) {
        const std::int64_t flat = base + contraction_.by_reduction[r];
        read_[r][k] = data != nullptr ? data[flat] : static_cast<float>(weights.at(flat).as_double());
      }
    }
  }
  template <class T>
  void round(std::size_t t, std::size_t col, double largest) {
    const std::size_t n = columns_from(col);
    std::array<double, panel> scales;
    scales.fill(1);
    std::copy_n(scales_.begin() + static_cast<std::ptrdiff_t>(col), n, scales.begin());
    std::uint8_t* const to = bytes_[t].data();
    for_cells(t, col, [&](std::size_t at, const Panel& from) {
      std::array<double, panel> codes;  // all of a panel, whatever of it there is: several at once
      for (std::size_t k = 0; k < panel; ++k) codes[k] = code_of(static_cast<double>(from[k]) / scales[k], largest);
      for (std::size_t k = 0; k < n; ++k) {
        const auto code = static_cast<T>(codes[k]);
        std::memcpy(to + (at + k) * sizeof(T), &code, sizeof(T));
      }
    });
  }
  void copy(std::size_t t, std::size_t col) {
    for_cells(t, col, [&](std::size_t at, const Panel& from) {
      std::copy_n(from.begin(), columns_from(col), real_[t].data() + at);
    });
  }
  /// Every place in the tile that has weights of column `col` and those after it, with what was read for it; all other
  /// places stay 0.
  template <class F>
  void for_cells(std::size_t t, std::size_t col, F&& f) const {
    const WeightTile& tile = tiles_[t];
    const auto rows = static_cast<std::size_t>(tile.rows()), width = static_cast<std::size_t>(tile.columns());
    for (std::size_t i = 0, window = 0; i < tile.reduction.size(); ++window)
      for (std::size_t row = 0; row < rows; ++row, ++i)
        if (tile.reduction[i] != no_reduction)
          f(row * width + window * cols_ + col, read_[static_cast<std::size_t>(tile.reduction[i])]);
  }

  const EmitInput& input_;
  const Contracted& contraction_;
  std::span<const WeightTile> tiles_;
  std::size_t cols_;  ///< of one window
  std::vector<double> scales_;
  std::vector<Panel> read_;  ///< by reduction
  std::vector<std::vector<std::uint8_t>> bytes_;
  std::vector<std::vector<float>> real_;
};
}  // namespace

std::vector<isa::Tile> make_tiles(const EmitInput& input) {
  std::vector<isa::Tile> made;
  const std::span<const WeightTile> all(input.spatial.tiles);
  const SelectContext& context = input.context;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    const WeightTile& first = all[begin];
    const auto of_one_block = [&](const WeightTile& t) {
      return t.node == first.node && t.col0 == first.col0 && t.col1 == first.col1;
    };
    while (end < all.size() && of_one_block(all[end])) ++end;
    const std::shared_ptr<const Contracted>& contraction =
        context.plan.contractions[static_cast<std::size_t>(first.node)];
    PIMENTO_CHECK(contraction != nullptr, "a weight tile without a contraction");
    BlockMaker(input, *contraction, all.subspan(begin, end - begin)).run(made);
  }
  return made;
}

void make_groups(const EmitInput& input, isa::Program& program, std::vector<GroupId>& group_of) {
  Residency residency = make_residency(input.spatial, input.context.chip, input.schedule.class_core);
  for (std::size_t core = 0; core < program.cores.size(); ++core)
    program.cores[core].groups = std::move(residency.groups[core]);
  group_of = std::move(residency.first_group);
}

void make_later_weights(const EmitInput& input, isa::Program& program, std::vector<std::int64_t>& address_of) {
  const auto& memory = input.context.chip.global_memory;
  const Bytes width = std::max<Bytes>(memory.width, 1);
  address_of.assign(input.spatial.tiles.size(), -1);
  Bytes top = program.global_memory_used;
  for (const CellWrite& w : input.steps.writes) {
    std::int64_t& address = address_of[static_cast<std::size_t>(w.tile)];
    if (address >= 0) continue;
    const isa::Tile& tile = program.tiles[static_cast<std::size_t>(w.tile)];
    address = top;
    top = (top + static_cast<Bytes>(tile.weights.size()) + width - 1) / width * width;
    program.global_constants.push_back({address, tile.type, tile.weights, {}});
  }
  program.global_memory_used = top;
  constexpr Bytes reach = std::numeric_limits<std::int32_t>::max();  // of an address
  if (!input.steps.writes.empty() && top > std::min(memory.capacity, reach))
    throw NoRoom(
        fmt::format("chip '{}': inputs, outputs and the weights of later rounds take {} B of global memory, {} "
                    "can be addressed on the chip",
                    input.context.chip.name, top, std::min(memory.capacity, reach)));
}

}  // namespace pimento::pim
