#include "isa/cost/rows.hpp"

#include <algorithm>

#include "isa/instruction/form.hpp"

namespace pimento::isa::cost {

MemoryRow memory_row(const Chip& chip, std::int64_t address) {
  const auto& memory = chip.global_memory;
  const std::int64_t channels = std::max(memory.channels, 1), banks = std::max(memory.banks, 1);
  const std::int64_t page = address / channel_page, within = address % channel_page;
  // what of a channel's pages lies before this byte
  const std::int64_t local = channels == 1 ? address : page / channels * channel_page + within;
  const std::int64_t row = local / memory.row_size;
  std::int64_t left = memory.row_size - local % memory.row_size;
  if (channels > 1) left = std::min(left, channel_page - within);
  return {static_cast<int>(wrap(row, 0, banks)), row * channels + page % channels, address + left};
}

Cycles row_cycles(const Chip& chip, const RowAccesses& found) {
  const auto& memory = chip.global_memory;
  return found.misses * memory.activate_cycles + found.conflicts * (memory.precharge_cycles + memory.activate_cycles);
}

RowAccesses expected_rows(const Chip& chip, Bytes bytes) {
  const Bytes row = chip.global_memory.row_size;
  return {0, 0, row == 0 ? 0 : (bytes + row - 1) / row};
}

}  // namespace pimento::isa::cost
