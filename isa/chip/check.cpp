#include "isa/chip/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace pimento::isa {
namespace {

std::string at_most(const char* what, std::int64_t limit, std::int64_t got) {
  return fmt::format("expected at most {} ({}), got {}", limit, what, got);
}
bool has(const std::vector<ElementType>& types, ElementType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::optional<Finding> check_core(const Chip& chip) {
  const Core& core = chip.core;
  const Crossbar& x = core.crossbar;
  const auto& types = core.vector.types;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (std::find(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(i), types[i]) !=
        types.begin() + static_cast<std::ptrdiff_t>(i))
      return Finding{"core.vector.types", fmt::format("expected each type once, got '{}' twice", to_string(types[i]))};
  if (!has(types, ElementType::i32))
    return Finding{"core.vector.types", "expected i32 among the types, since partial sums travel as i32"};
  if (core.local_memory.capacity < core.local_memory.width)
    return Finding{"core.local_memory.width",
                   at_most("core.local_memory.capacity", core.local_memory.capacity, core.local_memory.width)};
  if (x.cell_bits > chip.numerics.weight_bits)
    return Finding{"core.crossbar.cell_bits", at_most("numerics.weight_bits", chip.numerics.weight_bits, x.cell_bits)};
  if (x.dac_bits > chip.numerics.activation_bits)
    return Finding{"core.crossbar.dac_bits",
                   at_most("numerics.activation_bits", chip.numerics.activation_bits, x.dac_bits)};
  if (x.rows_active > x.rows)
    return Finding{"core.crossbar.rows_active", at_most("core.crossbar.rows", x.rows, x.rows_active)};
  if (x.cols < chip.columns_per_weight())
    return Finding{"core.crossbar.cols", fmt::format("expected at least {} columns, which one weight takes, got {}",
                                                     chip.columns_per_weight(), x.cols)};
  if (x.adc.per_crossbar > x.cols)
    return Finding{"core.crossbar.adc.per_crossbar", at_most("core.crossbar.cols", x.cols, x.adc.per_crossbar)};
  if (x.adc.per_crossbar == 0 && !x.adc.ideal)
    return Finding{"core.crossbar.adc.ideal", "expected true without converters (core.crossbar.adc.per_crossbar 0)"};
  if (x.adc.per_crossbar == 0 && x.nonideal.any())
    return Finding{"core.crossbar.adc.per_crossbar",
                   "expected converters with core.crossbar.nonideal: what ends in digits has no devices in its way"};
  if (x.nonideal.stuck_at_0 + x.nonideal.stuck_at_1 > 1)
    return Finding{"core.crossbar.nonideal.stuck_at_1", "expected at most 1 together with stuck_at_0"};
  if (x.input_bits > 0 && x.dac_bits > x.input_bits)
    return Finding{"core.crossbar.dac_bits", at_most("core.crossbar.input_bits", x.input_bits, x.dac_bits)};
  if (core.array_group.max_rows > core.crossbars)
    return Finding{"core.array_group.max_rows", at_most("core.crossbars", core.crossbars, core.array_group.max_rows)};
  if (core.array_group.max_columns > core.crossbars)
    return Finding{"core.array_group.max_columns",
                   at_most("core.crossbars", core.crossbars, core.array_group.max_columns)};
  return std::nullopt;
}

/// The cores that width, height and cores per router make room for.
std::optional<Finding> check_shape(const Chip& chip) {
  const Network& network = chip.network;
  const std::int64_t each = network.cores_per_router;
  if (network.topology == "mesh" || network.topology == "torus") {
    const std::int64_t routers = std::int64_t{network.width} * network.height;
    const std::string per_router = each > 1 ? fmt::format(" * {} (cores_per_router)", each) : "";
    if (routers * each != chip.cores)
      return Finding{"network.width",
                     fmt::format("expected width * height{} to be {} ('cores'), got {} * {}{} = {}", per_router,
                                 chip.cores, network.width, network.height, per_router, routers * each)};
  }
  if (network.topology == "ring" && chip.cores % each != 0)
    return Finding{"network.cores_per_router",
                   fmt::format("expected a divisor of {} ('cores'), got {}", chip.cores, each)};
  return std::nullopt;
}

/// A flit stays in a router for a cycle at least; a way round needs a second channel to be free of deadlock.
std::optional<Finding> check_flits(const Chip& chip) {
  const Network& network = chip.network;
  if (network.level != NetworkLevel::flit) return std::nullopt;
  if (network.router_cycles < 1)
    return Finding{"network.router_latency",
                   fmt::format("expected at least 1 cycle with network.level flit, got {}", network.router_cycles)};
  if ((network.topology == "torus" || network.topology == "ring") && network.virtual_channels < 2)
    return Finding{"network.virtual_channels",
                   fmt::format("expected at least 2 on a {}, where one can deadlock, got {}", network.topology,
                               network.virtual_channels)};
  return std::nullopt;
}

std::optional<Finding> check_routers(const Chip& chip) {
  if (auto finding = check_shape(chip)) return finding;
  if (auto finding = check_flits(chip)) return finding;
  if (chip.network.router_cycles + chip.network.link_cycles < 1)
    return Finding{"network.link_latency", "expected router_latency and link_latency to be 1 cycle at least together"};
  const auto& attached = chip.global_memory.attached_to;
  if (attached.size() != static_cast<std::size_t>(chip.global_memory.channels))
    return Finding{"global_memory.attached_to",
                   fmt::format("expected a core for each of {} (global_memory.channels), got {}",
                               chip.global_memory.channels, attached.size())};
  for (const CoreId core : attached)
    if (core >= static_cast<CoreId>(chip.cores))
      return Finding{"global_memory.attached_to",
                     fmt::format("expected cores below {} ('cores'), got {}", chip.cores, core)};
  if (std::set<CoreId>(attached.begin(), attached.end()).size() != attached.size())
    return Finding{"global_memory.attached_to", "expected a different core for each channel"};
  return std::nullopt;
}

std::optional<Finding> check_table(const Chip& chip) {
  const auto& table = *chip.network.table;
  const std::size_t nodes = static_cast<std::size_t>(chip.cores) + 1;
  if (table.size() != nodes)
    return Finding{"network.table",
                   fmt::format("expected {} rows (each core, then the global memory), got {}", nodes, table.size())};
  for (std::size_t i = 0; i < nodes; ++i) {
    if (table[i].size() != nodes)
      return Finding{"network.table", fmt::format("expected {} columns in row {}, got {}", nodes, i, table[i].size())};
    for (std::size_t j = 0; j < nodes; ++j)
      if ((table[i][j] == 0) != (i == j))
        return Finding{"network.table", fmt::format("expected {} from {} to {}, got {}",
                                                    i == j ? "0 cycles" : "at least 1 cycle", i, j, table[i][j])};
  }
  return std::nullopt;
}

/// What asks the receiver, or ends before it has received, exists only where sends wait for their receives.
std::optional<Finding> check_rules(const Chip& chip) {
  for (const auto& [set, key] : {std::pair{chip.rules.request_and_grant, "rules.request_and_grant"},
                                 std::pair{chip.rules.sends_end_early, "rules.sends_end_early"}})
    if (set && (chip.network.receive_buffer_messages != 0 || chip.network.multicast))
      return Finding{key, "expected network.receive_buffer_messages 0 and no network.multicast with it"};
  return std::nullopt;
}

}  // namespace

std::optional<Finding> check_across_keys(const Chip& chip) {
  if (chip.name.empty() || chip.name.find('\n') != std::string::npos)
    return Finding{"name", "expected a name of one line and one letter at least"};
  if (auto finding = check_core(chip)) return finding;
  if (auto finding = chip.network.topology == "table" ? check_table(chip) : check_routers(chip)) return finding;
  if (auto finding = check_rules(chip)) return finding;
  if (chip.numerics.f32 && !has(chip.core.vector.types, ElementType::f32))
    return Finding{"numerics.f32", "expected f32 in core.vector.types, got a vector unit without it"};
  return std::nullopt;
}

}  // namespace pimento::isa
