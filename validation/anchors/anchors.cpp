#include "validation/anchors/anchors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "isa/chip/node.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

namespace pimento::validation {
namespace {

using isa::Node;

std::filesystem::path own_chips() { return std::filesystem::path(isa::chips_folder()) / "anchors"; }

const std::vector<std::string> kinds{"predictive", "fitted", "identity", "tool"};
/// Bars by kind; a fitted row's is its family's largest.
constexpr double bars[] = {0.03, 0.10, 0.002, 0.03};

[[noreturn]] void refuse(const Node& node, const std::string& what) { throw UserError(node.place, what); }

const std::string& text(const Node& node) {
  if (node.kind != Node::Kind::scalar) refuse(node, "expected a text, got " + isa::shown(node));
  return node.text;
}
double number(const Node& node) {
  double value = 0;
  const std::string& t = text(node);
  const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (error != std::errc{} || end != t.data() + t.size()) refuse(node, "expected a number, got '" + t + "'");
  return value;
}
int whole(const Node& node) {
  const double value = number(node);
  if (value != std::floor(value) || value < 0 || value > 1e9) refuse(node, "expected a whole number");
  return static_cast<int>(value);
}
std::vector<std::string> texts(const Node& node) {
  std::vector<std::string> all;
  if (node.kind != Node::Kind::sequence) refuse(node, "expected a list, got " + isa::shown(node));
  for (const Node& item : node.items) all.push_back(text(item));
  return all;
}
AnchorKind kind_of(const Node& node) {
  const auto at = std::find(kinds.begin(), kinds.end(), text(node));
  if (at == kinds.end()) refuse(node, "unknown kind '" + node.text + "'" + suggestion(node.text, kinds));
  return static_cast<AnchorKind>(at - kinds.begin());
}

/// A key of a row: where it goes.
using Setter = void (*)(Anchor&, const Node&);
const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all{
      {"name", [](Anchor& a, const Node& n) { a.name = text(n); }},
      {"of", [](Anchor& a, const Node& n) { a.of = text(n); }},
      {"figure", [](Anchor& a, const Node& n) { a.figure = text(n); }},
      {"chip", [](Anchor& a, const Node& n) { a.chip = text(n); }},
      {"unit", [](Anchor& a, const Node& n) { a.unit = text(n); }},
      {"confidence", [](Anchor& a, const Node& n) { a.confidence = text(n); }},
      {"source", [](Anchor& a, const Node& n) { a.source = text(n); }},
      {"note", [](Anchor& a, const Node& n) { a.note = text(n); }},
      {"miss", [](Anchor& a, const Node& n) { a.miss = text(n); }},
      {"label", [](Anchor& a, const Node& n) { a.label = text(n); }},
      {"kind", [](Anchor& a, const Node& n) { a.kind = kind_of(n); }},
      {"published", [](Anchor& a, const Node& n) { a.published = number(n); }},
      {"formula", [](Anchor& a, const Node& n) { a.formula = number(n); }},
      {"tolerance", [](Anchor& a, const Node& n) { a.tolerance = number(n); }},
      {"family_mean", [](Anchor& a, const Node& n) { a.family_mean = number(n); }},
      {"family_most", [](Anchor& a, const Node& n) { a.family_most = number(n); }},
      {"rows", [](Anchor& a, const Node& n) { a.experiment.rows = whole(n); }},
      {"columns", [](Anchor& a, const Node& n) { a.experiment.columns = whole(n); }},
      {"input",
       [](Anchor& a, const Node& n) {
         const auto type = parse_element_type(text(n));
         if (!type) refuse(n, "unknown element type '" + n.text + "'");
         a.experiment.input = *type;
       }},
      {"loads",
       [](Anchor& a, const Node& n) {
         a.experiment.kind = Experiment::Kind::loads;
         a.experiment.bytes = whole(n);
       }},
      {"flits",
       [](Anchor& a, const Node& n) {
         a.experiment.kind = Experiment::Kind::traffic;
         a.experiment.flits = whole(n);
       }},
      {"pattern", [](Anchor& a, const Node& n) { a.experiment.pattern = text(n); }},
      {"to_itself",
       [](Anchor& a, const Node& n) {
         if (text(n) != "true" && n.text != "false") refuse(n, "expected true or false, got '" + n.text + "'");
         a.experiment.to_itself = n.text == "true";
       }},
      {"ends", [](Anchor& a, const Node& n) { a.experiment.ends = whole(n); }},
      {"ejection", [](Anchor& a, const Node& n) { a.experiment.ejection = number(n); }},
      {"load", [](Anchor& a, const Node& n) { a.experiment.load = number(n); }},
      {"only", [](Anchor& a, const Node& n) { a.experiment.only = texts(n); }},
      {"without", [](Anchor& a, const Node& n) { a.experiment.without = texts(n); }},
      {"per", [](Anchor& a, const Node& n) {
         if (text(n) != "core" && n.text != "chip") refuse(n, "expected core or chip, got '" + n.text + "'");
         a.experiment.per_core = n.text == "core";
       }}};
  return all;
}

/// `key` as a row has it; with a dot it is a key of the chip.
void give(Anchor& anchor, const std::string& key, const Node& at, const Node& value) {
  if (key.find('.') != std::string::npos) {
    anchor.set[key] = text(value);
    return;
  }
  const auto setter = setters().find(key);
  std::vector<std::string> names{"set", "vary", "points"};
  for (const auto& [name, ignored] : setters()) names.push_back(name);
  if (setter == setters().end()) refuse(at, "unknown key '" + key + "' of an anchor" + suggestion(key, names));
  setter->second(anchor, value);
}

void finish(Anchor& a, const Node& row) {
  if (a.name.empty() || a.of.empty() || a.figure.empty() || a.chip.empty() || a.unit.empty() || a.source.empty())
    refuse(row, "an anchor needs name, of, figure, chip, unit and source");
  if (a.confidence != "R" && a.confidence != "S" && a.confidence != "M")
    refuse(row, "'confidence': expected R (read), S (second hand) or M (from memory), got '" + a.confidence + "'");
  if (a.published <= 0 || a.formula <= 0) refuse(row, "an anchor needs published and formula, both above 0");
  const bool fitted = a.kind == AnchorKind::fitted;
  if (fitted && a.family_mean == 0) a.family_mean = 0.02, a.family_most = 0.10;
  if (a.tolerance == 0) a.tolerance = fitted ? a.family_most : bars[static_cast<std::size_t>(a.kind)];
}

/// One row, or one per point: values of the keys that `vary` names, then published and formula.
void read_row(const Node& row, std::vector<Anchor>& all) {
  if (row.kind != Node::Kind::mapping) refuse(row, "expected an anchor (a mapping), got " + isa::shown(row));
  Anchor base;
  std::vector<std::string> vary;
  const Node* points = nullptr;
  for (const auto& [key, value] : row.entries) {
    if (key.text == "set") {
      if (value.kind != Node::Kind::mapping) refuse(value, "expected keys of the chip, got " + isa::shown(value));
      for (const auto& [path, what] : value.entries) base.set[path.text] = text(what);
    } else if (key.text == "vary") {
      vary = texts(value);
    } else if (key.text == "points") {
      points = &value;
    } else {
      give(base, key.text, key, value);
    }
  }
  if (!points) {
    if (base.kind == AnchorKind::fitted) base.family = base.name;
    finish(base, row);
    all.push_back(std::move(base));
    return;
  }
  if (points->kind != Node::Kind::sequence) refuse(*points, "expected a list of points");
  base.family = base.name;
  for (const Node& point : points->items) {
    if (point.kind != Node::Kind::sequence || point.items.size() != vary.size() + 2)
      refuse(point, fmt::format("expected {} values and published and formula", vary.size()));
    Anchor a = base;
    std::string which;
    for (std::size_t n = 0; n < vary.size(); ++n) {
      give(a, vary[n], point, point.items[n]);
      which += (n == 0 ? "" : ", ") + text(point.items[n]);
    }
    a.name += "(" + which + ")";
    for (std::size_t n = 0; n < vary.size(); ++n) {
      const std::string place = fmt::format("{{{}}}", n);
      if (const std::size_t at = a.label.find(place); at != std::string::npos)
        a.label.replace(at, place.size(), text(point.items[n]));
    }
    a.published = number(point.items[vary.size()]);
    a.formula = number(point.items[vary.size() + 1]);
    finish(a, row);
    all.push_back(std::move(a));
  }
}

}  // namespace

