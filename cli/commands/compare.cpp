// pimento compare: two records, or two folders of records, side by side under the stop rule.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "cli/commands/registry.hpp"
#include "compiler/proof/compare.hpp"

namespace pimento::cli {
namespace {
namespace fs = std::filesystem;

std::set<std::string> records_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") names.insert(entry.path().filename().string());
  return names;
}

/// The pairs of files: both are files, or both are folders that hold the same names.
std::vector<std::pair<fs::path, fs::path>> pairs_of(const fs::path& before, const fs::path& after) {
  if (!fs::is_directory(before) && !fs::is_directory(after)) return {{before, after}};
  for (const fs::path& each : {before, after})
    if (!fs::is_directory(each)) throw UserError({.file = each.string()}, "expected a folder, as the other one is");
  const std::set<std::string> a = records_in(before), b = records_in(after);
  std::vector<std::pair<fs::path, fs::path>> pairs;
  for (const std::string& name : a) {
    if (!b.contains(name))
      throw UserError({.file = (after / name).string()}, "no such record; one before has that name");
    pairs.emplace_back(before / name, after / name);
  }
  for (const std::string& name : b)
    if (!a.contains(name))
      throw UserError({.file = (before / name).string()}, "no such record; one after has that name");
  return pairs;
}

Status compare(const Arguments& a, Streams io) {
  proof::Rule rule;
  rule.kind = a.choice("kind", {"cost", "schedule"}) == "cost" ? proof::ChangeKind::cost : proof::ChangeKind::schedule;
  const double percent = a.real("noise", 100 * rule.noise);
  if (!(percent >= 0 && percent <= 100))
    throw UserError(fmt::format("--noise {}: expected a percentage from 0 to 100", percent));
  rule.noise = percent / 100;
  std::vector<proof::Comparison> comparisons;
  for (const auto& [before, after] : pairs_of(a.path("BEFORE"), a.path("AFTER")))
    comparisons.push_back(
        proof::compare(proof::read_record(before.string()), proof::read_record(after.string()), rule));
  const bool one = comparisons.size() == 1;
  const proof::Judgement judgement = proof::judge(std::move(comparisons), rule);
  io.out << (a.flag("json") ? to_json(judgement) : to_table(judgement, one && !a.flag("changed")));
  return judgement.rejected() ? Status::no : Status::done;
}

SUBCOMMAND("compare", "BEFORE AFTER [--kind KIND] [--noise PERCENT] [--changed] [--json]",
           "set two records side by side and apply the stop rule", R"(
  BEFORE           record of the compile before the change (--record), or a folder of records
  AFTER            record of the compile after it, or a folder with the same names
  --kind KIND      what the change wins. cost (the default): compile time or memory; any runtime proxy or gate worse is
                   "rejected", status 1. schedule: run time or a feature; simulated cycles must be worse nowhere and
                   better somewhere, and proxies that got worse are listed
  --noise PERCENT  by how much compile times and resident memory may differ and count as equal (default 10); nothing
                   else has a tolerance
  --changed        one pair: only the rows that differ, as with folders
  --json           print JSON instead of a table
  example: pimento compare before.json after.json)",
           compare);

}  // namespace
}  // namespace pimento::cli
