#include "isa/cost/footprint.hpp"

#include <algorithm>
#include <cstdlib>

namespace pimento::isa::cost {
namespace {

ByteRange range(const Operand& operand, const Place& place) {
  if (operand.indexed) return {place.address, place.address + operand.extent, 0, operand.extent};
  const std::int64_t span = (operand.count - 1) * operand.stride;
  const std::int64_t low = place.address + std::min<std::int64_t>(span, 0);
  const std::int64_t high = place.address + std::max<std::int64_t>(span, 0) + operand.bytes;
  const bool one_piece = operand.count == 1 || std::abs(operand.stride) <= operand.bytes;
  if (place.ring_size == 0) return {low, high, one_piece ? 0 : std::abs(operand.stride), operand.bytes};
  const std::int64_t ring_end = std::int64_t{place.ring_lo} + place.ring_size;
  const std::int64_t start = wrap(low, place.ring_lo, place.ring_size);
  if (start + (high - low) <= ring_end)
    return {start, start + (high - low), one_piece ? 0 : std::abs(operand.stride), operand.bytes};
  return {place.ring_lo, ring_end, 0, place.ring_size};
}

const Place& place_of(const Places& places, Which which) {
  return which == Which::d ? places.d : which == Which::a ? places.a : places.b;
}

}  // namespace

bool overlap_in_detail(const ByteRange& a, const ByteRange& b) {
  if (a.stride != 0 && b.stride != 0) {
    if (a.stride != b.stride) return true;
    // Within the common span both repeat with one period, so their phases decide.
    const std::int64_t phase = wrap(b.low - a.low, 0, a.stride);
    return phase < a.bytes || phase + b.bytes > a.stride;
  }
  const ByteRange& strided = a.stride != 0 ? a : b;
  const ByteRange& piece = a.stride != 0 ? b : a;
  const std::int64_t from = std::max(piece.low, strided.low), to = std::min(piece.high, strided.high);
  const std::int64_t phase = (from - strided.low) % strided.stride;
  return phase < strided.bytes || phase + (to - from) > strided.stride;
}

Touched touched(const Instruction& i, std::int64_t columns, Bytes memory) {
  Touched t;
  const Unit unit = row(i.opcode).unit;
  if (unit == Unit::control || i.opcode == Opcode::addr) return t;
  if (i.opcode == Opcode::sld) {
    t.reads_all = memory;
    return t;
  }
  t.operands = operands(i);
  if (i.opcode == Opcode::mvm) {
    t.operands.writes = true;
    t.operands.destination = {Which::d, 1, columns * size_of(i.type_d), 0, false, 0};
  }
  return t;
}

void footprint(const Touched& t, const Places& places, Footprint& out) {
  out.reads = 0;
  out.writes = t.operands.writes;
  if (t.reads_all > 0) out.read[static_cast<std::size_t>(out.reads++)] = {0, t.reads_all, 0, t.reads_all};
  for (const Operand& source : t.operands.sources())
    out.read[static_cast<std::size_t>(out.reads++)] = range(source, place_of(places, source.which));
  if (out.writes) out.write = range(t.operands.destination, place_of(places, t.operands.destination.which));
}

void bend(Footprint& f, bool of_load_or_store, const Rules& rules) {
  const auto bent = [&](ByteRange& r) {
    if (of_load_or_store && rules.load_hazards_at_zero) r = {0, r.high - r.low, r.stride, r.bytes};
    if (rules.touching_ranges_conflict) ++r.high, r.bytes += r.stride != 0 ? 1 : 0;
  };
  if (!rules.load_hazards_at_zero && !rules.touching_ranges_conflict) return;
  for (int n = 0; n < f.reads; ++n) bent(f.read[static_cast<std::size_t>(n)]);
  if (f.writes) bent(f.write);
}

Conflict conflict(const Footprint& earlier, const Footprint& later, const Rules& rules) {
  Conflict c;
  if (earlier.writes) {
    for (const ByteRange& read : later.all_reads()) c.on_result = c.on_result || overlap(earlier.write, read);
    c.on_result =
        c.on_result || (!rules.write_after_write_unchecked && later.writes && overlap(earlier.write, later.write));
  }
  if (later.writes)
    for (const ByteRange& read : earlier.all_reads()) c.on_reading = c.on_reading || overlap(read, later.write);
  if (rules.write_after_read_waits_for_end) c.on_result = c.on_result || c.on_reading;
  return c;
}

}  // namespace pimento::isa::cost
