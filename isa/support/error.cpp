#include "isa/support/error.hpp"

#include <algorithm>
#include <numeric>

namespace pimento {

std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) {
    if (!text.empty()) text += ':';
    text += std::to_string(place.line);
  }
  if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
  if (!place.node.empty()) text += (text.empty() ? "" : ": ") + place.node;
  return text;
}

namespace {
std::string joined(const Place& place, const std::string& message) {
  const std::string where = to_string(place);
  return where.empty() ? message : where + ": " + message;
}

/// Edits that turn one word into the other, or `bound` when it takes that many or more. `row` is scratch.
std::size_t edits(std::string_view a, std::string_view b, std::size_t bound, std::vector<std::size_t>& row) {
  if ((a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) >= bound) return bound;
  row.resize(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    std::size_t least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min(std::min(row[j], row[j - 1]) + 1, replaced);
      least = std::min(least, row[j]);
    }
    if (least >= bound) return bound;
  }
  return std::min(row[b.size()], bound);
}
}  // namespace

Error::Error(Status status, Place place, const std::string& message)
    : std::runtime_error(joined(place, message)), status_(status), place_(std::move(place)) {}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t distance = 3;
  std::vector<std::size_t> row;
  for (const std::string& candidate : candidates)
    if (const std::size_t d = edits(name, candidate, distance, row); d < distance) {
      distance = d;
      best = candidate;
    }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  if (const std::string near = nearest(name, candidates); !near.empty()) return "; nearest: '" + near + "'";
  std::string list = "; known: ";
  for (std::size_t i = 0; i < candidates.size(); ++i) list += (i ? ", " : "") + candidates[i];
  return list;
}

}  // namespace pimento
