#include "isa/chip/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "isa/support/file.hpp"
#include "isa/support/json.hpp"
#include "isa/support/quantity.hpp"
#include "isa/support/whole.hpp"

namespace pimento::isa {
namespace {

constexpr Cycles largest = 1'000'000'000;

Cycles latency(const std::string& text, const Place& place) {
  const Quantity q = parse_quantity(text, Dimension::count);
  if (!q.ok() || q.whole < 0 || q.whole > largest)
    throw UserError(
        place, fmt::format("expected network cycles per flit, a whole number in 0 .. {}, got '{}'", largest, text));
  return q.whole;
}

LatencyTable table_in_place(const Node& value) {
  LatencyTable table;
  for (const Node& row : value.items) {
    if (row.kind != Node::Kind::sequence)
      throw UserError(row.place,
                      fmt::format("'network.table': expected a row (a list of numbers), got {}", shown(row)));
    table.emplace_back();
    for (const Node& item : row.items) {
      if (item.kind != Node::Kind::scalar)
        throw UserError(item.place, fmt::format("'network.table': expected a whole number, got {}", shown(item)));
      table.back().push_back(latency(item.text, item.place));
    }
  }
  return table;
}

}  // namespace

LatencyTable parse_table_csv(const std::string& text, const std::string& file_name) {
  LatencyTable table;
  std::istringstream lines(text);
  lines.exceptions(std::ios::badbit);  // else a failing allocation looks like the end
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    table.emplace_back();
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t to = std::min(line.find(',', from), line.size());
      table.back().push_back(
          latency(line.substr(from, to - from), {file_name, number, static_cast<int>(from) + 1, ""}));
      from = to + 1;
    }
  }
  return table;
}

LatencyTable parse_table_json(const std::string& text, const std::string& file_name, Femtoseconds network_period) {
  using Json = nlohmann::json;
  const auto refuse = [&](const std::string& message) { throw UserError(Place{file_name, 0, 0, ""}, message); };
  const Json document = parse_json(text, file_name);
  if (!document.is_object() || !document.contains("latency") || !document["latency"].is_object())
    refuse("expected {\"latency\": {source: {destination: ns}}}");
  const Json& pairs = document["latency"];
  // Rows in the order 0, 1, ..., cores-1, then the memory.
  std::map<std::int64_t, std::string> cores;
  std::string memory;
  for (const auto& [id, row] : pairs.items()) {
    const Quantity q = parse_quantity(id, Dimension::count);
    if (!q.ok()) refuse(fmt::format("node '{}': {}", id, q.error));
    if (!row.is_object()) refuse(fmt::format("node '{}': expected {{destination: ns}}", id));
    if (q.whole >= 0)
      cores[q.whole] = id;
    else if (memory.empty())
      memory = id;
    else
      refuse(fmt::format("expected one negative id, the global memory, got '{}' and '{}'", memory, id));
  }
  if (memory.empty()) refuse("expected one negative id, the global memory, got none");
  std::vector<std::string> ids;
  for (const auto& [core, id] : cores) {
    if (core != static_cast<std::int64_t>(ids.size())) refuse(fmt::format("core {} is missing", ids.size()));
    ids.push_back(id);
  }
  ids.push_back(memory);
  LatencyTable table;
  for (const std::string& source : ids) {
    const Json& row = pairs[source];
    for (const auto& [id, ns] : row.items())
      if (std::find(ids.begin(), ids.end(), id) == ids.end())
        refuse(fmt::format("from '{}' to '{}': no such node", source, id));
    table.emplace_back();
    for (const std::string& destination : ids) {
      if (source == destination) {
        table.back().push_back(0);
        continue;
      }
      if (!row.contains(destination)) refuse(fmt::format("from '{}' to '{}': no latency given", source, destination));
      const Json& ns = row[destination];
      if (!ns.is_number_integer() || ns.get<std::int64_t>() < 0 || ns.get<std::int64_t>() > largest)
        refuse(fmt::format("from '{}' to '{}': expected a whole number of ns, got {}", source, destination, ns.dump()));
      const Femtoseconds time = ns.get<std::int64_t>() * 1'000'000;
      table.back().push_back(ceil_div(time, network_period));
    }
  }
  return table;
}

LatencyTable read_table(const Node& value, const std::string& chip_file, Femtoseconds network_period) {
  if (value.kind == Node::Kind::sequence) return table_in_place(value);
  if (value.kind != Node::Kind::scalar)
    throw UserError(value.place,
                    fmt::format("'network.table': expected a file name or a list of rows, got {}", shown(value)));
  const std::filesystem::path path = std::filesystem::path(chip_file).parent_path() / value.text;
  const std::string extension = path.extension().string();
  if (extension != ".csv" && extension != ".json")
    throw UserError(value.place, fmt::format("'network.table': expected a .csv or .json file, got '{}'", value.text));
  std::string text;
  try {
    text = read_file(path.string());
  } catch (const UserError& error) {
    throw UserError(value.place, fmt::format("'network.table': {}", error.what()));
  }
  return extension == ".csv" ? parse_table_csv(text, path.string())
                             : parse_table_json(text, path.string(), network_period);
}

std::string print_table(const LatencyTable* table) {
  if (!table) return "unknown";
  std::string text;
  for (const auto& row : *table) text += fmt::format("{}[{}]", text.empty() ? "" : ", ", fmt::join(row, ", "));
  return "[" + text + "]";
}

}  // namespace pimento::isa
