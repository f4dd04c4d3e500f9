#include "cli/report/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/support/counted.hpp"
#include "isa/support/json.hpp"

namespace pimento::cli {
namespace {

using validation::AccuracyPoint;

std::string bits_of(const AccuracyPoint& p) { return p.adc_bits ? fmt::format("{}", *p.adc_bits) : "ideal"; }
std::string decibels(const AccuracyPoint& p) { return p.sqnr_db ? fmt::format("{:.2f}", *p.sqnr_db) : "exact"; }

/// Exactness is drawn as the top of the picture.
constexpr double top_db = 80, bottom_db = 0;

struct Axis {
  const char* name;
  double (*value)(const AccuracyPoint&);
};
constexpr std::array<Axis, 4> axes{
    {{"ADC bits", [](const AccuracyPoint& p) { return static_cast<double>(p.adc_bits.value_or(0)); }},
     {"variation", [](const AccuracyPoint& p) { return p.variation; }},
     {"rows active", [](const AccuracyPoint& p) { return static_cast<double>(p.rows_active); }},
     {"cell bits", [](const AccuracyPoint& p) { return static_cast<double>(p.cell_bits); }}}};

std::set<double> values(const AccuracyReport& r, const Axis& axis) {
  std::set<double> all;
  for (const AccuracyPoint& p : r.points) all.insert(axis.value(p));
  return all;
}

struct Plot {
  std::string x;
  std::vector<double> ticks;
  std::map<std::string, std::map<double, double>> lines;  ///< by name: SQNR by x
};

Plot plot_of(const AccuracyReport& r) {
  std::size_t across = 0;
  while (across + 1 < axes.size() && values(r, axes[across]).size() < 2) ++across;
  if (values(r, axes[across]).size() < 2) across = 0;
  Plot plot;
  plot.x = axes[across].name;
  const std::set<double> ticks = values(r, axes[across]);
  plot.ticks.assign(ticks.begin(), ticks.end());
  for (const AccuracyPoint& p : r.points) {
    std::string name;
    for (std::size_t n = 0; n < axes.size(); ++n)
      if (n != across && values(r, axes[n]).size() > 1)
        name += fmt::format("{}{} {}", name.empty() ? "" : ", ", axes[n].name, axes[n].value(p));
    plot.lines[name.empty() ? "SQNR" : name][axes[across].value(p)] = p.sqnr_db.value_or(top_db);
  }
  return plot;
}

}  // namespace

std::string to_table(const AccuracyReport& r) {
  std::string text = fmt::format("{} on {}: {}, seed {}, against ideal arrays\n\n", r.model, r.chip,
                                 counted(r.inputs, "input"), r.seed);
  text += fmt::format("{:>9} {:>9} {:>11} {:>9} {:>9} {:>8} {:>12}\n", "ADC bits", "cell bits", "rows active",
                      "variation", "SQNR dB", "top-1", "cycles");
  for (const AccuracyPoint& p : r.points)
    text += fmt::format("{:>9} {:>9} {:>11} {:>9} {:>9} {:>8} {:>12}\n", bits_of(p), p.cell_bits, p.rows_active,
                        p.variation, decibels(p), fmt::format("{}/{}", p.agreeing, p.decided), p.cycles);
  return text;
}

std::string to_json(const AccuracyReport& r) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const AccuracyPoint& p : r.points)
    points.push_back({{"adc_bits", p.adc_bits ? nlohmann::ordered_json(*p.adc_bits) : nlohmann::ordered_json(nullptr)},
                      {"cell_bits", p.cell_bits},
                      {"rows_active", p.rows_active},
                      {"variation", p.variation},
                      {"sqnr_db", p.sqnr_db ? nlohmann::ordered_json(*p.sqnr_db) : nlohmann::ordered_json(nullptr)},
                      {"top1_agreeing", p.agreeing},
                      {"top1_decided", p.decided},
                      {"cycles", p.cycles}});
  return print_json(nlohmann::ordered_json{{"schema", "pimento.accuracy"},
                                           {"schema_version", 1},
                                           {"model", r.model},
                                           {"chip", r.chip},
                                           {"inputs", r.inputs},
                                           {"seed", r.seed},
                                           {"adc_range", r.range},
                                           {"points", points}}) +
         "\n";
}

std::string to_csv(const AccuracyReport& r) {
  std::string text = "adc_bits,cell_bits,rows_active,variation,sqnr_db,top1_agreeing,top1_decided,cycles\n";
  for (const AccuracyPoint& p : r.points)
    text += fmt::format("{},{},{},{},{},{},{},{}\n", bits_of(p), p.cell_bits, p.rows_active, p.variation, decibels(p),
                        p.agreeing, p.decided, p.cycles);
  return text;
}

std::string to_svg(const AccuracyReport& r) {
  const Plot plot = plot_of(r);
  constexpr double left = 60, top = 30, width = 480, height = 300, key_line = 16;
  const auto x_of = [&](double value) {
    const auto n =
        static_cast<double>(std::lower_bound(plot.ticks.begin(), plot.ticks.end(), value) - plot.ticks.begin());
    const double steps = std::max<double>(1, static_cast<double>(plot.ticks.size()) - 1);
    return left + width * n / steps;
  };
  const auto y_of = [&](double db) {
    return top + height * (top_db - std::clamp(db, bottom_db, top_db)) / (top_db - bottom_db);
  };
  const double whole = top + height + 60 + key_line * static_cast<double>(plot.lines.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600\" height=\"{:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      whole);
  for (double db = bottom_db; db <= top_db; db += 20)
    svg += fmt::format(
        "<line x1=\"{0:.0f}\" y1=\"{1:.1f}\" x2=\"{2:.0f}\" y2=\"{1:.1f}\" stroke=\"#ddd\"/>\n<text x=\"{3:.0f}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        left, y_of(db), left + width, left - 6, y_of(db) + 4, db == top_db ? "exact" : fmt::format("{:.0f} dB", db));
  for (const double tick : plot.ticks)
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>\n", x_of(tick),
                       top + height + 18, plot.x == "ADC bits" && tick == 0 ? "ideal" : fmt::format("{}", tick));
  svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>\n", left + width / 2,
                     top + height + 36, plot.x);
  std::size_t n = 0;
  for (const auto& [name, line] : plot.lines) {
    const std::string colour = fmt::format("hsl({},65%,45%)", (n * 137) % 360);
    std::string points;
    for (const auto& [x, db] : line) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x_of(x), y_of(db));
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x_of(x), y_of(db), colour);
    }
    svg += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"/>\n<text x=\"{:.0f}\" y=\"{:.0f}\" "
        "fill=\"{}\">{}</text>\n",
        points, colour, left, top + height + 56 + key_line * static_cast<double>(n), colour, name);
    ++n;
  }
  return svg + "</svg>\n";
}

}  // namespace pimento::cli
