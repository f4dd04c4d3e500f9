#include "isa/support/nearest.hpp"

#include <algorithm>

namespace pimento {
std::string_view letters_of(std::string_view option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

namespace {

std::string lower(std::string_view text) {
  std::string result(letters_of(text));
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// Rows of the table of distances: of the last three beginnings of one word to each beginning of the other.
struct Rows {
  std::vector<std::size_t> before_last, last, now;
};

/// Half edits that turn one word into the other, or `bound` when it takes that many or more.
std::size_t half_edits(std::string_view a, std::string_view b, std::size_t bound, Rows& rows) {
  if (2 * (a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) >= bound) return bound;
  auto& [before_last, last, now] = rows;
  last.resize(b.size() + 1);
  now.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t least = now[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 2);
      now[j] = std::min(std::min(last[j], now[j - 1]) + 2, replaced);
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && a[i - 1] != a[i - 2];
      if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
      least = std::min(least, now[j]);
    }
    if (least > bound) return bound;  // a swap may still take one off, and no more
    before_last = last;
    std::swap(last, now);
  }
  return std::min(last[b.size()], bound);
}

}  // namespace

bool begin_alike(std::string_view a, std::string_view b) {
  const std::string one = lower(a.substr(0, 2)), other = lower(b.substr(0, 2));
  if (one.empty() || other.empty()) return false;
  return one[0] == other[0] || one.substr(1) == other.substr(0, 1) || other.substr(1) == one.substr(0, 1);
}

std::string nearest_within(std::string_view name, const std::vector<std::string>& candidates, std::size_t most) {
  const std::string wanted = lower(name);
  std::string best;
  std::size_t distance = most + 1;
  bool exact = false;  // in capitals and small letters
  Rows rows;
  for (const std::string& candidate : candidates) {
    const std::size_t d = half_edits(wanted, lower(candidate), distance + 1, rows);
    const bool agrees = half_edits(letters_of(name), letters_of(candidate), d + 1, rows) == d;
    if (d > most || d > distance || (d == distance && (exact || !agrees))) continue;
    distance = d;
    exact = agrees;
    best = candidate;
  }
  return best;
}

}  // namespace pimento