std::string_view to_string(AnchorKind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::vector<Anchor> read_anchors(const std::string& file) {
  const Node root = isa::parse_yaml(read_file(file), file, "a list of anchors");
  const Node* rows = root.kind == Node::Kind::mapping ? root.find("anchors") : nullptr;
  if (!rows || rows->kind != Node::Kind::sequence || root.entries.size() != 1)
    refuse(root, "expected 'anchors', a list, and nothing else");
  std::vector<Anchor> all;
  for (const Node& row : rows->items) read_row(row, all);
  return all;
}

std::string anchors_file() {
  return (std::filesystem::path(isa::chips_folder()).parent_path().parent_path() / "validation/anchors.yaml").string();
}

std::vector<std::string> anchor_chips() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(own_chips()))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

isa::Chip anchor_chip(const std::string& name) {
  const std::filesystem::path own = own_chips() / (name + ".yaml");
  return isa::load_chip(std::filesystem::exists(own) ? own.string() : name);
}

AnchorResult recompute(const Anchor& anchor) {
  AnchorResult result;
  result.anchor = anchor;
  try {
    result.recomputed = measure(isa::with_values(anchor_chip(anchor.chip), anchor.set), anchor.experiment, anchor.unit);
  } catch (const UserError& error) {
    throw UserError(fmt::format("anchor '{}': {}", anchor.name, error.what()));
  }
  result.holds = std::abs(result.error()) <= anchor.tolerance;
  return result;
}

std::vector<AnchorResult> recompute(const std::vector<Anchor>& anchors) {
  std::vector<AnchorResult> results;
  std::map<std::string, std::pair<double, int>> families;  ///< sum of errors, rows
  for (const Anchor& anchor : anchors) {
    results.push_back(recompute(anchor));
    if (anchor.family.empty() || !anchor.miss.empty()) continue;
    families[anchor.family].first += std::abs(results.back().error());
    ++families[anchor.family].second;
  }
  for (AnchorResult& r : results)
    if (r.anchor.family_mean > 0 && r.anchor.miss.empty()) {
      const auto& [sum, count] = families.at(r.anchor.family);
      r.holds = r.holds && sum / count <= r.anchor.family_mean;
    }
  return results;
}

}  // namespace pimento::validation
