#pragma once
// The latency table of a network: cycles per flit for each pair, the global memory last.
#include <string>
#include <vector>

#include "isa/chip/node.hpp"
#include "isa/support/types.hpp"

namespace pimento::isa {

using LatencyTable = std::vector<std::vector<Cycles>>;

/// From the value of `network.table`: rows in place, or the name of a file beside `chip_file`. The size is checked by
/// the caller, who knows the number of cores.
LatencyTable read_table(const Node& value, const std::string& chip_file, Femtoseconds network_period);
/// One line per row, numbers separated by commas; lines that begin with '#' are comments.
LatencyTable parse_table_csv(const std::string& text, const std::string& file_name);
/// {"latency": {"0": {"1": 4, ...}, ..., "-10": {...}}} in ns; the one negative id is the global memory.
LatencyTable parse_table_json(const std::string& text, const std::string& file_name, Femtoseconds network_period);
/// "[[0, 4], [9, 0]]"; "unknown" without a table.
std::string print_table(const LatencyTable* table);

}  // namespace pimento::isa
