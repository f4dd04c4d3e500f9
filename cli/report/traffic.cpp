#include "cli/report/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "isa/support/error.hpp"
#include "isa/support/json.hpp"

namespace pimento::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string level_of(const isa::Chip& chip) { return isa::key_value(chip, "network.level"); }

std::string title(const TrafficReport& r) {
  return fmt::format("{}: {} of {} cores, {} level; {} traffic in messages of {} flits", r.chip.name,
                     r.chip.network.topology, r.chip.cores, level_of(r.chip), to_string(r.options.pattern),
                     r.options.message_flits);
}

std::string fullest(const sim::TrafficPoint& p) {
  return p.hottest.empty() ? "none" : fmt::format("{}, {:.0f} % busy", p.hottest, 100 * p.hottest_busy);
}

std::string latencies(const sim::TrafficPoint& p) {
  if (!p.has_latency()) return fmt::format("{:>8}  {:>8}  {:>8}  {:>8}", "-", "-", "-", "-");
  return fmt::format("{:>8.2f}  {:>8}  {:>8}  {:>8}", p.mean, p.median, p.p95, p.most);
}

/// A number of a point's latency, or null.
template <class Number>
Json known(const sim::TrafficPoint& p, Number number) {
  return p.has_latency() ? Json(number) : Json(nullptr);
}

Json to_json(const sim::TrafficPoint& p) {
  return {{"offered", p.offered},
          {"made", p.made},
          {"accepted", p.accepted},
          {"messages", p.messages},
          {"outstanding", p.outstanding},
          {"mean_latency", known(p, p.mean)},
          {"median_latency", known(p, p.median)},
          {"p95_latency", known(p, p.p95)},
          {"most_latency", known(p, p.most)},
          {"saturated", p.saturated},
          {"hottest", p.hottest},
          {"hottest_busy", p.hottest_busy}};
}

}  // namespace

std::string to_table(const TrafficReport& r) {
  const sim::ZeroLoad& z = r.curve.zero_load;
  std::string text = title(r) + fmt::format(", seed {}\n", r.options.seed);
  text += "loads in flits per core and network cycle, latencies in network cycles, from the making of a message\n\n";
  text += fmt::format("without load  {:.4f} measured over {} pairs, {:.4f} by the closed form: {}\n", z.measured,
                      z.pairs, z.closed_form, z.equal ? "equal, pair by pair" : "NOT EQUAL");
  text += fmt::format("bound         {:.4f} ({})\n", r.curve.bound.load, r.curve.bound.resource);
  if (!r.curve.saturation_known)
    text += "saturation    unknown: there was a load without a message in the measured cycles; more --cycles tell\n";
  else if (r.curve.above)
    text += fmt::format("saturation    above {:.4f}; at {:.4f} the fullest is {}\n", r.curve.saturation,
                        r.curve.above->offered, fullest(*r.curve.above));
  else
    text += fmt::format("saturation    none up to a load of {:.4f}\n", r.curve.saturation);
  text += "\n    load    made  accepted      mean    median      95 %      most  messages  fullest\n";
  for (const sim::TrafficPoint& p : r.curve.points)
    text += fmt::format("  {:.4f}  {:.4f}    {:.4f}  {}  {:>8}  {}{}\n", p.offered, p.made, p.accepted, latencies(p),
                        p.messages, fullest(p),
                        p.saturated ? fmt::format("; saturated, {} messages not there", p.outstanding) : "");
  return text;
}

std::string to_json(const TrafficReport& r) {
  Json points = Json::array();
  for (const sim::TrafficPoint& p : r.curve.points) points.push_back(to_json(p));
  const sim::ZeroLoad& z = r.curve.zero_load;
  const Json j{
      {"schema", "pimento.noc"},
      {"schema_version", 1},
      {"version", PIMENTO_VERSION},
      {"chip", r.chip.name},
      {"topology", r.chip.network.topology},
      {"level", level_of(r.chip)},
      {"cores", r.chip.cores},
      {"pattern", std::string(to_string(r.options.pattern))},
      {"message_flits", r.options.message_flits},
      {"seed", r.options.seed},
      {"warm_up_cycles", r.options.warm_up},
      {"measured_cycles", r.options.measured},
      {"drain_cycles", r.options.drain},
      {"zero_load", {{"measured", z.measured}, {"closed_form", z.closed_form}, {"pairs", z.pairs}, {"equal", z.equal}}},
      {"bound", {{"load", r.curve.bound.load}, {"resource", r.curve.bound.resource}}},
      {"saturation",
       {{"above", r.curve.saturation_known ? Json(r.curve.saturation) : Json(nullptr)},
        {"at", r.curve.saturation_known && r.curve.above ? to_json(*r.curve.above) : Json(nullptr)}}},
      {"points", points},
      {"chip_yaml", r.chip.yaml}};
  return print_json(j) + "\n";
}

