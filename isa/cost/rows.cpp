#include "isa/cost/rows.hpp"

#include <algorithm>

#include "isa/cost/service.hpp"
#include "isa/instruction/form.hpp"
#include "isa/support/whole.hpp"

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
  return {0, 0, row == 0 ? 0 : ceil_div(bytes, row)};
}

Cycles service_cycles(const Chip& chip, std::int64_t accesses, bool is_store, const RowAccesses& rows) {
  const auto& memory = chip.global_memory;
  const Cycles each = is_store ? memory.write_latency_cycles : memory.read_latency_cycles;
  return std::max<Cycles>(1, accesses * each) + row_cycles(chip, rows);
}

Femtoseconds expected_service(const Chip& chip, Bytes bytes, bool is_store) {
  const auto& memory = chip.global_memory;
  const std::int64_t accesses = ceil_div(bytes, std::max<Bytes>(memory.width, 1));
  return service_cycles(chip, accesses, is_store, expected_rows(chip, bytes)) * memory.clock.period_fs;
}

}  // namespace pimento::isa::cost
