#pragma once
// What `pimento noc` prints of a network's latency against offered load: a table, JSON, CSV and a plot of one curve.
#include <string>

#include "isa/chip/chip.hpp"
#include "simulator/network/traffic.hpp"

namespace pimento::cli {

struct TrafficReport {
  isa::Chip chip;
  sim::TrafficOptions options;
  sim::TrafficCurve curve;
};
std::string to_table(const TrafficReport& report);
std::string to_json(const TrafficReport& report);
std::string to_csv(const TrafficReport& report);
std::string to_svg(const TrafficReport& report);

/// "0.05,0.1": loads above 0, at most 1. UserError names the one that is not.
std::vector<double> loads_of(const std::string& text);
/// A tenth of the bound, two tenths, ... all of it.
std::vector<double> usual_loads(const sim::LoadBound& bound);

}  // namespace pimento::cli
