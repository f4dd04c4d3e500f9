#include "simulator/crossbar/analog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/chip/adc.hpp"
#include "isa/support/error.hpp"
#include "isa/support/hash.hpp"
#include "isa/support/math.hpp"
#include "simulator/crossbar/planes.hpp"

namespace pimento::sim {
namespace {

/// Longer histograms of sums are not kept: the full scale then serves as the range.
constexpr std::int64_t longest_counts = std::int64_t{1} << 16;
/// Sums count by the square of their significance, down to 2^-13 of the highest.
constexpr int counted_octaves = 13;

std::int32_t weight_at(const isa::Tile& tile, std::size_t index) {
  if (tile.type == ElementType::u8) return tile.weights.data[index];
  if (tile.type == ElementType::i8) return static_cast<std::int8_t>(tile.weights.data[index]);
  std::int16_t value = 0;
  std::memcpy(&value, tile.weights.data.data() + 2 * index, sizeof value);
  return value;
}

}  // namespace

AnalogTile::AnalogTile(const isa::Tile& tile, const isa::Chip& chip, std::uint64_t index)
    : rows_(tile.rows),
      cols_(tile.cols),
      weight_bits_(chip.numerics.weight_bits),
      cell_bits_(chip.core.crossbar.cell_bits),
      dac_bits_(chip.core.crossbar.dac_bits),
      adc_bits_(chip.core.crossbar.adc.bits),
      ideal_(chip.core.crossbar.adc.ideal),
      magnitudes_(chip.core.crossbar.signed_inputs == isa::InputSign::magnitude),
      encoding_(chip.core.crossbar.encoding),
      full_scale_(isa::bit_line_full_scale(chip.core.crossbar)),
      converter_(adc_bits_, full_scale_, static_cast<double>(full_scale_)),
      counts_codes_(isa::measures_mean_output(chip)) {
  for (std::size_t t = 0; t < applied_bits_.size(); ++t)
    applied_bits_[t] = chip.applied_bits(static_cast<ElementType>(t));
  const isa::Crossbar& crossbar = chip.core.crossbar;
  for (int first = 0; first < rows_; first += crossbar.rows)
    for (int row = 0; row < crossbar.rows && first + row < rows_; row += crossbar.rows_active)
      groups_.emplace_back(first + row, std::min({first + row + crossbar.rows_active, first + crossbar.rows, rows_}));
  words_ = (std::min(crossbar.rows_active, rows_) + 63) / 64;
  for (const int sign : {1, -1}) {
    if (sign < 0 && encoding_ != isa::WeightEncoding::differential) break;
    for (int shift = 0; shift < weight_bits_; shift += cell_bits_) slices_.push_back({shift, sign});
  }
  std::vector<std::int32_t> weights(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_));
  const std::int32_t most = (1 << (weight_bits_ - 1)) - 1;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    weights[k] = weight_at(tile, k);
    if (weights[k] > most || weights[k] < -most - 1)
      throw UserError(fmt::format("a weight of {} does not fit numerics.weight_bits of {}", weights[k], weight_bits_));
  }
  store(weights);
  codes_.resize(static_cast<std::size_t>(blocks()) * plane_columns);
  exact_.resize(codes_.size());
  if (chip.core.crossbar.nonideal.any()) make_devices(chip, index);
}

std::size_t AnalogTile::line_index(int block, int group, std::size_t slice) const {
  const std::size_t at = static_cast<std::size_t>(block) * groups_.size() + static_cast<std::size_t>(group);
  return (at * slices_.size() + slice) * plane_columns;
}
std::size_t AnalogTile::plane_index(int block, int group, std::size_t slice) const {
  return line_index(block, group, slice) * static_cast<std::size_t>(cell_bits_ * words_);
}

