#pragma once
// Text with a unit and the integers inside: "30 ns" is 30'000'000 fs, "64 KiB" 65'536 bytes. Decimal digits are taken
// exactly; what does not come out whole (0.3 fs) is refused rather than rounded, but for the period of a frequency.
#include <cstdint>
#include <string>
#include <string_view>

namespace pimento {

enum class Dimension : std::uint8_t {
  count,    ///< whole, no unit
  bytes,    ///< whole bytes: B KiB MiB GiB TiB
  cycles,   ///< whole cycles of a clock that the context names
  time,     ///< whole femtoseconds: fs ps ns us ms s
  clock,    ///< period in whole femtoseconds, from a frequency (Hz kHz MHz GHz, rounded to 1 fs) or a time
  energy,   ///< picojoules: fJ pJ nJ uJ mJ J
  power,    ///< milliwatts: nW uW mW W
  area,     ///< square millimetres: um2 mm2 cm2
  voltage,  ///< volts: mV V
  ratio,    ///< a real number without unit
};
constexpr bool is_whole(Dimension d) { return d <= Dimension::clock; }

/// A value in the base unit of its dimension, or a sentence "expected ..., got '...'".
struct Quantity {
  std::int64_t whole = 0;  ///< count .. clock
  double real = 0;         ///< energy .. ratio
  std::string error;       ///< empty: it is a value
  bool ok() const { return error.empty(); }
};
Quantity parse_quantity(std::string_view text, Dimension dimension);

/// Canonical text, which parse_quantity reads back to the same value: the largest unit that leaves a whole number.
std::string format_quantity(std::int64_t whole, Dimension dimension);
std::string format_quantity(double real, Dimension dimension);

/// "" for count, "B", "cycles", "fs", "fs", "pJ", "mW", "mm2", "V", "".
std::string_view base_unit(Dimension dimension);

}  // namespace pimento
