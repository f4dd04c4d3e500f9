// A tile whose cells are devices: conductances instead of levels, sums that are no whole numbers.
#include <algorithm>

#include "isa/support/math.hpp"
#include "simulator/crossbar/analog.hpp"

namespace pimento::sim {

std::int32_t AnalogTile::stored_level(int block, int group, std::size_t slice, int row, std::size_t column) {
  const std::uint64_t* plane = planes(block, group, slice) + column;
  std::int32_t level = 0;
  for (int bit = 0; bit < cell_bits_; ++bit) {
    const std::uint64_t word = plane[static_cast<std::size_t>(bit * words_ + row / 64) * plane_columns];
    level |= static_cast<std::int32_t>((word >> (row % 64)) & 1) << bit;
  }
  return level;
}

void AnalogTile::make_devices(const isa::Chip& chip, std::uint64_t index) {
  devices_.emplace(chip, index);
  analog_.resize(codes_.size());
  const auto most_rows = static_cast<std::size_t>(std::min(chip.core.crossbar.rows_active, rows_));
  conductances_.assign(flipped_.size() * most_rows, 0);
  const auto slices = static_cast<std::int64_t>(slices_.size());
  for (int c = 0; c < cols_; ++c)
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g)
      for (std::size_t s = 0; s < slices_.size(); ++s) {
        const int block = c / plane_columns;
        const auto column = static_cast<std::size_t>(c % plane_columns);
        float* cells = conductances_.data() + line_index(block, g, s) * most_rows + column;
        const auto [first, last] = groups_[static_cast<std::size_t>(g)];
        for (int r = first; r < last; ++r)
          cells[static_cast<std::size_t>(r - first) * plane_columns] = static_cast<float>(devices_->conductance(
              stored_level(block, g, s, r - first, column), r, c * slices + static_cast<std::int64_t>(s)));
      }
  if (devices_->has_wires()) add_wires(chip);
}

/// Array by array: the columns of the weights that share it, slice beside slice, and its rows group by group.
void AnalogTile::add_wires(const isa::Chip& chip) {
  const isa::Crossbar& x = chip.core.crossbar;
  const int per_row = chip.weights_per_crossbar_row(), columns = chip.columns_per_weight();
  const auto most_rows = static_cast<std::size_t>(std::min(x.rows_active, rows_));
  const auto wide = static_cast<std::size_t>(per_row * columns);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (int weight = 0; weight < cols_; weight += per_row) {
      const int top = groups_[g].first / x.rows * x.rows;  // of the array
      const int first = groups_[g].first - top, last = groups_[g].second - top;
      std::vector<float> cells(static_cast<std::size_t>(last) * wide, 0);
      const auto each = [&](auto&& action) {
        for (int c = weight; c < std::min(weight + per_row, cols_); ++c)
          for (std::size_t s = 0; s < slices_.size(); ++s)
            for (int r = first; r < last; ++r) {
              float& stored = conductances_[line_index(c / plane_columns, static_cast<int>(g), s) * most_rows +
                                            static_cast<std::size_t>((r - first) * plane_columns + c % plane_columns)];
              action(stored,
                     cells[static_cast<std::size_t>(r) * wide + static_cast<std::size_t>((c - weight) * columns) + s]);
            }
      };
      each([](float& stored, float& cell) { cell = stored; });
      devices_->wire(cells, per_row * columns, first, last, x.rows);
      each([](float& stored, float& cell) { stored = cell; });
    }
}

/// Sums of digit times conductance, rows in ascending order.
void AnalogTile::read_devices(int block, int group, std::size_t slice, int first_bit, int last_bit, int bits,
                              DeviceSums& sums, std::int64_t& driven) const {
  const auto [first, last] = groups_[static_cast<std::size_t>(group)];
  const std::size_t most_rows = conductances_.size() / flipped_.size();
  const float* cells = conductances_.data() + line_index(block, group, slice) * most_rows;
  const std::uint64_t* inputs = input_bits_.data() + static_cast<std::size_t>(group * bits * words_);
  for (int r = 0; r < last - first; ++r, cells += plane_columns) {
    std::int32_t digit = 0;
    for (int i = first_bit; i < last_bit; ++i)
      digit |= static_cast<std::int32_t>((inputs[i * words_ + r / 64] >> (r % 64)) & 1) << (i - first_bit);
    if (digit == 0) continue;
    driven += digit;
    const auto d = static_cast<float>(digit);
    for (std::size_t c = 0; c < plane_columns; ++c) sums[c] = sums[c] + d * cells[c];
  }
}

void AnalogTile::add_device_lines(int block, int group, std::size_t slice, int digit, int bits, int sign) {
  const Slice& s = slices_[slice];
  const int first_bit = digit * dac_bits_, last_bit = std::min(first_bit + dac_bits_, bits);
  DeviceSums sums{};
  std::int64_t driven = 0;
  read_devices(block, group, slice, first_bit, last_bit, bits, sums, driven);
  if (counts_codes_ && driven == 0) counted_.conversions += std::min(plane_columns, cols_ - block * plane_columns);
  if (driven == 0 && !observing_) return;
  const int shift = first_bit + s.shift;
  const std::size_t line = line_index(block, group, slice);
  const std::int64_t complement = ((std::int64_t{1} << cell_bits_) - 1) * driven;
  for (int c = 0; c < std::min(plane_columns, cols_ - block * plane_columns); ++c) {
    const auto at = static_cast<std::size_t>(c);
    double sum = sums[at];
    if (devices_->is_noisy())
      sum += devices_->noise(inputs_hash_, line + at, static_cast<std::uint64_t>(2 * digit + (sign < 0 ? 1 : 0)));
    if (const double nearest = math::round_half_even(sum);
        observing_ && nearest >= 0 && nearest < static_cast<double>(counts_.size()))
      counts_[static_cast<std::size_t>(nearest)] += weight_of(shift, bits);
    if (counts_codes_ && !observing_) ++counted_.conversions, counted_.sum += converter_.code(sum);
    const double converted = observing_ || ideal_ ? sum : converter_.step() * static_cast<double>(converter_.code(sum));
    const int signs = sign * (flipped_[line + at] != 0 ? -s.sign : s.sign);
    const std::size_t column = static_cast<std::size_t>(block) * plane_columns + at;
    analog_[column] += signs * converted * static_cast<double>(std::int64_t{1} << shift);
    exact_[column] += sign * flipped_[line + at] * (complement << shift);
  }
}

}  // namespace pimento::sim
