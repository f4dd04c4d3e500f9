#include "isa/support/quantity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "isa/support/nearest.hpp"

namespace pimento {
namespace {

__extension__ typedef __int128 Wide;
constexpr Wide largest = INT64_MAX;

/// One unit: base units per unit are factor * 10^exponent.
struct Unit {
  std::string_view name;
  std::int64_t factor;
  int exponent;
  bool per = false;  ///< a frequency: the period is 1 / value, in base units 10^exponent / value
};

struct Row {
  std::string_view base, phrase;
  std::vector<Unit> units;  ///< ascending
};

const Row& row(Dimension dimension) {
  static const std::vector<Row> rows{
      {"", "a whole number without unit", {}},
      {"B",
       "a size with unit (B, KiB, MiB, GiB, TiB)",
       {{"B", 1, 0}, {"KiB", 1LL << 10, 0}, {"MiB", 1LL << 20, 0}, {"GiB", 1LL << 30, 0}, {"TiB", 1LL << 40, 0}}},
      {"cycles", "a number of cycles ('10 cycles')", {{"cycles", 1, 0}, {"cycle", 1, 0}}},
      {"fs",
       "a time with unit (fs, ps, ns, us, ms, s)",
       {{"fs", 1, 0}, {"ps", 1, 3}, {"ns", 1, 6}, {"us", 1, 9}, {"ms", 1, 12}, {"s", 1, 15}}},
      {"fs",
       "a frequency (Hz, kHz, MHz, GHz) or a period (fs, ps, ns, us)",
       {{"fs", 1, 0},
        {"ps", 1, 3},
        {"ns", 1, 6},
        {"us", 1, 9},
        {"Hz", 1, 15, true},
        {"kHz", 1, 12, true},
        {"MHz", 1, 9, true},
        {"GHz", 1, 6, true}}},
      {"pJ",
       "an energy with unit (fJ, pJ, nJ, uJ, mJ, J)",
       {{"fJ", 1, -3}, {"pJ", 1, 0}, {"nJ", 1, 3}, {"uJ", 1, 6}, {"mJ", 1, 9}, {"J", 1, 12}}},
      {"mW", "a power with unit (nW, uW, mW, W)", {{"nW", 1, -6}, {"uW", 1, -3}, {"mW", 1, 0}, {"W", 1, 3}}},
      {"mm2", "an area with unit (um2, mm2, cm2)", {{"um2", 1, -6}, {"mm2", 1, 0}, {"cm2", 1, 2}}},
      {"V", "a voltage with unit (mV, V)", {{"mV", 1, -3}, {"V", 1, 0}}},
      {"", "a number without unit", {}},
  };
  return rows[static_cast<std::size_t>(dimension)];
}

/// digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

/// Reads "[+-]ddd[.ddd][e[+-]dd]" from the front of `text` and removes it; nullopt when there is no number or it has
/// more than 18 significant digits.
std::optional<Decimal> take_decimal(std::string_view& text) {
  std::size_t i = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++i;
  Decimal d;
  bool any = false, point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (d.digits > (INT64_MAX - 9) / 10) return std::nullopt;
    d.digits = d.digits * 10 + (c - '0');
    if (point) --d.exponent;
  }
  if (!any) return std::nullopt;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const bool plus = i + 1 < text.size() && text[i + 1] == '+';
    int exponent = 0;
    const char* const from = text.data() + i + 1 + (plus ? 1 : 0);
    const auto [end, error] = std::from_chars(from, text.data() + text.size(), exponent);
    if (error != std::errc{} || exponent > 400 || exponent < -400) return std::nullopt;
    d.exponent += exponent;
    i = static_cast<std::size_t>(end - text.data());
  }
  text.remove_prefix(i);
  if (negative) d.digits = -d.digits;
  while (d.digits != 0 && d.digits % 10 == 0) {
    d.digits /= 10;
    ++d.exponent;
  }
  if (d.digits == 0) d.exponent = 0;
  return d;
}

