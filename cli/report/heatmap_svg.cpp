#include "cli/report/heatmap_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "cli/report/svg.hpp"

namespace pimento::cli {
namespace {

using svg::gap, svg::line, svg::margin, svg::square;

double share(Cycles part, Cycles whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// White at rest, through yellow, to red when always busy.
std::string colour(double busy) {
  const double b = std::clamp(busy, 0.0, 1.0);
  return fmt::format("hsl({:.0f},90%,{:.0f}%)", 60 - 60 * b, 97 - 47 * b);
}

/// "mesh 3->4": the routers at both ends.
std::optional<std::pair<int, int>> ends_of(const std::string& link) {
  const std::size_t arrow = link.find("->"), space = link.rfind(' ', arrow);
  if (arrow == std::string::npos || space == std::string::npos) return std::nullopt;
  int from = 0, to = 0;
  const char* const end = link.data() + link.size();
  const auto first = std::from_chars(link.data() + space + 1, link.data() + arrow, from);
  const auto second = std::from_chars(link.data() + arrow + 2, end, to);
  const bool whole =
      first.ec == std::errc{} && first.ptr == link.data() + arrow && second.ec == std::errc{} && second.ptr == end;
  return whole ? std::optional(std::pair{from, to}) : std::nullopt;
}

/// The run in cycles of a clock.
Cycles cycles_of(const sim::Result& r, std::string_view clock) {
  const auto at =
      std::find_if(r.clocks.begin(), r.clocks.end(), [&](const sim::ClockResult& c) { return c.name == clock; });
  return at == r.clocks.end() ? r.cycles : at->cycles;
}

std::string title_of(const sim::CoreResult& core, std::size_t id, Cycles cycles) {
  std::string title = fmt::format("core {}: {} instructions", id, core.instructions);
  const std::pair<const char*, const sim::UnitCycles*> units[] = {
      {"matrix", &core.matrix}, {"vector", &core.vector}, {"transfer", &core.transfer}};
  for (const auto& [name, unit] : units)
    title += fmt::format("\n{}: {:.1f} % busy, {:.1f} % stalled", name, 100 * share(unit->busy, cycles),
                         100 * share(unit->stalled, cycles));
  return title;
}

}  // namespace

std::string heatmap_svg(const std::string& model, const isa::Chip& chip, const sim::Result& r) {
  const int columns = svg::columns_of(chip);
  const int rows = (chip.cores + columns - 1) / columns;
  std::string body, links;
  for (int c = 0; c < chip.cores; ++c) {
    const auto [x, y] = svg::corner(c, columns);
    const bool runs = static_cast<std::size_t>(c) < r.cores.size();
    const sim::CoreResult core = runs ? r.cores[static_cast<std::size_t>(c)] : sim::CoreResult{};
    const double busy = share(core.matrix.busy, r.cycles);
    body += fmt::format(
        "  <g><title>{}</title>\n"
        "    <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#444\"/>\n"
        "    <text x=\"{}\" y=\"{}\">{}</text>\n"
        "    <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.0f} %</text>\n  </g>\n",
        svg::escaped(title_of(core, static_cast<std::size_t>(c), r.cycles)), x, y, square, square, colour(busy), x + 4,
        y + 12, c, x + square / 2, y + square / 2 + 4, 100 * busy);
  }
  const Cycles network = cycles_of(r, "network");
  for (const sim::LinkResult& link : r.links) {
    const auto ends = ends_of(link.name);
    if (!ends || std::max(ends->first, ends->second) >= chip.cores) continue;
    const auto from = svg::corner(ends->first, columns), to = svg::corner(ends->second, columns);
    // two directions side by side, between the middles of the squares' edges
    const int middle = square / 2, side = ends->first < ends->second ? -4 : 4;
    const bool across = from.y == to.y;
    const double busy = share(link.busy, network);
    links += fmt::format(
        "  <line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"4\"><title>{}</title></line>\n",
        from.x + middle + (across ? 0 : side), from.y + middle + (across ? side : 0),
        to.x + middle + (across ? 0 : side), to.y + middle + (across ? side : 0), colour(busy),
        svg::escaped(fmt::format("{}: {} bytes, {:.1f} % busy", link.name, link.bytes, 100 * busy)));
  }
  const int legend = margin + line + rows * (square + gap) + line;
  for (int step = 0; step <= 10; ++step)
    body += fmt::format(
        "  <rect x=\"{}\" y=\"{}\" width=\"28\" height=\"12\" fill=\"{}\"/>\n"
        "  <text x=\"{}\" y=\"{}\">{} %</text>\n",
        margin + 30 * step, legend - 10, colour(step / 10.0), margin + 30 * step, legend + 14, 10 * step);
  const int width = std::max(640, 2 * margin + columns * (square + gap));
  return svg::document(width, legend + line + margin,
                       fmt::format("{} on {}: cycles in which a core's array groups, and a link, were busy, of {}",
                                   model, chip.name, r.cycles),
                       links + body);
}

}  // namespace pimento::cli