void AnalogTile::store(const std::vector<std::int32_t>& weights) {
  const std::size_t lines = static_cast<std::size_t>(blocks()) * groups_.size() * slices_.size() * plane_columns;
  planes_.assign(lines * static_cast<std::size_t>(cell_bits_ * words_), 0);
  flipped_.assign(lines, 0);
  column_sums_.assign(static_cast<std::size_t>(cols_), 0);
  const bool differential = encoding_ == isa::WeightEncoding::differential;
  const std::int32_t offset = differential ? 0 : 1 << (weight_bits_ - 1);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (int r = groups_[g].first; r < groups_[g].second; ++r) {
      const auto row = static_cast<std::size_t>(r - groups_[g].first);
      for (int c = 0; c < cols_; ++c) {
        const std::int32_t w =
            weights[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols_) + static_cast<std::size_t>(c)];
        column_sums_[static_cast<std::size_t>(c)] += w;
        for (std::size_t s = 0; s < slices_.size(); ++s) {
          const std::int32_t stored =
              (differential ? std::max(0, slices_[s].sign * w) : w + offset) >> slices_[s].shift;
          const std::size_t first = plane_index(c / plane_columns, static_cast<int>(g), s);
          for (int bit = 0; bit < cell_bits_; ++bit) {
            const std::size_t word = static_cast<std::size_t>(bit * words_) + row / 64;
            if (((stored >> bit) & 1) != 0)
              planes_[first + word * plane_columns + static_cast<std::size_t>(c % plane_columns)] |= std::uint64_t{1}
                                                                                                     << (row % 64);
          }
        }
      }
    }
  if (encoding_ == isa::WeightEncoding::flipped) flip_heavy_lines();
}

/// A line whose cells sum up to more than half of what its rows can hold stores every cell's complement.
void AnalogTile::flip_heavy_lines() {
  const std::int64_t cell = (std::int64_t{1} << cell_bits_) - 1;
  for (int b = 0; b < blocks(); ++b)
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
      for (std::size_t s = 0; s < slices_.size(); ++s)
        for (std::size_t c = 0; c < plane_columns; ++c) {
          std::uint64_t* plane = planes(b, g, s) + c;
          const auto [first, last] = groups_[static_cast<std::size_t>(g)];
          std::int64_t sum = 0;
          for (int bit = 0; bit < cell_bits_; ++bit)
            for (int w = 0; w < words_; ++w)
              sum += std::int64_t{std::popcount(plane[static_cast<std::size_t>(bit * words_ + w) * plane_columns])}
                     << bit;
          if (2 * sum <= (last - first) * cell) continue;
          flipped_[line_index(b, g, s) + c] = 1;
          for (int r = 0; r < last - first; ++r)
            for (int bit = 0; bit < cell_bits_; ++bit)
              plane[static_cast<std::size_t>(bit * words_ + r / 64) * plane_columns] ^= std::uint64_t{1} << (r % 64);
        }
}

void AnalogTile::load_inputs(std::span<const std::int32_t> x, int bits, std::int32_t offset, int sign) {
  const std::int32_t most = static_cast<std::int32_t>((std::int64_t{1} << bits) - 1);
  input_bits_.assign(groups_.size() * static_cast<std::size_t>(bits * words_), 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::uint64_t* words = input_bits_.data() + g * static_cast<std::size_t>(bits * words_);
    for (int r = groups_[g].first; r < groups_[g].second; ++r) {
      const auto row = static_cast<std::size_t>(r - groups_[g].first);
      const std::int32_t applied = std::max(0, sign * x[static_cast<std::size_t>(r)] + offset);
      auto value = static_cast<std::uint32_t>(std::min(applied, most));  // the most negative comes as one more
      for (std::uint64_t* word = words + row / 64; value != 0; value >>= 1, word += words_)
        *word |= std::uint64_t{value & 1} << (row % 64);
    }
  }
}

std::uint64_t AnalogTile::weight_of(int shift, int bits) const {
  const int highest = (bits - 1) / dac_bits_ * dac_bits_ + slices_.back().shift;
  const int octave = std::max(0, shift - std::max(0, highest - counted_octaves));
  return std::uint64_t{1} << (2 * octave);
}

