#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "isa/support/error.hpp"
#include "validation/golden/golden.hpp"

namespace pimento::validation {
namespace {
using proof::Comparison;
using proof::Record;
using proof::Row;
using proof::Verdict;

constexpr const char* run_figures[] = {"timing_model", "simulated_cycles", "simulated_time_fs", "energy_known_pj",
                                       "energy_complete"};
bool is_of_run(const std::string& name) {
  return std::find(std::begin(run_figures), std::end(run_figures), name) != std::end(run_figures);
}
bool differs(const Row& row) {
  return row.verdict != Verdict::same && !(row.verdict == Verdict::not_compared && row.before == row.after);
}

std::int64_t version_of_time(const Record& record) {
  const auto at = record.figures.find("timing_model");
  return at == record.figures.end() ? 0 : at->second;
}

/// The record with the run of another one.
Record with_run_of(Record record, const Record& other) {
  for (const std::string name : run_figures) {
    record.miss(name, "no run");
    if (const auto at = other.figures.find(name); at != other.figures.end()) record.know(name, at->second);
    if (const auto at = other.reals.find(name); at != other.reals.end()) record.know_real(name, at->second);
    if (const auto at = other.absent.find(name); at != other.absent.end()) record.miss(name, at->second);
  }
  return record;
}

/// What the golden record says under today's rules of time.
Record retimed(const Update& u) {
  const Record& was = u.golden->record;
  if (version_of_time(was) == version_of_time(u.now)) return was;
  const Record now = with_run_of(was, u.now);
  const Comparison c = proof::compare(now, u.now, {});
  if (std::any_of(c.rows.begin(), c.rows.end(), differs))
    throw UserError(
        fmt::format("{}: program and rules of time both changed (timing model {} -> {}); expected --before "
                    "with the old programs' runs under the new rules, as scripts/proof.sh makes them",
                    u.name, version_of_time(was), version_of_time(u.now)));
  return now;
}

/// What --before names must be the accepted program, run anew: or else a change could be judged against itself. On a
/// chip that was changed it is the old compiler's program for the new chip, which no golden record knows.
void expect_golden_program(const Update& u) {
  if (!proof::changed_keys(u.golden->record, *u.before).empty()) return;
  for (const Row& row : proof::compare(with_run_of(u.golden->record, *u.before), *u.before, {}).rows)
    if (differs(row) && (row.of == proof::FigureClass::runtime_proxy || row.of == proof::FigureClass::gate))
      throw UserError(fmt::format("{}: --before is not the accepted program: {} is {}, accepted {}", u.name, row.name,
                                  row.after, row.before));
}

std::string reason_for(const Acceptance& how, const std::string& figure) {
  for (const auto& [name, reason] : how.reasons)
    if (name == figure) return reason;
  return how.why;
}

/// Other rules of time: what the accepted program's cycles became under them.
GoldenChange new_times(const Update& u, const Acceptance& how) {
  const Record& was = u.golden->record;
  const Record now = u.before != nullptr ? *u.before : u.now;
  GoldenChange change{"rules of time", how.why, {}, {}};
  for (const char* name : {"timing_model", "simulated_cycles"})
    if (was.figures.contains(name) && now.figures.contains(name))
      change.changed.push_back(
          {name, fmt::format("{}", was.figures.at(name)), fmt::format("{}", now.figures.at(name))});
  return change;
}

Golden changed(const Update& u, const Comparison* c, const Acceptance& how) {
  Golden golden;
  if (u.golden != nullptr) golden.history = u.golden->history;
  golden.record = u.now;
  if (u.golden != nullptr && version_of_time(u.golden->record) != version_of_time(u.now))
    golden.history.push_back(new_times(u, how));
  GoldenChange change{c == nullptr ? "first" : std::string(to_string(how.rule.kind)), how.why, {}, {}};
  if (c != nullptr)
    for (const Row& row : c->rows) {
      if (!differs(row)) continue;
      change.changed.push_back({row.name, row.before, row.after});
      if (row.of == proof::FigureClass::runtime_proxy && row.verdict == Verdict::worse)
        change.worse.emplace_back(row.name, reason_for(how, row.name));
    }
  if (c == nullptr || !change.changed.empty()) golden.history.push_back(std::move(change));
  return golden;
}

}  // namespace

Record portable(Record record) {
  for (const proof::Figure& f : proof::figures())
    if (f.repeats == proof::Repeats::on_this_machine)
      record.miss(std::string(f.name), "depends on the machine: no part of a golden record");
  for (proof::StageRecord& stage : record.stages) stage.wall_s = stage.cpu_s = 0;
  return record;
}

std::vector<std::string> differences(const Golden& golden, const Record& measured) {
  std::vector<std::string> all;
  bool only_run = true;
  try {
    for (const Row& row : proof::compare(golden.record, portable(measured), {}).rows) {
      if (!differs(row)) continue;
      only_run = only_run && is_of_run(row.name);
      all.push_back(fmt::format("{} {} -> {} ({})", row.name, row.before, row.after, to_string(row.verdict)));
    }
  } catch (const UserError& refusal) {
    return {refusal.what()};
  }
  if (!all.empty() && only_run)
    all.emplace_back(
        "the program is the same and its run is not: what changes the rules of time raises timing_model in "
        "isa/cost/timing_model.hpp");
  return all;
}

Accepted accept(const std::vector<Update>& measured, const Acceptance& how) {
  std::vector<Update> updates = measured;
  std::deque<Record> befores;  // deque: they stay where they are
  for (Update& u : updates) {
    u.now = portable(std::move(u.now));
    if (u.before == nullptr) continue;
    u.before = &befores.emplace_back(portable(*u.before));
    if (u.golden != nullptr) expect_golden_program(u);
  }
  std::vector<Comparison> comparisons;
  std::vector<std::ptrdiff_t> compared;  // by update: its comparison, or -1
  for (const Update& u : updates) {
    compared.push_back(u.golden == nullptr ? -1 : static_cast<std::ptrdiff_t>(comparisons.size()));
    if (u.golden == nullptr) continue;
    comparisons.push_back(proof::compare(u.before != nullptr ? *u.before : retimed(u), u.now, how.rule));
    comparisons.back().subject = u.name;
  }
  Accepted result;
  if (!comparisons.empty()) result.judgement = proof::judge(std::move(comparisons), how.rule);
  if (result.judgement.rejected()) return result;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Update& u = updates[i];
    const Comparison* c =
        compared[i] < 0 ? nullptr : &result.judgement.comparisons[static_cast<std::size_t>(compared[i])];
    const bool is_news = c == nullptr || std::any_of(c->rows.begin(), c->rows.end(), differs) ||
                         to_json(Golden{u.golden->record, {}}) != to_json(Golden{u.now, {}});
    if (is_news) result.files.emplace_back(u.name, changed(u, c, how));
  }
  return result;
}

}  // namespace pimento::validation
