#include "simulator/memory/open_rows.hpp"

#include <algorithm>

namespace pimento::sim {

GlobalView global_view(const isa::Instruction& i, const Places& places) {
  const bool store = i.opcode == isa::Opcode::store || i.opcode == isa::Opcode::gstore;
  return {store ? places.d : places.a, i.count, i.len, store ? i.stride_d : i.stride_a,
          i.opcode == isa::Opcode::gload || i.opcode == isa::Opcode::gstore};
}

OpenRows::OpenRows(const isa::Chip& chip) : chip_(chip) {
  if (chip.global_memory.row_size > 0)
    open_.resize(static_cast<std::size_t>(std::max(chip.global_memory.banks, 1)), closed);
}

isa::cost::RowAccesses OpenRows::serve(const GlobalView& view, std::int64_t accesses) {
  isa::cost::RowAccesses found;
  if (open_.empty()) return found;
  if (view.indexed) {
    std::fill(open_.begin(), open_.end(), not_known);
    found.conflicts = accesses;
    return found;
  }
  const Bytes width = std::max<Bytes>(chip_.global_memory.width, 1);
  std::int64_t at = 0;  // in the segment: where the next access begins
  for (std::int64_t k = 0; k < view.count; ++k) {
    const std::int64_t start = view.place.start(k, view.stride);
    while (at < view.bytes) {
      const isa::cost::MemoryRow row = isa::cost::memory_row(chip_, start + at);
      const std::int64_t in_row = std::min(row.end - start, view.bytes) - at, begin_here = (in_row + width - 1) / width;
      std::int64_t& open = open_[static_cast<std::size_t>(row.bank)];
      found.hits += begin_here - (open == row.row ? 0 : 1);
      found.misses += open == closed ? 1 : 0;
      found.conflicts += open != closed && open != row.row ? 1 : 0;
      open = row.row;
      at += begin_here * width;
    }
    at = view.is_joined() ? at - view.bytes : 0;
  }
  return found;
}

}  // namespace pimento::sim
