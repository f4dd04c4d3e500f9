#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/proof/compare.hpp"
#include "isa/support/error.hpp"
#include "isa/support/json.hpp"

namespace pimento::proof {
namespace {

/// What a change of schedule is judged by: the pace of a stream, else the cycles of the run.
std::string_view goal_of(const Comparison& c) {
  const Row* pace = c.row("interval_cycles");
  return pace != nullptr && pace->before != "-" ? "interval_cycles" : "simulated_cycles";
}

/// "lenet5 on tiny-4: sends 40 -> 44"
std::string sentence(const Comparison& c, const Row& r) {
  return fmt::format("{}: {} {} -> {}{}{}", c.subject, r.name, r.before, r.after, r.unit.empty() ? "" : " ", r.unit);
}

/// Judged by its own row, not as one of the proxies: time is the cycles again, in another unit.
bool is_run_time(const Row& r) {
  return r.name == "simulated_cycles" || r.name == "simulated_time_fs" || r.name == "interval_cycles";
}

void judge_cost(Judgement& j) {
  for (const Comparison& c : j.comparisons)
    for (const Row& r : c.rows) {
      const bool judged = r.of == FigureClass::runtime_proxy || r.of == FigureClass::gate;
      if (judged && (r.verdict == Verdict::worse || r.verdict == Verdict::changed))
        j.objections.push_back(sentence(c, r));
      if (r.verdict == Verdict::better && !r.name.starts_with("stage ")) j.won.push_back(sentence(c, r));
    }
}

void judge_schedule(Judgement& j) {
  bool better = false;
  for (const Comparison& c : j.comparisons) {
    const Row* run = c.row(goal_of(c));
    if (run->verdict == Verdict::worse) j.objections.push_back(sentence(c, *run));
    if (run->verdict == Verdict::better) better = true, j.won.push_back(sentence(c, *run));
    for (const Row& r : c.rows) {
      if (r.verdict != Verdict::worse && r.verdict != Verdict::changed) continue;
      if (r.name == "numerical_check_passed")
        j.objections.push_back(sentence(c, r));
      else if (r.of == FigureClass::runtime_proxy || (r.of == FigureClass::gate && !is_run_time(r)))
        j.to_explain.push_back(sentence(c, r));
    }
  }
  if (better) return;
  std::set<std::string_view> goals;
  for (const Comparison& c : j.comparisons) goals.insert(goal_of(c));
  j.objections.push_back(fmt::format("{} are lower nowhere", fmt::join(goals, " and ")));
}

std::string row_text(const Row& r) {
  return fmt::format("  {:<30} {:<13} {:<11} {:<6} {:>24} {:>24}  {}\n", r.name, to_string(r.of), r.unit,
                     to_string(r.better), r.before, r.after, to_string(r.verdict));
}
std::string list_text(const std::string& title, const std::vector<std::string>& lines) {
  std::string text = lines.empty() ? "" : title + "\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

}  // namespace

Judgement judge(std::vector<Comparison> comparisons, const Rule& rule) {
  Judgement j{std::move(comparisons), rule, {}, {}, {}};
  if (j.comparisons.empty()) throw UserError("no records to compare");
  if (rule.kind == ChangeKind::cost) {
    judge_cost(j);
    return j;
  }
  for (const Comparison& c : j.comparisons)
    if (const Row* run = c.row(goal_of(c)); run->before == "-" || run->after == "-")
      throw UserError(
          fmt::format("{}: a change of kind 'schedule' is judged by {}, and the record {} has "
                      "none; expected one of 'pimento run --record'",
                      c.subject, run->name == "interval_cycles" ? "the interval of a stream" : "simulated cycles",
                      run->before == "-" ? "before" : "after"));
  judge_schedule(j);
  return j;
}

std::string to_table(const Judgement& j, bool all) {
  std::string text;
  for (const Comparison& c : j.comparisons) {
    text += c.subject + "\n";
    text += fmt::format("  {:<30} {:<13} {:<11} {:<6} {:>24} {:>24}  {}\n", "figure", "class", "unit", "better",
                        "before", "after", "verdict");
    std::size_t same = 0;
    for (const Row& r : c.rows) {
      const bool quiet = r.verdict == Verdict::same || (r.verdict == Verdict::not_compared && r.before == r.after);
      if (quiet && !all)
        ++same;
      else
        text += row_text(r);
    }
    if (same > 0) text += "  all others are the same\n";
  }
  text += list_text("won:", j.won);
  text += list_text("worse, to be explained:", j.to_explain);
  text += list_text("objections:", j.objections);
  const std::string noise =
      fmt::format("noise of times and memory {:g} %, of everything else none", 100 * j.rule.noise);
  return text + fmt::format("{}: a change of kind '{}', {} compared; {}\n", j.rejected() ? "rejected" : "accepted",
                            to_string(j.rule.kind), j.comparisons.size(), noise);
}

std::string to_json(const Judgement& j) {
  using Json = nlohmann::ordered_json;
  Json comparisons = Json::array();
  for (const Comparison& c : j.comparisons) {
    Json rows = Json::array();
    for (const Row& r : c.rows)
      rows.push_back({{"figure", r.name},
                      {"class", to_string(r.of)},
                      {"unit", r.unit},
                      {"better", to_string(r.better)},
                      {"before", r.before},
                      {"after", r.after},
                      {"verdict", to_string(r.verdict)}});
    comparisons.push_back({{"subject", c.subject}, {"rows", rows}});
  }
  const Json document{{"schema", "pimento.comparison"}, {"schema_version", 1},
                      {"kind", to_string(j.rule.kind)}, {"noise", j.rule.noise},
                      {"rejected", j.rejected()},       {"objections", j.objections},
                      {"to_explain", j.to_explain},     {"won", j.won},
                      {"comparisons", comparisons}};
  return print_json(document) + "\n";
}

}  // namespace pimento::proof
