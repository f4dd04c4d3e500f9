// Reading and printing one value of each kind: the texts of isa/support/quantity, plus ranges, words and flags.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "isa/chip/key.hpp"
#include "isa/chip/node.hpp"
#include "isa/support/error.hpp"
#include "isa/support/printable.hpp"

namespace pimento::isa {
namespace {

std::string noun(Dimension dimension) {
  switch (dimension) {
    case Dimension::count:
      return "a whole number";
    case Dimension::bytes:
      return "a size";
    case Dimension::cycles:
      return "cycles";
    case Dimension::time:
      return "a time";
    case Dimension::clock:
      return "a clock";
    case Dimension::energy:
      return "an energy";
    case Dimension::power:
      return "a power";
    case Dimension::area:
      return "an area";
    case Dimension::voltage:
      return "a voltage";
    case Dimension::ratio:
      return "a number";
  }
  return "";
}

std::string expectation(const Kind& kind) {
  if (kind.is_text) return "a text";
  if (kind.is_part) return fmt::format("a text \"{}\"", kind.range);
  if (!kind.words.empty()) return fmt::format("one of: {}", fmt::join(kind.words, ", "));
  if (kind.dimension == Dimension::cycles) return fmt::format("cycles of the {} clock in {}", kind.clock, kind.range);
  return fmt::format("{} in {}", noun(kind.dimension), kind.range);
}

std::string refused(const Kind& kind, const std::string& text) {
  return fmt::format("expected {}, got '{}'", expectation(kind), text);
}

Quantity must(const std::string& text, Dimension dimension) {
  Quantity q = parse_quantity(text, dimension);
  PIMENTO_CHECK(q.ok(), "key table: " + q.error);
  return q;
}

}  // namespace

Kind count(std::int64_t low, std::int64_t high) {
  return in(Dimension::count, fmt::format("{}", low), fmt::format("{}", high));
}

Kind cycles(const std::string& clock, std::int64_t low) {
  Kind kind = in(Dimension::cycles, fmt::format("{} cycles", low), "1000000000 cycles");
  kind.clock = clock;
  kind.range = fmt::format("{} .. {}", kind.low, kind.high);
  return kind;
}

Kind in(Dimension dimension, const std::string& low, const std::string& high) {
  const Quantity from = must(low, dimension), to = must(high, dimension);
  Kind kind;
  kind.dimension = dimension;
  kind.low = std::min(from.whole, to.whole);  // a clock from 1 MHz to 1 THz has periods from 1 ps to 1 us
  kind.high = std::max(from.whole, to.whole);
  kind.real_low = from.real;
  kind.real_high = to.real;
  kind.range = low + " .. " + high;
  return kind;
}

Kind choice(std::vector<std::string> words) {
  Kind kind;
  kind.range = fmt::format("{}", fmt::join(words, ", "));
  kind.words = std::move(words);
  return kind;
}

Kind flag() { return choice({"false", "true"}); }

Kind free_text() {
  Kind kind;
  kind.is_text = true;
  kind.range = "text";
  return kind;
}

Kind part() {
  Kind kind;
  kind.is_part = true;
  kind.range = "NAME, COUNT per core|chip, POWER, AREA";
  return kind;
}

std::string expectation(const Key& key) {
  if (key.form == Key::Form::list) return fmt::format("a list, each item {}", expectation(key.kind));
  if (key.form == Key::Form::table) return "a file name or a list of rows";
  return expectation(key.kind);
}

std::string read(const Kind& kind, const std::string& text, std::int64_t& whole) {
  const Quantity q = parse_quantity(text, kind.dimension);
  if (!q.ok()) return q.error;
  if (q.whole < kind.low || q.whole > kind.high) return refused(kind, text);
  whole = q.whole;
  return "";
}

std::string read(const Kind& kind, const std::string& text, double& real) {
  const Quantity q = parse_quantity(text, kind.dimension);
  if (!q.ok()) return q.error;
  if (!(q.real >= kind.real_low && q.real <= kind.real_high)) return refused(kind, text);
  real = q.real;
  return "";
}

std::string read(const Kind& kind, const std::string& text, int& whole) {
  std::int64_t wide = 0;
  std::string error = read(kind, text, wide);
  if (error.empty()) whole = static_cast<int>(wide);
  return error;
}

std::string read(const Kind& kind, const std::string& text, CoreId& core) {
  std::int64_t wide = 0;
  std::string error = read(kind, text, wide);
  if (error.empty()) core = static_cast<CoreId>(wide);
  return error;
}

std::string read(const Kind& kind, const std::string& text, Clock& clock) { return read(kind, text, clock.period_fs); }

std::string read_word(const Kind& kind, const std::string& text, std::size_t& index) {
  const auto at = std::find(kind.words.begin(), kind.words.end(), text);
  if (at != kind.words.end()) {
    index = static_cast<std::size_t>(at - kind.words.begin());
    return "";
  }
  const std::string near = nearest(text, kind.words);
  return refused(kind, text) + (near.empty() ? "" : "; nearest: '" + near + "'");
}

std::string read(const Kind& kind, const std::string& text, bool& flag) {
  std::size_t index = 0;
  std::string error = read_word(kind, text, index);
  if (error.empty()) flag = index == 1;
  return error;
}

std::string read(const Kind& kind, const std::string& text, std::string& words) {
  std::size_t index = 0;
  std::string error = kind.is_text ? std::string() : read_word(kind, text, index);
  const auto steers = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; };
  if (kind.is_text && std::any_of(text.begin(), text.end(), steers))
    error = fmt::format("expected a text without control characters, got '{}'", printable(text));
  if (error.empty()) words = text;
  return error;
}

