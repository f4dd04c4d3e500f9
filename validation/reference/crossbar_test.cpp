// Crossbars: does the simulator's fast kernel give what a plain loop nest over cells and digits gives, and with ideal
// converters the integers themselves?
#include "validation/reference/crossbar.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstring>

#include "isa/instruction/samples.hpp"
#include "simulator/crossbar/analog.hpp"

using namespace pimento;

namespace {

constexpr isa::WeightEncoding encodings[] = {isa::WeightEncoding::offset, isa::WeightEncoding::differential,
                                             isa::WeightEncoding::flipped};

isa::Chip chip_with(int rows, int active, int cell_bits, int dac_bits, isa::WeightEncoding encoding, int weight_bits,
                    int adc_bits) {
  isa::Chip chip;
  isa::Crossbar& x = chip.core.crossbar;
  x.rows = rows;
  x.rows_active = active;
  x.cell_bits = cell_bits;
  x.dac_bits = dac_bits;
  x.encoding = encoding;
  x.adc.bits = adc_bits;
  x.adc.ideal = false;
  chip.numerics.weight_bits = weight_bits;
  return chip;
}

struct Problem {
  reference::ArrayGroup group;
  isa::Tile tile;
  std::vector<std::int32_t> x;
};
Problem random_problem(isa::Random& random, int rows, int cols, int weight_bits, ElementType type) {
  Problem p;
  p.group.rows = p.tile.rows = rows;
  p.group.cols = p.tile.cols = cols;
  p.tile.type = weight_bits > 8 ? ElementType::i16 : ElementType::i8;
  std::vector<std::uint8_t> bytes;
  const int most = (1 << (weight_bits - 1)) - 1;
  const bool heavy = random.between(0, 3) == 0;  // lines that are worth flipping, and the ends of the range
  for (int k = 0; k < rows * cols; ++k) {
    const auto w = static_cast<std::int32_t>(heavy ? random.between(most / 2, most) : random.between(-most - 1, most));
    p.group.weights.push_back(w);
    const auto wide = static_cast<std::uint16_t>(w);
    bytes.push_back(static_cast<std::uint8_t>(wide & 0xff));
    if (weight_bits > 8) bytes.push_back(static_cast<std::uint8_t>(wide >> 8));
  }
  p.tile.weights = isa::Blob<std::uint8_t>::own(std::move(bytes));
  const int bits = 8 * size_of(type);
  const std::int64_t low = is_signed(type) ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (is_signed(type) ? bits - 1 : bits)) - 1;
  for (int r = 0; r < rows; ++r) p.x.push_back(static_cast<std::int32_t>(random.between(low, high)));
  return p;
}

std::vector<std::int32_t> simulated(const Problem& p, const isa::Chip& chip, ElementType type, double range) {
  sim::AnalogTile tile(p.tile, chip);
  tile.set_range(range);
  std::vector<std::int32_t> sums(static_cast<std::size_t>(p.group.cols));
  tile.multiply(p.x, type, sums);
  return sums;
}

/// Calls f(chip, problem, type) over encodings, DAC widths, cell bits, shapes and types.
template <class F>
void sweep(int adc_bits, F&& f) {
  isa::Random random(static_cast<std::uint64_t>(adc_bits) + 1);
  for (const auto encoding : encodings)
    for (const int weight_bits : {8, 5, 16})
      for (const int cell_bits : {1, 2, 3, 4, 8})
        for (const int dac_bits : {1, 2, 3, 8})
          for (const ElementType type : {ElementType::u8, ElementType::i8, ElementType::i16, ElementType::u16}) {
            if (cell_bits > weight_bits || (size_of(type) > 1 && dac_bits == 3)) continue;
            const int rows = static_cast<int>(random.between(1, 150)), cols = static_cast<int>(random.between(1, 70));
            const int array = random.between(0, 1) == 0 ? 128 : 40;
            const int active = random.between(0, 1) == 0 ? array : static_cast<int>(random.between(1, array));
            const isa::Chip chip = chip_with(array, active, cell_bits, dac_bits, encoding, weight_bits, adc_bits);
            CAPTURE(static_cast<int>(encoding));
            CAPTURE(fmt::format("{} weight bits, {} cell bits, {} DAC bits, {} rows of {} by {}, {}", weight_bits,
                                cell_bits, dac_bits, rows, active, cols, to_string(type)));
            f(chip, random_problem(random, rows, cols, weight_bits, type), type);
          }
}

}  // namespace

TEST_CASE("crossbar: is the product the integers', bit for bit, when the converter reaches the full scale?") {
  sweep(31, [](const isa::Chip& chip, const Problem& p, ElementType type) {
    CHECK(simulated(p, chip, type, reference::full_scale(chip)) == reference::integer_product(p.group, p.x));
  });
}
TEST_CASE("crossbar: does a narrow converter give what the plain loop nest gives, bit for bit?") {
  for (const int bits : {4, 7})
    sweep(bits, [](const isa::Chip& chip, const Problem& p, ElementType type) {
      for (const double share : {1.0, 0.37}) {
        const double range = share * reference::full_scale(chip);
        CHECK(simulated(p, chip, type, range) == reference::crossbar_product(p.group, chip, p.x, type, range));
      }
    });
}