std::string to_csv(const TrafficReport& r) {
  std::string text =
      "offered,made,accepted,mean_latency,median_latency,p95_latency,most_latency,messages,outstanding,saturated,"
      "hottest,hottest_busy\n";
  for (const sim::TrafficPoint& p : r.curve.points)
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", p.offered, p.made, p.accepted,
                    p.has_latency() ? fmt::format("{},{},{},{}", p.mean, p.median, p.p95, p.most) : std::string(",,,"),
                    p.messages, p.outstanding, p.saturated, p.hottest, p.hottest_busy);
  return text;
}

std::string to_svg(const TrafficReport& r) {
  constexpr double left = 60, top = 40, wide = 520, high = 300;
  double most = r.curve.saturation_known ? r.curve.saturation : 0;
  for (const sim::TrafficPoint& p : r.curve.points) most = std::max(most, p.offered);
  const double ceiling = 4 * r.curve.zero_load.measured;
  const auto x = [&](double load) { return left + wide * load / most; };
  const auto y = [&](double latency) { return top + high * (1 - std::min(latency, ceiling) / ceiling); };
  std::string body;
  for (int tick = 0; tick <= 4; ++tick) {
    const double load = most * tick / 4, latency = ceiling * tick / 4;
    body += fmt::format(
        "  <text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.3f}</text>\n"
        "  <text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.0f}</text>\n",
        x(load), top + high + 16, load, left - 6, y(latency) + 4, latency);
  }
  const auto dashed = [&](double x1, double y1, double x2, double y2, const std::string& name) {
    body += fmt::format(
        "  <line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#888\" stroke-dasharray=\"4\"/>\n"
        "  <text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#666\">{}</text>\n",
        x1, y1, x2, y2, x1 + 4, y1 - 4, name);
  };
  dashed(left, y(r.curve.zero_load.closed_form), left + wide, y(r.curve.zero_load.closed_form), "closed form");
  if (r.curve.above && r.curve.saturation_known)
    dashed(x(r.curve.saturation), top, x(r.curve.saturation), top + high, "saturation");
  std::string line, dots;
  for (const sim::TrafficPoint& p : r.curve.points) {
    if (!p.has_latency()) continue;
    line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? "" : " ", x(p.offered), y(p.mean));
    dots += fmt::format("  <circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" stroke=\"#1f5fa8\"/>\n",
                        x(p.offered), y(p.mean), p.saturated ? "white" : "#1f5fa8");
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"400\" viewBox=\"0 0 640 400\" "
             "font-family=\"sans-serif\" font-size=\"11\">\n"
             "  <rect width=\"640\" height=\"400\" fill=\"white\"/>\n"
             "  <text x=\"{:.0f}\" y=\"18\">{}</text>\n"
             "  <rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"none\" stroke=\"#444\"/>\n"
             "  <text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">offered load, flits per core and network cycle"
             "</text>\n"
             "  <text x=\"14\" y=\"{:.0f}\" transform=\"rotate(-90 14 {:.0f})\" text-anchor=\"middle\">mean latency, "
             "network cycles (hollow: saturated)</text>\n",
             left, title(r), left, top, wide, high, left + wide / 2, top + high + 36, top + high / 2, top + high / 2) +
         body + fmt::format("  <polyline points=\"{}\" fill=\"none\" stroke=\"#1f5fa8\"/>\n", line) + dots + "</svg>\n";
}

std::vector<double> loads_of(const std::string& text) {
  std::vector<double> loads;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    double load = 0;
    const auto [end, fault] = std::from_chars(text.data() + from, text.data() + to, load);
    if (fault != std::errc{} || end != text.data() + to || !(load > 0) || load > 1)
      throw UserError(fmt::format("--load: expected loads above 0, at most 1, separated by commas, got '{}'",
                                  text.substr(from, to - from)));
    loads.push_back(load);
    from = to + 1;
  }
  return loads;
}

std::vector<double> usual_loads(const sim::LoadBound& bound) {
  std::vector<double> loads;
  for (int tenth = 1; tenth <= 10; ++tenth) loads.push_back(bound.load * tenth / 10);
  return loads;
}

}  // namespace pimento::cli
