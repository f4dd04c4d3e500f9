#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "compiler/drivers/pim/emit/parts.hpp"
#include "compiler/drivers/pim/schedule/residency.hpp"
#include "compiler/drivers/pim/spatial/windows.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {
/// Codes as tile bytes, row by row.
template <class T>
void round_to_codes(const std::vector<float>& real, const std::vector<double>& scales, std::size_t cols, int bits,
                    std::vector<std::uint8_t>& bytes) {
  const double largest = static_cast<double>((std::int64_t{1} << (bits - 1)) - 1);
  constexpr double half_even = 0x1.8p52;  // what is added to it is rounded to a whole number, halves to even
  bytes.resize(real.size() * sizeof(T));
  for (std::size_t row = 0; row < real.size(); row += cols)
    for (std::size_t c = 0; c < cols; ++c) {
      const double code = std::clamp(static_cast<double>(real[row + c]) / scales[c], -largest, largest);
      const T value = static_cast<T>(code + half_even - half_even);
      std::memcpy(bytes.data() + (row + c) * sizeof(T), &value, sizeof(T));
    }
}

class TileMaker {
 public:
  explicit TileMaker(const EmitInput& input)
      : input_(input),
        layouts_(choose_layouts(input.context.graph)),
        roots_(find_roots(input.context.graph, layouts_)) {}

  isa::Tile make(const WeightTile& tile) {
    const Contracted& c = contraction(tile.node);
    const auto& node = input_.context.graph.nodes[static_cast<std::size_t>(tile.node)];
    const ir::Tensor& weights =
        *input_.context.graph.value(node.inputs[static_cast<std::size_t>(c.weight_input)]).constant;
    const auto matrix = std::find_if(c.matrices.begin(), c.matrices.end(), [&](const Contracted::Matrix& m) {
      return m.col0 <= tile.col0 && tile.col1 <= m.col1;
    });
    PIMENTO_CHECK(matrix != c.matrices.end(), fmt::format("tile of node '{}' lies in no matrix", node.source));
    isa::Tile made;
    made.rows = static_cast<std::int32_t>(tile.reduction.size());
    made.cols = tile.col1 - tile.col0;
    made.crossbar_rows = tile.shape.crossbar_rows;
    made.crossbar_cols = tile.shape.crossbar_cols;
    const std::vector<float> real = values(weights, c, *matrix, tile);
    fill(made, tile, real);
    return made;
  }

 private:
  const Contracted& contraction(std::int32_t node) {
    auto& kept = contractions_[node];
    if (!kept)
      kept = contracted(input_.context.graph, input_.context.graph.nodes[static_cast<std::size_t>(node)], layouts_,
                        roots_);
    PIMENTO_CHECK(kept.has_value(), "a weight tile without a contraction");
    return *kept;
  }
  static std::vector<float> values(const ir::Tensor& weights, const Contracted& c, const Contracted::Matrix& matrix,
                                   const WeightTile& tile) {
    const auto cols = static_cast<std::size_t>(tile.col1 - tile.col0);
    std::vector<float> real(tile.reduction.size() * cols);
    const bool direct = weights.element_type() == ElementType::f32;
    const float* data = direct ? weights.data<float>() : nullptr;
    const std::int64_t* by_column = c.by_column.data() + (tile.col0 - matrix.col0);
    // in blocks of rows, so that both sides are walked in pieces that stay near
    constexpr std::size_t block = 64;
    for (std::size_t begin = 0; begin < tile.reduction.size(); begin += block) {
      const std::size_t end = std::min(begin + block, tile.reduction.size());
      for (std::size_t col = 0; col < cols; ++col) {
        const std::int64_t base = matrix.weight_base + by_column[col];
        for (std::size_t r = begin; r < end; ++r) {
          const std::int64_t flat = base + c.by_reduction[static_cast<std::size_t>(tile.reduction[r])];
          real[r * cols + col] = direct ? data[flat] : static_cast<float>(weights.at(flat).as_double());
        }
      }
    }
    return real;
  }
  void fill(isa::Tile& made, const WeightTile& tile, const std::vector<float>& real) const {
    const NumericsPlan& plan = input_.context.plan;
    std::vector<std::uint8_t> bytes;
    if (plan.numerics == Numerics::f32) {
      made.type = ElementType::f32;
      bytes.resize(real.size() * sizeof(float));
      std::memcpy(bytes.data(), real.data(), bytes.size());
      made.weights = isa::Blob<std::uint8_t>::own(std::move(bytes));
      return;
    }
    const auto& all = plan.weight_scales[static_cast<std::size_t>(tile.node)];
    std::vector<double> scales(static_cast<std::size_t>(made.cols), 1.0);  // integer models: the weights as they are
    if (!all.empty()) scales.assign(all.begin() + tile.col0, all.begin() + tile.col1);
    const int bits = input_.context.chip.numerics.weight_bits;
    made.type = bits > 8 ? ElementType::i16 : ElementType::i8;
    if (bits > 8)
      round_to_codes<std::int16_t>(real, scales, scales.size(), bits, bytes);
    else
      round_to_codes<std::int8_t>(real, scales, scales.size(), bits, bytes);
    made.weights = isa::Blob<std::uint8_t>::own(std::move(bytes));
    if (plan.numerics == Numerics::exact) made.real = isa::Blob<float>::own(real);
  }
  const EmitInput& input_;
  std::vector<Layout> layouts_;
  std::vector<Root> roots_;
  std::map<std::int32_t, std::optional<Contracted>> contractions_;
};
}  // namespace

std::vector<isa::Tile> make_tiles(const EmitInput& input) {
  std::vector<isa::Tile> tiles;
  if (input.spatial.tiles.empty()) return tiles;
  TileMaker maker(input);
  for (const WeightTile& tile : input.spatial.tiles) tiles.push_back(maker.make(tile));
  return tiles;
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
