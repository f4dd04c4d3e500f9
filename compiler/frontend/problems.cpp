#include "compiler/frontend/problems.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::frontend {

void Problems::add(std::string text) {
  if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(std::move(text));
}

void Problems::raise(const std::string& file) const {
  if (texts_.empty()) return;
  if (texts_.size() == 1) throw UserError({.file = file}, texts_[0]);
  const bool only_nodes =
      std::all_of(texts_.begin(), texts_.end(), [](const std::string& t) { return t.starts_with("node "); });
  std::string all = fmt::format("{} {} cannot be compiled", texts_.size(), only_nodes ? "nodes" : "parts");
  for (const auto& text : texts_) all += "\n  " + text;
  throw UserError({.file = file}, all);
}

}  // namespace pimento::frontend
