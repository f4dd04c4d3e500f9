#include "cli/report/mapping_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/report/svg.hpp"
#include "isa/support/counted.hpp"

namespace pimento::cli {
namespace {

using svg::colour, svg::escaped, svg::gap, svg::line, svg::margin, svg::square;

struct CoreMap {
  std::map<std::uint32_t, int> crossbars;        ///< by node
  std::map<std::uint32_t, std::size_t> emitted;  ///< instructions by node
};

CoreMap map_of(const isa::CoreProgram& core) {
  CoreMap map;
  std::set<std::uint32_t> counted;
  for (const isa::NodeRange& range : core.nodes) {
    map.emitted[range.node] += range.end - range.begin;
    for (std::uint32_t k = range.begin; k < range.end; ++k) {
      const isa::Instruction& i = core.instructions.data[k];
      if (i.opcode != isa::Opcode::mvm || !counted.insert(i.target).second) continue;
      const isa::Group& group = core.groups.at(i.target);
      map.crossbars[range.node] += group.crossbar_rows * group.crossbar_cols;
    }
  }
  return map;
}

}  // namespace

std::string mapping_svg(const isa::Program& program, const isa::Chip& chip) {
  const int columns = svg::columns_of(chip);
  const int rows = (chip.cores + columns - 1) / columns;
  std::map<std::uint32_t, std::pair<int, int>> totals;  // by node: crossbars, cores
  std::string cores;
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    const CoreMap map = map_of(program.cores[c]);
    const auto [x, y] = svg::corner(static_cast<int>(c), columns);
    std::string title = fmt::format("core {}", c);
    std::string blocks;
    int below = 0;  // crossbars drawn so far, from the bottom
    for (const auto& [node, emitted] : map.emitted) {
      const auto at = map.crossbars.find(node);
      const int crossbars = at == map.crossbars.end() ? 0 : at->second;
      totals[node].first += crossbars;
      totals[node].second += 1;
      title += fmt::format("\n{}: {}, {}", program.nodes.at(node), counted(crossbars, "crossbar"),
                           counted(emitted, "instruction"));
      const int top = square - square * (below + crossbars) / chip.core.crossbars;
      const int bottom = square - square * below / chip.core.crossbars;
      below += crossbars;
      if (crossbars > 0)
        blocks += fmt::format("    <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y + top,
                              square, std::max(1, bottom - top), colour(node));
    }
    cores += fmt::format("  <g><title>{}</title>\n", escaped(title)) + blocks;
    cores += fmt::format(
        "    <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#444\"/>\n"
        "    <text x=\"{}\" y=\"{}\">{}</text>\n  </g>\n",
        x, y, square, square, map.emitted.empty() ? "#eee" : "none", x + 4, y + 12, c);
  }
  for (const CoreId node : chip.global_memory.attached_to) {
    const auto [x, y] = svg::corner(static_cast<int>(node), columns);
    cores += fmt::format("  <text x=\"{}\" y=\"{}\" text-anchor=\"end\">mem</text>\n", x + square - 4, y + 12);
  }
  const int legend = margin + line + rows * (square + gap) + line;
  std::string names;
  int row = 0;
  for (const auto& [node, total] : totals) {
    const int y = legend + row++ * line;
    names += fmt::format(
        "  <rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n"
        "  <text x=\"{}\" y=\"{}\">{}: {} on {}</text>\n",
        margin, y - 10, colour(node), margin + 20, y, escaped(program.nodes.at(node)), counted(total.first, "crossbar"),
        counted(total.second, "core"));
  }
  const int width = std::max(640, 2 * margin + columns * (square + gap));
  return svg::document(width, legend + row * line + margin,
                       fmt::format("{} on {}: crossbars of {} cores, {} each", program.model, chip.name, chip.cores,
                                   chip.core.crossbars),
                       cores + names);
}

}  // namespace pimento::cli
