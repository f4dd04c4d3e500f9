#pragma once
// A published figure, measured: a small program runs on a chip, and the figure is read off its cycles and its account.
// Rates, powers and energies are those of one more product in a row of them, so that beginnings and ends do not count.
#include <cstdint>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"

namespace pimento::validation {

/// What runs, on every core alike.
struct Experiment {
  enum class Kind : std::uint8_t { products, loads, traffic } kind = Kind::products;
  int rows = 0, columns = 0;            ///< products: of one tile's weights
  ElementType input = ElementType::u8;  ///< products
  std::int64_t bytes = 0;               ///< loads: of each
  std::string pattern = "uniform";      ///< traffic
  std::int64_t flits = 1;               ///< traffic: of a message
  double load = 0;                      ///< traffic: flits per core and cycle
  /// traffic: a core is one of its own destinations, as tools have it; such a message crosses its router alone.
  bool to_itself = false;
  Cycles ends = 0;      ///< traffic: of the tool's wires into and out of the network, which chips do not have
  double ejection = 0;  ///< traffic: pJ that a tool charges a flit where it leaves the network, which chips do not
  std::vector<std::string> only, without;  ///< of the account: "crossbar", "crossbar/ADC conversion", a part's name
  bool per_core = false;                   ///< a power or an area over the cores
};

/// Units that `measure` knows: TOPS, GOPS, TOPS/W, GOPS/W, fJ/MAC, nJ, mW, W, ns, us, cycles, mm2, TOPS/mm2, GOPS/mm2,
/// MiB, MiB/mm2, GB/s, pJ/flit, share.
const std::vector<std::string>& measured_units();

/// UserError when the unit is unknown, when the experiment does not have it, and when it misses something unknown.
double measure(const isa::Chip& chip, const Experiment& experiment, const std::string& unit);

}  // namespace pimento::validation
