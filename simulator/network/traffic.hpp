#pragma once
// A chip's network alone, under made-up traffic: latency against offered load. Nothing of the cores is simulated but
// that each of them sends one message at a time and holds the others until then.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/chip/chip.hpp"

namespace pimento::sim {

/// Where messages go. uniform: to any other core. transpose: from row r, column c to row c, column r of the cores as a
/// grid (of a mesh or torus with one core per router; else as square as it can be). hotspot: a fifth to the core in the
/// middle, the rest uniform. neighbour: to the next core of the row; from the last, to the one before it, or round to
/// the first where the topology closes rows to rings.
enum class Pattern : std::uint8_t { uniform, transpose, hotspot, neighbour };
std::string_view to_string(Pattern pattern);
const std::vector<std::string>& pattern_names();
/// Throws UserError with the nearest name.
Pattern pattern_of(const std::string& name);

struct TrafficOptions {
  Pattern pattern = Pattern::uniform;
  std::int64_t message_flits = 8;
  std::uint64_t seed = 1;
  /// Network cycles: before measuring; in which messages are made that count; at most until the last of them arrives.
  Cycles warm_up = 2000, measured = 10000, drain = 20000;
};

/// Loads are flits per core and network cycle, latencies network cycles from the making of a message to the arrival of
/// its last flit, waiting at its source included.
struct TrafficPoint {
  double offered = 0;            ///< asked for
  double made = 0;               ///< of what was made in the measured cycles
  double accepted = 0;           ///< of what arrived in them
  std::int64_t messages = 0;     ///< made in them
  std::int64_t outstanding = 0;  ///< of those, not there at the end; it comes early when `saturated` is certain
  /// Of those that arrived; without one, there is no latency to speak of.
  bool has_latency() const { return messages > outstanding; }
  double mean = 0;
  Cycles median = 0, p95 = 0, most = 0;
  double hops = 0;          ///< links that a flit passed, of what moved in the measured cycles
  std::string hottest;      ///< link or port that carried most in the measured cycles
  double hottest_busy = 0;  ///< share of them
  /// The mean is above three times that without load, or some did not arrive.
  bool saturated = false;
};

/// Without load: every pair of the pattern by itself (of many pairs, evenly spread ones), weighted as the pattern does.
struct ZeroLoad {
  double measured = 0, closed_form = 0;
  std::int64_t pairs = 0;
  bool equal = false;  ///< of every pair
};

/// No load above this one can be carried: the flits that one link or port would have to pass in each cycle. Ways that
/// adapt are counted as x first, then y.
struct LoadBound {
  double load = 0;
  std::string resource;
};

struct TrafficCurve {
  ZeroLoad zero_load;
  LoadBound bound;
  std::vector<TrafficPoint> points;  ///< as asked for
  /// By halving, within a hundredth of itself: the largest load found that was not saturated, and the point above it
  /// that was, or that is the bound of fixed ways; none when load 1 was not saturated.
  double saturation = 0;
  bool saturation_known = true;  ///< at every load that was tried a message was made
  std::optional<TrafficPoint> above;
};

/// Throws UserError for a network without routers, and for loads outside 0 .. 1.
ZeroLoad zero_load(const isa::Chip& chip, const TrafficOptions& options);
LoadBound load_bound(const isa::Chip& chip, const TrafficOptions& options);
/// `without_load`: the mean latency that the saturated ones are three times above.
TrafficPoint measure_load(const isa::Chip& chip, const TrafficOptions& options, double load, double without_load);
TrafficCurve measure_curve(const isa::Chip& chip, const TrafficOptions& options, const std::vector<double>& loads);

}  // namespace pimento::sim
