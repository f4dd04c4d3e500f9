#include "isa/cost/cost.hpp"

#include <algorithm>

#include "isa/cost/operands.hpp"
#include "isa/cost/product.hpp"
#include "isa/cost/service.hpp"
#include "isa/support/error.hpp"
#include "isa/support/whole.hpp"

namespace pimento::isa::cost {
namespace {

Cycles accesses_take(Cycles latency, int banks, std::int64_t accesses) {
  return accesses == 0 ? 0 : latency + (accesses - 1) * ceil_div(latency, std::max(banks, 1));
}

/// Accesses of each phase of a core-local instruction.
struct Accesses {
  std::int64_t reads = 0, indexed_reads = 0, writes = 0, indexed_writes = 0;
};

std::int64_t of(const LocalMemory& memory, const Operand& operand) {
  return memory_accesses(memory, operand.count, operand.bytes, operand.stride);
}

Accesses accesses(const Chip& chip, const Instruction& i) {
  const Operands o = operands(i);
  const auto& memory = chip.core.local_memory;
  Accesses n;
  for (const Operand& source : o.sources()) (source.indexed ? n.indexed_reads : n.reads) += of(memory, source);
  if (o.writes) (o.destination.indexed ? n.indexed_writes : n.writes) += of(memory, o.destination);
  return n;
}

Cycles passes(const Chip& chip, const Instruction& i) {
  const int lanes = std::max(chip.core.vector.lanes, 1);
  const bool joined =
      i.count == 1 || (i.stride_a == i.len * size_of(i.type_a) && i.stride_d == i.len * size_of(i.type_d));
  const auto len = static_cast<std::int64_t>(i.len);
  const auto count = static_cast<std::int64_t>(i.count);
  const Form form = row(i.opcode).form;
  const bool one_result = form == Form::reduce || form == Form::dot;
  return joined && !one_result ? ceil_div(count * len, lanes) : count * ceil_div(len, lanes);
}

bool is_function(Opcode op) {
  switch (op) {
    case Opcode::vdiv:
    case Opcode::vmod:
    case Opcode::vpow:
    case Opcode::vexp:
    case Opcode::vlog:
    case Opcode::vsqrt:
    case Opcode::vrsqrt:
    case Opcode::vrecip:
    case Opcode::verf:
    case Opcode::vtanh:
    case Opcode::vsigm:
    case Opcode::vsin:
    case Opcode::vcos:
      return true;
    default:
      return false;
  }
}

Cycles compute(const Chip& chip, const Instruction& i) {
  switch (row(i.opcode).unit) {
    case Unit::control:
      return 1;
    case Unit::scalar:
      return std::max<Cycles>(chip.core.scalar.latency_cycles, 1);
    case Unit::vector:
      return passes(chip, i) *
             (is_function(i.opcode) ? chip.core.vector.function_latency_cycles : chip.core.vector.latency_cycles);
    case Unit::matrix:  // dvm; the crossbar's instructions have functions of their own
      return static_cast<Cycles>(i.len) * ceil_div(i.count, std::max(chip.core.vector.lanes, 1)) *
             chip.core.vector.latency_cycles;
    case Unit::transfer:
      return 0;
  }
  return 0;
}

Femtoseconds to_fs(Cycles cycles, const Clock& clock) { return cycles * clock.period_fs; }
Cycles in_core_cycles(const Chip& chip, Femtoseconds time) { return ceil_div(time, chip.core.clock.period_fs); }

Duration with_accesses(const Chip& chip, const Accesses& n, Cycles computing) {
  const auto& m = chip.core.local_memory;
  return {accesses_take(m.read_latency_cycles, m.banks, n.reads) + n.indexed_reads * m.read_latency_cycles, computing,
          accesses_take(m.write_latency_cycles, m.banks, n.writes) + n.indexed_writes * m.write_latency_cycles};
}

Duration with_rules(const Chip& chip, const Instruction& i, Duration d) {
  const Unit unit = row(i.opcode).unit;
  if (unit == Unit::control || unit == Unit::scalar) return d;
  const Rules& rules = chip.rules;
  const bool by_network = i.opcode == Opcode::store || i.opcode == Opcode::gstore || i.opcode == Opcode::wait;
  d.start = rules.start_cycles;
  d.retire = rules.retire_cycles + (i.opcode == Opcode::mvm ? rules.mvm_retire_cycles : 0) +
             (by_network ? rules.network_retire_cycles : 0);
  return d;
}

}  // namespace

Cycles memory_accesses(const LocalMemory& memory, std::int64_t count, Bytes bytes, std::int64_t stride) {
  if (count <= 0 || bytes <= 0) return 0;
  const Bytes width = std::max<Bytes>(memory.width, 1);
  return stride == bytes || count == 1 ? ceil_div(count * bytes, width) : count * ceil_div(bytes, width);
}

Cycles mvm_occupancy(const Chip& chip, const TileShape& tile, ElementType input) {
  return product(chip, tile, input).occupied;
}

Cycles mvm_compute(const Chip& chip, const TileShape& tile, ElementType input) {
  const Product p = product(chip, tile, input);
  return p.occupied + p.drain + (tile.crossbar_rows - 1) * chip.core.array_group.row_add_cycles;
}

Duration mvm(const Chip& chip, const TileShape& tile, const Instruction& i) {
  Accesses n;
  const Bytes segment = static_cast<Bytes>(i.len) * size_of(i.type_a);
  const std::int64_t times = chip.rules.mvm_input_reads;
  n.reads = i.count == 1 || i.stride_a == segment
                ? memory_accesses(chip.core.local_memory, 1, times * i.count * segment, 0)
                : times * memory_accesses(chip.core.local_memory, i.count, segment, i.stride_a);
  n.writes = memory_accesses(chip.core.local_memory, 1, static_cast<Bytes>(tile.cols) * size_of(i.type_d), 0);
  Duration d = with_rules(chip, i, with_accesses(chip, n, mvm_compute(chip, tile, i.type_a)));
  if (chip.core.crossbar.overlap) d.occupies = mvm_occupancy(chip, tile, i.type_a);
  return d;
}

Duration program(const Chip& chip, const TileShape& tile) {
  const auto& x = chip.core.crossbar;
  if (!x.program_latency_fs)
    throw UserError("chip '" + chip.name + "': program needs 'core.crossbar.program_latency', which is unknown");
  return {0, in_core_cycles(chip, rows_used(chip, tile) * *x.program_latency_fs), 0};
}

Duration write(const Chip& chip, const Instruction& i) {
  const auto& x = chip.core.crossbar;
  const std::int64_t rows = std::min<std::int64_t>(i.count, x.rows);
  const Cycles writing = in_core_cycles(chip, rows * x.program_latency_fs.value_or(0));
  return with_rules(chip, i, with_accesses(chip, accesses(chip, i), writing));
}

Duration local(const Chip& chip, const Instruction& i) {
  return with_rules(chip, i, with_accesses(chip, accesses(chip, i), compute(chip, i)));
}

Cycles message_cycles(const Chip& chip, CoreId source, CoreId destination, Bytes bytes) {
  const Cycles network =
      request_and_grant_cycles(chip, source, destination) + message_network_cycles(chip, source, destination, bytes);
  return in_core_cycles(chip, to_fs(network, chip.network.clock));
}

Cycles global_access_cycles(const Chip& chip, CoreId core, Bytes bytes, bool is_store, const RowAccesses& rows) {
  const auto memory = static_cast<CoreId>(chip.cores);
  const auto& g = chip.global_memory;
  const Femtoseconds served =
      to_fs(service_cycles(chip, ceil_div(bytes, std::max<Bytes>(g.width, 1)), is_store, rows), g.clock);
  if (is_store) {
    const auto read = accesses_take(chip.core.local_memory.read_latency_cycles, chip.core.local_memory.banks,
                                    memory_accesses(chip.core.local_memory, 1, bytes, 0));
    return read +
           in_core_cycles(chip, to_fs(message_network_cycles(chip, core, memory, bytes), chip.network.clock) + served);
  }
  const auto write = accesses_take(chip.core.local_memory.write_latency_cycles, chip.core.local_memory.banks,
                                   memory_accesses(chip.core.local_memory, 1, bytes, 0));
  const Cycles back = chip.rules.load_data_free ? 0 : message_network_cycles(chip, memory, core, bytes);
  const Cycles network = message_network_cycles(chip, core, memory, 1) + back;
  return in_core_cycles(chip, to_fs(network, chip.network.clock) + served) + write;
}

Bytes transfer_bytes(const Instruction& i) {
  switch (row(i.opcode).form) {
    case Form::load:
    case Form::store:
    case Form::gather_global:
    case Form::scatter_global:
    case Form::send:
    case Form::multicast:
    case Form::receive:
      return static_cast<Bytes>(i.count) * i.len;
    default:
      return 0;
  }
}

Bytes request_bytes(const Instruction& i) {
  return row(i.opcode).form == Form::gather_global ? static_cast<Bytes>(i.count) * 4 : 1;
}

std::int64_t global_accesses(const Chip& chip, const Instruction& i) {
  const bool indexed = i.opcode == Opcode::gload || i.opcode == Opcode::gstore;
  const std::int32_t stride = i.opcode == Opcode::store ? i.stride_d : i.stride_a;
  const Bytes width = std::max<Bytes>(chip.global_memory.width, 1);
  const bool joined = !indexed && (stride == i.len || i.count == 1);
  return joined ? ceil_div(static_cast<Bytes>(i.count) * i.len, width) : i.count * ceil_div(i.len, width);
}

int global_channel(const Chip& chip, std::int64_t address) {
  return static_cast<int>((address / channel_page) % std::max(chip.global_memory.channels, 1));
}

void Events::add(const Events& e, std::int64_t times) {
  crossbar_reads += times * e.crossbar_reads;
  dac_conversions += times * e.dac_conversions;
  adc_conversions += times * e.adc_conversions;
  shift_adds += times * e.shift_adds;
  cells_programmed += times * e.cells_programmed;
  local_reads += times * e.local_reads;
  local_writes += times * e.local_writes;
  vector_operations += times * e.vector_operations;
  scalar_operations += times * e.scalar_operations;
}

Events events(const Chip& chip, const Instruction& i, const TileShape* tile) {
  Events e;
  const Accesses n = accesses(chip, i);
  e.local_reads = n.reads + n.indexed_reads;
  e.local_writes = n.writes + n.indexed_writes;
  switch (row(i.opcode).unit) {
    case Unit::scalar:
      e.scalar_operations = 1;
      break;
    case Unit::vector:
      e.vector_operations = static_cast<std::int64_t>(i.count) * i.len;
      break;
    case Unit::matrix:
      if (i.opcode == Opcode::dvm) e.vector_operations = static_cast<std::int64_t>(i.count) * i.len;
      if (i.opcode == Opcode::dvm || tile == nullptr) break;
      if (const auto& x = chip.core.crossbar; i.opcode == Opcode::mvm) {
        const std::int64_t steps = dac_steps(chip, *tile, i.type_a);
        const auto crossbars = static_cast<std::int64_t>(tile->crossbar_rows) * tile->crossbar_cols;
        e.crossbar_reads = crossbars * steps;
        e.dac_conversions =
            static_cast<std::int64_t>(tile->rows) * tile->crossbar_cols * chip.input_slices(i.type_a) * x.phases;
        e.adc_conversions = x.adc.per_crossbar == 0 ? 0 : crossbars * x.cols * steps;  // every column, used or not
        e.shift_adds = crossbars * x.cols * steps;
        e.local_writes =
            memory_accesses(chip.core.local_memory, 1, static_cast<Bytes>(tile->cols) * size_of(i.type_d), 0);
      } else {
        const std::int64_t rows = i.opcode == Opcode::write ? i.count : tile->rows;
        e.cells_programmed = rows * tile->cols * chip.cell_columns();
      }
      break;
    default:
      break;
  }
  return e;
}

std::optional<Picojoules> instruction_energy(const Chip& chip, const Instruction& i, const TileShape* tile) {
  const Events e = events(chip, i, tile);
  const auto& core = chip.core;
  Picojoules sum = 0;
  bool known = true;
  const auto add = [&](std::int64_t count, const std::optional<Picojoules>& each) {
    if (count == 0) return;
    known = known && each.has_value();
    sum += static_cast<double>(count) * each.value_or(0);
  };
  add(e.crossbar_reads, core.crossbar.read_energy_pj);
  add(e.dac_conversions, core.crossbar.dac_energy_pj);
  add(e.adc_conversions, core.crossbar.adc.energy_pj);
  add(e.shift_adds, core.crossbar.shift_add_energy_pj);
  add(e.cells_programmed, core.crossbar.program_energy_pj);
  add(e.local_reads, core.local_memory.read_energy_pj);
  add(e.local_writes, core.local_memory.write_energy_pj);
  add(e.vector_operations, core.vector.energy_pj);
  add(e.scalar_operations, core.scalar.energy_pj);
  if (!known) return std::nullopt;
  return sum;
}

TileShape tile_shape(const Chip& chip, int rows, int cols) {
  const auto& x = chip.core.crossbar;
  const int per_row = std::max(chip.weights_per_crossbar_row(), 1);
  return {rows, cols, static_cast<int>(ceil_div(rows, x.rows)), static_cast<int>(ceil_div(cols, per_row))};
}

const std::vector<std::string>& schedule_keys() {
  static const std::vector<std::string> keys = {"core.clock",
                                                "core.window",
                                                "core.scalar.latency",
                                                "core.vector.lanes",
                                                "core.vector.latency",
                                                "core.vector.function_latency",
                                                "core.local_memory.width",
                                                "core.local_memory.ports",
                                                "core.local_memory.banks",
                                                "core.local_memory.bank_interleave",
                                                "core.local_memory.read_latency",
                                                "core.local_memory.write_latency",
                                                "core.crossbar.dac_bits",
                                                "core.crossbar.rows_active",
                                                "core.crossbar.read_latency",
                                                "core.crossbar.dac_latency",
                                                "core.crossbar.sample_hold_latency",
                                                "core.crossbar.shift_add_latency",
                                                "core.crossbar.output_latency",
                                                "core.crossbar.pipelined",
                                                "core.crossbar.adc.per_crossbar",
                                                "core.crossbar.adc.latency",
                                                "core.crossbar.adc.steps",
                                                "core.crossbar.adc.step_latency",
                                                "core.crossbar.adc.fewer_steps",
                                                "core.crossbar.input",
                                                "core.crossbar.signed_inputs",
                                                "core.crossbar.phases",
                                                "core.crossbar.stages",
                                                "core.crossbar.overlap",
                                                "core.crossbar.row_latency",
                                                "core.crossbar.column_latency",
                                                "core.supply.voltage",
                                                "core.supply.nominal",
                                                "core.supply.time_exponent",
                                                "core.array_group.row_add_latency",
                                                "network.clock",
                                                "network.topology",
                                                "network.width",
                                                "network.height",
                                                "network.cores_per_router",
                                                "network.tree_arity",
                                                "network.level",
                                                "network.virtual_channel_buffer",
                                                "network.flit",
                                                "network.router_latency",
                                                "network.link_latency",
                                                "network.handshake_latency",
                                                "network.receive_buffer_messages",
                                                "network.table",
                                                "global_memory.clock",
                                                "global_memory.width",
                                                "global_memory.channels",
                                                "global_memory.read_latency",
                                                "global_memory.write_latency",
                                                "global_memory.row_size",
                                                "global_memory.banks",
                                                "global_memory.activate_latency",
                                                "global_memory.precharge_latency",
                                                "global_memory.attached_to",
                                                "rules.mvm_input_reads",
                                                "rules.rounded_down",
                                                "rules.load_data_free",
                                                "rules.request_and_grant",
                                                "rules.sends_end_early",
                                                "rules.messages_in_turn",
                                                "rules.first_issue",
                                                "rules.start_latency",
                                                "rules.retire_latency",
                                                "rules.mvm_retire_latency",
                                                "rules.network_retire_latency",
                                                "rules.write_after_write_unchecked",
                                                "rules.write_after_read_waits_for_end",
                                                "rules.touching_ranges_conflict",
                                                "rules.load_hazards_at_zero"};
  return keys;
}

}  // namespace pimento::isa::cost