std::string read(const Kind& kind, const std::string& text, ElementType& type) {
  std::size_t index = 0;
  std::string error = read_word(kind, text, index);
  if (error.empty()) type = *parse_element_type(text);
  return error;
}

std::string read(const Kind& kind, const std::string& text, Part& part) {
  std::vector<std::string> fields;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(", ", from), text.size());
    fields.push_back(text.substr(from, comma - from));
    from = comma + 2;
  }
  const auto wrong = [&](const std::string& why) {
    return fmt::format("expected \"{}\", got '{}'{}", kind.range, text, why.empty() ? "" : ": " + why);
  };
  if (fields.size() != 4 || fields[0].empty()) return wrong("");
  part.name = fields[0];
  const std::size_t per = fields[1].find(" per ");
  const std::string owner = per == std::string::npos ? "" : fields[1].substr(per + 5);
  if (owner != "core" && owner != "chip") return wrong("");
  part.per_core = owner == "core";
  if (std::string e = read(count(1, 1'000'000), fields[1].substr(0, per), part.count); !e.empty()) return wrong(e);
  if (std::string e = read(in(Dimension::power, "0 mW", "1000 W"), fields[2], part.power_mw); !e.empty())
    return wrong(e);
  if (std::string e = read(in(Dimension::area, "0 mm2", "100000 mm2"), fields[3], part.area_mm2); !e.empty())
    return wrong(e);
  return "";
}

std::string print(const Kind& kind, std::int64_t whole) { return format_quantity(whole, kind.dimension); }
std::string print(const Kind& kind, double real) { return format_quantity(real, kind.dimension); }
std::string print(const Kind&, bool flag) { return flag ? "true" : "false"; }
std::string print(const Kind&, const std::string& words) { return words; }
std::string print(const Kind& kind, const Clock& clock) { return format_quantity(clock.period_fs, kind.dimension); }
std::string print(const Kind&, const Part& part) {
  return quoted(fmt::format("{}, {} per {}, {}, {}", part.name, part.count, part.per_core ? "core" : "chip",
                            part.power_mw ? format_quantity(*part.power_mw, Dimension::power) : "unknown",
                            part.area_mm2 ? format_quantity(*part.area_mm2, Dimension::area) : "unknown"));
}
std::string print(const Kind&, ElementType type) { return std::string(to_string(type)); }

}  // namespace pimento::isa
