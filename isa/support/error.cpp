#include "isa/support/error.hpp"

#include <algorithm>

#include "isa/support/nearest.hpp"

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

}  // namespace

Error::Error(Status status, Place place, const std::string& message)
    : std::runtime_error(joined(place, message)), status_(status), place_(std::move(place)) {}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string_view letters = letters_of(name);
  if (letters.size() >= 4) return nearest_within(name, candidates, letters.size() < 6 ? 2 : 4);
  std::vector<std::string> alike;  // of three letters, one that is not the first may be wrong: foo is no zoo
  for (const std::string& candidate : candidates)
    if (begin_alike(letters, letters_of(candidate))) alike.push_back(candidate);
  return nearest_within(name, alike, 2);
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  if (const std::string near = nearest(name, candidates); !near.empty()) return "; nearest: '" + near + "'";
  std::string list = "; known: ";
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (const auto before = candidates.begin() + static_cast<std::ptrdiff_t>(i);
        std::find(candidates.begin(), before, candidates[i]) == before)
      list += (i != 0 ? ", " : "") + candidates[i];
  return list;
}

}  // namespace pimento
