#include <algorithm>
#include <map>

#include "compiler/drivers/pim/schedule/stages.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {

MoveCosts::MoveCosts(const Spatial&, const isa::Chip& chip)
    : chip_(chip), cores_(static_cast<std::size_t>(chip.cores)) {
  way_.resize(cores_ * cores_);
  std::map<std::int64_t, std::uint32_t> ids;
  for (CoreId a = 0; a < static_cast<CoreId>(cores_); ++a)
    for (CoreId b = 0; b < static_cast<CoreId>(cores_); ++b) {
      const auto [at, is_new] = ids.try_emplace(isa::cost::way(chip, a, b), static_cast<std::uint32_t>(ways_.size()));
      if (is_new) ways_.push_back({a, b});
      if (Pair& pair = ways_[at->second]; pair.from == pair.to) pair = {a, b};
      way_[a * cores_ + b] = at->second;
    }
  // a line through the mean costs of a short and of a long message
  constexpr Bytes short_message = 64;
  constexpr Bytes long_message = 4096;
  double sum_short = 0;
  double sum_long = 0;
  std::int64_t pairs = 0;
  for (CoreId a = 0; a < static_cast<CoreId>(chip.cores); ++a)
    for (CoreId b = 0; b < static_cast<CoreId>(chip.cores); ++b) {
      if (a == b) continue;
      sum_short += static_cast<double>(message(a, b, short_message));
      sum_long += static_cast<double>(message(a, b, long_message));
      ++pairs;
    }
  if (pairs == 0) return;
  const double mean_short = sum_short / static_cast<double>(pairs);
  const double mean_long = sum_long / static_cast<double>(pairs);
  mean_per_byte_ = (mean_long - mean_short) / static_cast<double>(long_message - short_message);
  mean_base_ = static_cast<Cycles>(std::max(0.0, mean_short - mean_per_byte_ * static_cast<double>(short_message)));
}

Bytes MoveCosts::bytes(const SpatialValue& value, const PBox& box) const {
  return box.elements() * size_of(value.type);
}

MoveCosts::OfSize MoveCosts::of_size(Bytes size) const {
  if (last_.first != size) {
    last_ = {size, &known_[size]};
    last_.second->resize(ways_.size(), 0);
  }
  return {*this, size, *last_.second};
}

Cycles MoveCosts::message_now(CoreId from, CoreId to, Bytes size) const {
  const isa::LocalMemory& m = chip_.core.local_memory;
  const Cycles lines = ceil_div(size, m.width);
  return lines * (m.read_latency_cycles + m.write_latency_cycles) + isa::cost::message_cycles(chip_, from, to, size);
}
Cycles MoveCosts::mean_message(Bytes size) const {
  return mean_base_ + static_cast<Cycles>(mean_per_byte_ * static_cast<double>(size));
}
Cycles MoveCosts::load(CoreId core, Bytes size) const {
  if (size == 0) return 0;
  return isa::cost::global_access_cycles(chip_, core, size, false, isa::cost::expected_rows(chip_, size));
}
Cycles MoveCosts::store(CoreId core, Bytes size) const {
  if (size == 0) return 0;
  return isa::cost::global_access_cycles(chip_, core, size, true, isa::cost::expected_rows(chip_, size));
}

}  // namespace pimento::pim
