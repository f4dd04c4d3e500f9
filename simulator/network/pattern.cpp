#include "simulator/network/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::sim {
namespace {

constexpr int to_hot_core = 5;  // one in so many

/// The largest divisor that is no larger than the root.
CoreId rows_of(const isa::Chip& chip, Pattern pattern) {
  const isa::Network& n = chip.network;
  if (n.width > 0 && n.cores_per_router == 1) return static_cast<CoreId>(n.height);
  const auto cores = static_cast<CoreId>(chip.cores);
  if (n.topology == "ring" && pattern == Pattern::neighbour) return 1;
  CoreId rows = 1;
  for (CoreId r = 1; r * r <= cores; ++r)
    if (cores % r == 0) rows = r;
  return rows;
}

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names{"uniform", "transpose", "hotspot", "neighbour"};
  return names;
}
std::string_view to_string(Pattern pattern) { return pattern_names().at(static_cast<std::size_t>(pattern)); }
Pattern pattern_of(const std::string& name) {
  const auto& names = pattern_names();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw UserError(fmt::format("unknown pattern '{}'{}", name, suggestion(name, names)));
  return static_cast<Pattern>(at - names.begin());
}

Destinations::Destinations(const isa::Chip& chip, Pattern pattern)
    : pattern_(pattern),
      cores_(static_cast<CoreId>(chip.cores)),
      rows_(rows_of(chip, pattern)),
      columns_(cores_ / rows_),
      rings_(chip.network.topology == "torus" || chip.network.topology == "ring") {}

std::optional<CoreId> Destinations::fixed(CoreId source) const {
  const CoreId row = source / columns_, column = source % columns_;
  CoreId to = source;
  if (pattern_ == Pattern::transpose)
    to = column * rows_ + row;
  else if (column + 1 < columns_)
    to = source + 1;
  else if (columns_ > 1)
    to = rings_ ? row * columns_ : source - 1;
  return to == source ? std::nullopt : std::optional(to);
}

std::optional<CoreId> Destinations::draw(CoreId source, isa::Random& random) const {
  if (!is_random()) return fixed(source);
  if (cores_ < 2) return std::nullopt;
  if (pattern_ == Pattern::hotspot && source != hot() && random.one_in(to_hot_core)) return hot();
  const auto other = static_cast<CoreId>(random.between(0, std::int64_t{cores_} - 2));
  return other < source ? other : other + 1;
}

std::vector<Destinations::Share> Destinations::shares(CoreId source) const {
  if (!is_random()) {
    const std::optional<CoreId> to = fixed(source);
    return to ? std::vector<Share>{{*to, 1.0}} : std::vector<Share>{};
  }
  std::vector<Share> all;
  const double hot_part = pattern_ == Pattern::hotspot && source != hot() ? 1.0 / to_hot_core : 0;
  for (CoreId d = 0; d < cores_; ++d)
    if (d != source) all.push_back({d, (1 - hot_part) / (cores_ - 1) + (d == hot() ? hot_part : 0)});
  return all;
}

}  // namespace pimento::sim
