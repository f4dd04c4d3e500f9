// pimento anchors: published figures beside what the simulator gives for them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/commands/registry.hpp"
#include "isa/support/json.hpp"
#include "validation/anchors/anchors.hpp"

namespace pimento::cli {
namespace {

using validation::AnchorResult;

std::string verdict(const AnchorResult& r) {
  if (!r.anchor.miss.empty()) return r.holds ? "MISS NAMED, BUT HOLDS" : "miss: " + r.anchor.miss;
  return r.holds ? "" : "FAILED";
}
/// A miss that is named is no failure; one that is not, or that is named and does not exist, is.
bool as_expected(const AnchorResult& r) { return r.holds == r.anchor.miss.empty(); }

std::string table(const std::vector<AnchorResult>& results) {
  std::string text, of;
  for (const AnchorResult& r : results) {
    if (r.anchor.of != of) {
      of = r.anchor.of;
      text += fmt::format("{}{}\n  {:<44} {:>12} {:>12} {:>12} {:>8}  {:<10} {}\n", text.empty() ? "" : "\n", of, "",
                          "published", "recomputed", "formula", "error", "kind", "confidence");
    }
    const std::string figure = r.anchor.figure + (r.anchor.label.empty() ? "" : ", ") + r.anchor.label;
    const std::string said = verdict(r);
    text += fmt::format("  {:<44} {:>12.5g} {:>12.5g} {:>12.5g} {:>+7.2f}%  {:<10} {}  {}{}{}\n", figure,
                        r.anchor.published, r.recomputed, r.anchor.formula, 100 * r.error(), to_string(r.anchor.kind),
                        r.anchor.confidence, r.anchor.unit, said.empty() ? "" : "  ", said);
  }
  const auto held = std::count_if(results.begin(), results.end(), [](const AnchorResult& r) { return r.holds; });
  const auto named = std::count_if(results.begin(), results.end(),
                                   [](const AnchorResult& r) { return !r.holds && !r.anchor.miss.empty(); });
  return text +
         fmt::format(
             "\n{} figures: {} within their bars, {} misses with reasons, {} failed\n"
             "predictive: an error is the model's. fitted: constants were calibrated on the same paper, an error "
             "is the shape's.\nidentity: parts of one paper, an error is the account's. tool: of a tool that can "
             "be run.\nconfidence: R read in the source, S second hand, M from memory: S and M are not checked "
             "against the paper.\n",
             results.size(), held, named, static_cast<std::ptrdiff_t>(results.size()) - held - named);
}

std::string json(const std::vector<AnchorResult>& results) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const AnchorResult& r : results)
    rows.push_back({{"name", r.anchor.name},
                    {"of", r.anchor.of},
                    {"figure", r.anchor.figure},
                    {"chip", r.anchor.chip},
                    {"set", r.anchor.set},
                    {"unit", r.anchor.unit},
                    {"published", r.anchor.published},
                    {"recomputed", r.recomputed},
                    {"formula", r.anchor.formula},
                    {"error", r.error()},
                    {"kind", to_string(r.anchor.kind)},
                    {"confidence", r.anchor.confidence},
                    {"tolerance", r.anchor.tolerance},
                    {"holds", r.holds},
                    {"miss", r.anchor.miss},
                    {"source", r.anchor.source},
                    {"note", r.anchor.note}});
  return print_json(nlohmann::ordered_json{{"schema", "pimento.anchors"}, {"schema_version", 1}, {"anchors", rows}}) +
         "\n";
}

Status anchors(const Arguments& a, Streams io) {
  std::vector<validation::Anchor> wanted = validation::read_anchors(a.text("file", validation::anchors_file()));
  if (const std::vector<std::string>& names = a.all("NAME"); !names.empty()) {
    const auto is = [](const validation::Anchor& anchor, const std::string& name) {
      return anchor.name == name || anchor.family == name || anchor.name.starts_with(name + "-");
    };
    std::vector<std::string> known;
    for (const validation::Anchor& anchor : wanted) known.push_back(anchor.name.substr(0, anchor.name.find('(')));
    for (const std::string& name : names)
      if (std::none_of(wanted.begin(), wanted.end(), [&](const auto& anchor) { return is(anchor, name); }))
        throw UserError("unknown anchor '" + name + "'" + suggestion(name, known));
    std::erase_if(wanted, [&](const validation::Anchor& anchor) {
      return std::none_of(names.begin(), names.end(), [&](const std::string& name) { return is(anchor, name); });
    });
  }
  const std::vector<AnchorResult> results = validation::recompute(wanted);
  io.out << (a.flag("json") ? json(results) : table(results));
  return std::all_of(results.begin(), results.end(), as_expected) ? Status::done : Status::no;
}

SUBCOMMAND("anchors", "[NAME...] [--file FILE] [--json]",
           "recompute published figures by the simulator, and say how far off it is",
           R"(
  NAME                 a row of the file, or what the names of several begin with: puma (default: all)
  --file FILE          the figures (default: the shipped validation/anchors.yaml)
  --json               print JSON instead of a table
  example: pimento anchors sinangil-gops hermes-core-tops)",
           anchors);

}  // namespace
}  // namespace pimento::cli
