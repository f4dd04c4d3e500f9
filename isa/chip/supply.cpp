#include "isa/chip/supply.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "isa/chip/points.hpp"
#include "isa/support/math.hpp"

namespace pimento::isa {
namespace {

struct Point {
  double x = 0, y = 0;  ///< y in base units, of whole dimensions too
};

bool is_energy(const Key& key) { return key.kind.dimension == Dimension::energy; }
bool follows_laws(const Key& key) { return key.path.starts_with("core."); }

double power(double base, double exponent) { return math::exp(exponent * math::log(base)); }

/// The value as text, or an error where no number of its kind holds it.
void set_value(AtSupply& result, const Key& key, double y) {
  const Dimension d = key.kind.dimension;
  if (!std::isfinite(y) || (is_whole(d) && std::fabs(y) > 0x1p62)) {
    result.error = fmt::format("core.supply makes it {}, which is out of every range", y);
    return;
  }
  result.value =
      is_whole(d) ? format_quantity(static_cast<std::int64_t>(math::round_half_even(y)), d) : format_quantity(y, d);
}

/// "9.7 pJ at 0.85 V" or "4.563 pJ at 1"; an error, or the point and whether it is over volts.
std::string parse(const Key& key, const std::string& text, Point& point, bool& over_volts, std::string& canonical) {
  const std::size_t at = text.find(" at ");
  if (at == std::string::npos) return fmt::format("expected a point, 'VALUE at X', got '{}'", text);
  const std::string left = text.substr(0, at), right = text.substr(at + 4);
  const Quantity y = parse_quantity(left, key.kind.dimension);
  if (!y.ok()) return y.error;
  const Quantity volts = parse_quantity(right, Dimension::voltage), code = parse_quantity(right, Dimension::ratio);
  if (!volts.ok() && !(is_energy(key) && code.ok()))
    return is_energy(key) ? fmt::format("expected a voltage, or a mean code, after 'at', got '{}'", right)
                          : volts.error;
  over_volts = volts.ok();
  point = {over_volts ? volts.real : code.real, is_whole(key.kind.dimension) ? static_cast<double>(y.whole) : y.real};
  canonical = fmt::format("{} at {}",
                          is_whole(key.kind.dimension) ? format_quantity(y.whole, key.kind.dimension)
                                                       : format_quantity(y.real, key.kind.dimension),
                          format_quantity(point.x, over_volts ? Dimension::voltage : Dimension::ratio));
  return "";
}

/// At x, linear between neighbours; nullopt outside.
std::optional<double> interpolated(const std::vector<Point>& points, double x) {
  for (std::size_t n = 0; n < points.size(); ++n) {
    if (points[n].x == x) return points[n].y;
    if (n == 0 || points[n - 1].x > x || points[n].x < x) continue;
    const double part = (x - points[n - 1].x) / (points[n].x - points[n - 1].x);
    return points[n - 1].y + part * (points[n].y - points[n - 1].y);
  }
  return std::nullopt;
}

/// What the laws make of one unit of the key.
double law(const Key& key, const Supply& supply) {
  if (!supply.volts || !supply.nominal_volts || *supply.volts == *supply.nominal_volts || !follows_laws(key)) return 1;
  return is_energy(key) ? power(*supply.volts / *supply.nominal_volts, supply.energy_exponent)
                        : power(*supply.nominal_volts / *supply.volts, supply.time_exponent);
}

/// Of what stands among Chip::as_given: "[9 pJ at 0.85 V, ...]" over the voltage, "[3 pJ at 0, ...]" over codes.
bool is_table_over(const std::string& text, Over what) {
  const bool volts = text.substr(0, text.find_first_of(",]")).ends_with(" V");
  return text.starts_with("[") && volts == (what == Over::voltage);
}

}  // namespace

bool takes_points(const Key& key) {
  const Dimension d = key.kind.dimension;
  return key.form == Key::Form::scalar && key.kind.words.empty() && !key.kind.is_text &&
         (d == Dimension::energy || d == Dimension::time || d == Dimension::clock);
}

bool measures_mean_output(const Chip& chip) {
  if (chip.core.crossbar.mean_output) return false;
  return has_table_over(chip, Over::mean_output);
}

bool has_table_over(const Chip& chip, Over what) {
  return std::any_of(chip.as_given.begin(), chip.as_given.end(),
                     [&](const auto& given) { return is_table_over(given.second, what); });
}

bool tables_reach(const Chip& chip, double mean_output) {
  return std::all_of(chip.as_given.begin(), chip.as_given.end(), [&](const auto& given) {
    const std::string& text = given.second;
    if (!is_table_over(text, Over::mean_output)) return true;
    const auto code = [&](std::size_t at) {
      const std::size_t from = at + std::string_view(" at ").size();
      return parse_quantity(text.substr(from, text.find_first_of(",]", from) - from), Dimension::ratio).real;
    };
    return code(text.find(" at ")) <= mean_output && mean_output <= code(text.rfind(" at "));
  });
}

std::optional<AtSupply> at_supply(const Key& key, const Chip& chip, const std::string& given,
                                  const std::vector<PointText>& texts) {
  const Supply& supply = chip.core.supply;
  AtSupply result;
  if (texts.empty()) {
    const double factor = given == "unknown" ? 1 : law(key, supply);
    if (factor == 1) return std::nullopt;
    const Quantity q = parse_quantity(given, key.kind.dimension);
    set_value(result, key, factor * (is_whole(key.kind.dimension) ? static_cast<double>(q.whole) : q.real));
    result.given = given;
    return result;
  }
  std::vector<Point> points;
  std::vector<std::string> canonical;
  bool over_volts = false;
  for (const PointText& text : texts) {
    bool volts = false;
    result.place = text.place;
    result.error = parse(key, text.text, points.emplace_back(), volts, canonical.emplace_back());
    if (!result.error.empty()) return result;
    if (points.size() > 1 && volts != over_volts)
      result.error = "expected points over the voltage or over codes, got both";
    over_volts = volts;
    if (points.size() > 1 && points[points.size() - 2].x >= points.back().x)
      result.error =
          "expected points in ascending order, got '" + text.text + "' behind '" + texts[points.size() - 2].text + "'";
    if (!result.error.empty()) return result;
  }
  result.place = texts.front().place;
  result.given = fmt::format("[{}]", fmt::join(canonical, ", "));
  const std::optional<double> x = over_volts ? supply.volts : chip.core.crossbar.mean_output;
  const char* const where = over_volts ? "core.supply.voltage" : "core.crossbar.mean_output";
  if (!x && is_energy(key)) {
    result.value = "unknown";
    return result;
  }
  if (!x) {
    result.error = fmt::format("a table over the voltage needs {}, which is unknown", where);
    return result;
  }
  const std::optional<double> y = interpolated(points, *x);
  if (!y) {
    result.error = fmt::format("expected {} within {} .. {}, where the table has points, got {}", where,
                               points.front().x, points.back().x, *x);
    return result;
  }
  set_value(result, key, over_volts ? *y : *y * law(key, supply));
  return result;
}

}  // namespace pimento::isa