void AnalogTile::add_lines(int block, int group, std::size_t slice, int digit, int bits, int sign) {
  static const CountPlane count = count_plane();
  const Slice& s = slices_[slice];
  const int first_bit = digit * dac_bits_;
  const int last_bit = std::min(first_bit + dac_bits_, bits);
  const std::uint64_t* inputs = input_bits_.data() + static_cast<std::size_t>(group * bits * words_);
  const std::uint64_t* cells = planes(block, group, slice);
  LineSums sums{};
  std::int64_t driven = 0;
  for (int i = first_bit; i < last_bit; ++i)
    for (int w = 0; w < words_; ++w) {
      const std::uint64_t in = inputs[i * words_ + w];
      if (in == 0) continue;
      driven += std::int64_t{std::popcount(in)} << (i - first_bit);
      for (int bit = 0; bit < cell_bits_; ++bit)
        count(cells + static_cast<std::size_t>(bit * words_ + w) * plane_columns, in, i - first_bit + bit, sums);
    }
  const int width = std::min(plane_columns, cols_ - block * plane_columns);
  if (counts_codes_ && !observing_) {
    counted_.conversions += width;
    for (int c = 0; c < width; ++c) counted_.sum += converter_.code(sums[static_cast<std::size_t>(c)]);
  }
  if (driven == 0 && !observing_) return;
  const int shift = first_bit + s.shift;
  if (observing_) {
    const std::uint64_t counts = weight_of(shift, bits);
    for (int c = 0; c < width; ++c) {
      const std::uint64_t sum = sums[static_cast<std::size_t>(c)];
      if (sum < counts_.size()) counts_[sum] += counts;
    }
  }
  const std::int8_t* flipped = flipped_.data() + line_index(block, group, slice);
  const std::int64_t complement = sign * ((((std::int64_t{1} << cell_bits_) - 1) * driven) << shift);
  const std::int64_t plain = sign * s.sign;
  const bool exact = observing_ || ideal_;
  std::int64_t* const codes = codes_.data() + static_cast<std::size_t>(block) * plane_columns;
  std::int64_t* const complements = exact_.data() + static_cast<std::size_t>(block) * plane_columns;
  for (std::size_t c = 0; c < plane_columns; ++c) {
    const std::int64_t code = exact ? static_cast<std::int64_t>(sums[c]) : converter_.code(sums[c]);
    codes[c] += (flipped[c] != 0 ? -plain : plain) * (code << shift);
    complements[c] += flipped[c] * complement;
  }
}

/// What one sign of the inputs adds to every column.
void AnalogTile::add_products(int bits, int sign) {
  const int digits = (bits + dac_bits_ - 1) / dac_bits_;
  for (int block = 0; block < blocks(); ++block)
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
      for (std::size_t s = 0; s < slices_.size(); ++s)
        for (int d = 0; d < digits; ++d)
          if (devices_)
            add_device_lines(block, g, s, d, bits, sign);
          else
            add_lines(block, g, s, d, bits, sign);
}

void AnalogTile::multiply(std::span<const std::int32_t> x, ElementType type, std::span<std::int32_t> sums) {
  const bool has_sign = is_signed(type), apart = has_sign && magnitudes_;
  const int bits = applied_bits_[static_cast<std::size_t>(type)];
  const std::int64_t input_offset = has_sign && !apart ? std::int64_t{1} << (bits - 1) : 0;
  std::int64_t inputs = 0;
  for (int r = 0; r < rows_; ++r) inputs += x[static_cast<std::size_t>(r)] + input_offset;
  const std::int64_t weight_offset =
      encoding_ == isa::WeightEncoding::differential ? 0 : std::int64_t{1} << (weight_bits_ - 1);
  const double step = observing_ || ideal_ ? 1 : converter_.step();
  std::fill(codes_.begin(), codes_.end(), 0);
  std::fill(exact_.begin(), exact_.end(), 0);
  std::fill(analog_.begin(), analog_.end(), 0);
  for (const int sign : {1, -1}) {
    if (sign < 0 && !apart) break;
    load_inputs(x, bits, static_cast<std::int32_t>(input_offset), sign);
    if (devices_) inputs_hash_ = hash64(input_bits_.data(), input_bits_.size() * sizeof(std::uint64_t));
    add_products(bits, sign);
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(cols_); ++c) {
    const double real = devices_ ? analog_[c] : step * static_cast<double>(codes_[c]);
    const auto converted = step == 1 && !devices_ ? codes_[c] : static_cast<std::int64_t>(math::round_half_even(real));
    const std::int64_t product = converted + exact_[c] - weight_offset * inputs - input_offset * column_sums_[c];
    sums[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(product));
  }
}

void AnalogTile::observe() {
  observing_ = true;
  counts_.assign(full_scale_ < longest_counts ? static_cast<std::size_t>(full_scale_) + 1 : 0, 0);
}

double AnalogTile::suitable_range() const {
  if (std::all_of(counts_.begin(), counts_.end(), [](std::uint64_t n) { return n == 0; }))
    return static_cast<double>(full_scale_);
  return Converter::best_range(adc_bits_, counts_);
}

void AnalogTile::set_range(double range) { converter_ = Converter(adc_bits_, full_scale_, range); }

}  // namespace pimento::sim