/// value * 10^exponent when it is whole and fits.
std::optional<std::int64_t> scaled(Wide value, int exponent) {
  for (; exponent > 0; --exponent) {
    value *= 10;
    if (value > largest || value < -largest) return std::nullopt;
  }
  for (; exponent < 0; ++exponent) {
    if (value % 10 != 0) return std::nullopt;
    value /= 10;
  }
  if (value > largest || value < -largest) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// 10^exponent / value, rounded half up.
std::optional<std::int64_t> reciprocal(const Decimal& d, int exponent) {
  const int power = exponent - d.exponent;
  if (d.digits <= 0 || power < 0 || power > 37) return std::nullopt;
  Wide numerator = 1;
  for (int i = 0; i < power; ++i) numerator *= 10;
  const Wide quotient = (numerator + d.digits / 2) / d.digits;
  if (quotient > largest) return std::nullopt;
  return static_cast<std::int64_t>(quotient);
}

/// The nearest double to digits * 10^exponent: one rounding, by the library's decimal conversion. No double is near
/// one that overflows, and none but zero near one that underflows: nullopt.
std::optional<double> nearest_double(const Decimal& d, int exponent) {
  const std::string text = fmt::format("{}e{}", d.digits, d.exponent + exponent);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || (value == 0 && d.digits != 0)) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// At most 60 characters of the user's text, so that a message stays one line.
std::string shown(std::string_view text) {
  return text.size() <= 60 ? std::string(text) : std::string(text.substr(0, 57)) + "...";
}

}  // namespace

std::string_view base_unit(Dimension dimension) { return row(dimension).base; }

Quantity parse_quantity(std::string_view text, Dimension dimension) {
  const Row& r = row(dimension);
  const auto refuse = [&](const std::string& why) {
    Quantity q;
    q.error = fmt::format("expected {}, got '{}'{}", r.phrase, shown(text), why);
    return q;
  };
  const auto real = [&](const Decimal& d, int exponent) {
    Quantity q;
    const std::optional<double> value = nearest_double(d, exponent);
    if (!value) return refuse(d.exponent + exponent > 0 ? ", which is too large" : ", which is too small");
    q.real = *value;
    return q;
  };
  std::string_view rest = trimmed(text);
  const std::optional<Decimal> number = take_decimal(rest);
  if (!number) return refuse("");
  const std::string_view name = trimmed(rest);
  Quantity q;
  if (r.units.empty()) {
    if (!name.empty()) return refuse("");
    if (!is_whole(dimension)) return real(*number, 0);
    const auto whole = scaled(number->digits, number->exponent);
    if (!whole) return refuse(number->exponent < 0 ? ", which is not whole" : ", which is too large");
    q.whole = *whole;
    return q;
  }
  if (name.empty()) return refuse(", which has no unit");
  for (const Unit& unit : r.units) {
    if (unit.name != name) continue;
    if (!is_whole(dimension)) return real(*number, unit.exponent);
    const auto whole = unit.per
                           ? reciprocal(*number, unit.exponent)
                           : scaled(static_cast<Wide>(number->digits) * unit.factor, number->exponent + unit.exponent);
    if (!whole)
      return refuse(unit.per                               ? ", whose period is out of range"
                    : number->exponent + unit.exponent < 0 ? fmt::format(", which is not a whole number of {}", r.base)
                                                           : std::string(", which is too large"));
    q.whole = *whole;
    return q;
  }
  // "KB" means KiB rather than B, "Ns" ns rather than fs: the first letter is what people get right.
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::string> names;
  for (const Unit& unit : r.units)
    if (lower(unit.name.front()) == lower(name.front())) names.emplace_back(unit.name);
  const std::string near = nearest_within(name, names, 4);
  return refuse(near.empty() ? "" : fmt::format("; nearest unit: '{}'", near));
}

std::string format_quantity(std::int64_t whole, Dimension dimension) {
  const Row& r = row(dimension);
  if (dimension == Dimension::count) return fmt::format("{}", whole);
  if (dimension == Dimension::cycles) return fmt::format("{} {}", whole, whole == 1 ? "cycle" : "cycles");
  std::string text = fmt::format("{} {}", whole, r.base);
  for (const Unit& unit : r.units) {
    if (unit.per) break;
    const auto size = scaled(unit.factor, unit.exponent);
    if (whole != 0 && whole % *size == 0) text = fmt::format("{} {}", whole / *size, unit.name);
  }
  return text;
}

std::string format_quantity(double real, Dimension dimension) {
  if (dimension == Dimension::ratio) return fmt::format("{}", real);
  return fmt::format("{} {}", real, base_unit(dimension));
}

}  // namespace pimento
