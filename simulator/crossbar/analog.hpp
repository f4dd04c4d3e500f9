#pragma once
// The product of an array group as its cells and converters make it. Weights stand bit-sliced in cells, inputs come
// digit by digit, rows in groups of those active at once; every bit line of every group, slice and digit is converted,
// and the codes are shifted and added. simulator/crossbar/README.md states the arithmetic. With a converter that
// reaches the full scale the result is the integer product, bit for bit.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/program/program.hpp"
#include "simulator/crossbar/converter.hpp"
#include "simulator/crossbar/devices.hpp"
#include "simulator/crossbar/planes.hpp"

namespace pimento::sim {

using DeviceSums = std::array<float, plane_columns>;

class AnalogTile {
 public:
  /// UserError when a weight does not fit the chip's weight bits. `index` tells its devices from other tiles'.
  AnalogTile(const isa::Tile& tile, const isa::Chip& chip, std::uint64_t index = 0);

  /// x: rows inputs of `type` (u8, i8, u16, i16); sums: cols elements, wrapped at 32 bits.
  void multiply(std::span<const std::int32_t> x, ElementType type, std::span<std::int32_t> sums);

  /// Codes that the converters gave, ideal ones as codes of the full scale; counted where the chip measures their mean.
  struct Codes {
    std::int64_t conversions = 0, sum = 0;
  };
  const Codes& codes() const { return counted_; }

  /// From here on sums are converted ideally and counted.
  void observe();
  /// The converter's reference that suits what was counted; the full scale when nothing was.
  double suitable_range() const;
  void set_range(double range);

 private:
  /// Cells of one significance: bit planes, and where sums stand for the complement of what is stored.
  struct Slice {
    int shift = 0;  ///< significance of its lowest bit
    int sign = 1;
  };
  void store(const std::vector<std::int32_t>& weights);
  void flip_heavy_lines();
  std::uint64_t* planes(int block, int group, std::size_t slice) {
    return planes_.data() + plane_index(block, group, slice);
  }
  int blocks() const { return (cols_ + plane_columns - 1) / plane_columns; }
  std::size_t plane_index(int block, int group, std::size_t slice) const;
  std::size_t line_index(int block, int group, std::size_t slice) const;
  /// Inputs as bits that word lines see: shifted to begin at 0, or one sign's magnitudes.
  void load_inputs(std::span<const std::int32_t> x, int bits, std::int32_t offset, int sign);
  void add_products(int bits, int sign);
  /// Of a sum of this significance among inputs of `bits`: how much it counts for the converter's range.
  std::uint64_t weight_of(int shift, int bits) const;
  void add_lines(int block, int group, std::size_t slice, int digit, int bits, int sign);
  /// analog_devices.cpp
  void make_devices(const isa::Chip& chip, std::uint64_t index);
  std::int32_t stored_level(int block, int group, std::size_t slice, int row, std::size_t column);
  void add_wires(const isa::Chip& chip);
  void read_devices(int block, int group, std::size_t slice, int first_bit, int last_bit, int bits, DeviceSums& sums,
                    std::int64_t& driven) const;
  void add_device_lines(int block, int group, std::size_t slice, int digit, int bits, int sign);

  int rows_, cols_, weight_bits_, cell_bits_, dac_bits_, adc_bits_;
  bool ideal_, magnitudes_;
  std::array<int, element_type_count> applied_bits_{};  ///< by element type of the inputs
  isa::WeightEncoding encoding_;
  std::int64_t full_scale_;
  Converter converter_;
  int words_ = 0;                            ///< of 64 rows, per group
  std::vector<std::pair<int, int>> groups_;  ///< rows [first, last) driven at once
  std::vector<Slice> slices_;
  std::vector<std::uint64_t> planes_;        ///< [block][group][slice][bit of the cell][word][column]
  std::vector<std::int8_t> flipped_;         ///< [block][group][slice][column]: 1 where the complement is stored
  std::vector<std::int64_t> column_sums_;    ///< of the weights
  std::vector<std::uint64_t> input_bits_;    ///< [group][bit][word]
  std::vector<std::int64_t> codes_, exact_;  ///< of each column: in steps, and in units
  std::optional<Devices> devices_;
  std::vector<float> conductances_;  ///< [block][group][slice][row][column], with devices
  std::vector<double> analog_;       ///< of each column, in units, with devices
  std::uint64_t inputs_hash_ = 0;
  bool counts_codes_;
  Codes counted_;
  bool observing_ = false;
  std::vector<std::uint64_t> counts_;  ///< by sum, weighted by significance
};

}  // namespace pimento::sim
