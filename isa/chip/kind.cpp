// Reading and printing one value of each kind: the texts of isa/support/quantity, plus ranges, words and flags.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "isa/chip/key.hpp"
#include "isa/support/error.hpp"

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
  }
  return "";
}

std::string expectation(const Kind& kind) {
  if (kind.is_text) return "a text";
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
  if (error.empty()) words = text;
  return error;
}

std::string read(const Kind& kind, const std::string& text, ElementType& type) {
  std::size_t index = 0;
  std::string error = read_word(kind, text, index);
  if (error.empty()) type = *parse_element_type(text);
  return error;
}

std::string print(const Kind& kind, std::int64_t whole) { return format_quantity(whole, kind.dimension); }
std::string print(const Kind& kind, double real) { return format_quantity(real, kind.dimension); }
std::string print(const Kind&, bool flag) { return flag ? "true" : "false"; }
std::string print(const Kind&, const std::string& words) { return words; }
std::string print(const Kind& kind, const Clock& clock) { return format_quantity(clock.period_fs, kind.dimension); }
std::string print(const Kind&, ElementType type) { return std::string(to_string(type)); }

}  // namespace pimento::isa
