#include "compiler/proof/compare.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "isa/chip/chip.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::proof;

namespace {

/// A record that knows every figure of the table.
Record full() {
  Record r;
  r.model = "lenet5";
  r.model_fingerprint = "7f89";
  r.numerics = "quantised";
  r.version = "0.1.0";
  r.identify(isa::load_chip("tiny-4"));
  for (const Figure& f : figures()) {
    const std::string name(f.name);
    if (f.reading == Reading::sizes) r.lists[name] = {8, 8, 4};
    if (f.reading == Reading::owners) r.lists[name] = {0, 1, 2, 3};
    if (f.reading == Reading::number) r.know(name, 1000);
  }
  r.stages = {{"merge", 0.5, 0.25, {{"operations", 20}}}};
  return r;
}

/// The figure made worse by as little as can be.
Record worsened(const Figure& f) {
  Record r = full();
  const std::string name(f.name);
  if (f.reading == Reading::sizes) r.lists[name][1] += f.better == Direction::higher ? -1 : 1;
  if (f.reading == Reading::owners) r.lists[name][3] = 2;
  if (f.reading == Reading::number) r.figures[name] += f.better == Direction::higher ? -1 : 1;
  return r;
}
Record improved(const Figure& f) {
  Record r = full();
  const std::string name(f.name);
  if (f.reading == Reading::sizes) r.lists[name][1] += f.better == Direction::higher ? 1 : -1;
  if (f.reading == Reading::owners) r.lists[name] = {0, 1, 2, 3, 4};
  if (f.reading == Reading::number) r.figures[name] += f.better == Direction::higher ? 1 : -1;
  return r;
}
Judgement judged(const Record& before, const Record& after, ChangeKind kind = ChangeKind::cost, double noise = 0.1) {
  const Rule rule{kind, noise};
  return judge({compare(before, after, rule)}, rule);
}
std::string refusal(const Record& before, const Record& after, ChangeKind kind = ChangeKind::cost) {
  try {
    judged(before, after, kind);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}
bool names(const std::vector<std::string>& lines, std::string_view figure) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.starts_with("lenet5 on tiny-4: " + std::string(figure) + " ");
  });
}

}  // namespace

TEST_CASE("stop rule: is a planted regression of each runtime proxy and gate rejected by its name, with both values?") {
  int planted = 0;
  for (const Figure& f : figures()) {
    if (f.of != FigureClass::runtime_proxy && f.of != FigureClass::gate) continue;
    CAPTURE(f.name);
    ++planted;
    Record after = worsened(f);
    after.figures["peak_resident_bytes"] = 1;  // however much is saved
    after.reals["wall_s"] = 0.001;
    const Judgement j = judged(full(), after);
    REQUIRE(j.objections.size() == 1);
    CHECK(names(j.objections, f.name));
    if (f.reading == Reading::number)
      CHECK(j.objections[0].find(f.better == Direction::higher ? "1000 -> 999" : "1000 -> 1001") != std::string::npos);
    CHECK(to_table(j, false).find("rejected: a change of kind 'cost'") != std::string::npos);
    CHECK_FALSE(judged(full(), improved(f)).rejected());
  }
  CHECK(planted > 35);
}

TEST_CASE("stop rule: is a figure that is no longer known a loss?") {
  for (const Figure& f : figures()) {
    if (f.of != FigureClass::runtime_proxy && f.of != FigureClass::gate) continue;
    CAPTURE(f.name);
    Record after = full();
    after.miss(std::string(f.name), "forgotten");
    CHECK(names(judged(full(), after).objections, f.name));
    CHECK_FALSE(judged(after, full()).rejected());  // a new figure is not judged
  }
}

TEST_CASE("stop rule: do resources get worse without objection, and times within the noise without a word?") {
  for (const Figure& f : figures()) {
    if (f.of != FigureClass::resource || f.better == Direction::equal) continue;
    CAPTURE(f.name);
    Record after = worsened(f);
    const Judgement j = judged(full(), after, ChangeKind::cost, 0);
    CHECK_FALSE(j.rejected());
    CHECK(j.comparisons[0].row(f.name)->verdict == Verdict::worse);
  }
  Record after = full();
  after.figures["wall_s"] = 1100;
  CHECK(judged(full(), after).comparisons[0].row("wall_s")->verdict == Verdict::noise);
  after.figures["wall_s"] = 1101;
  CHECK(judged(full(), after).comparisons[0].row("wall_s")->verdict == Verdict::worse);
  after.stages[0].wall_s = 0.56;
  CHECK(judged(full(), after).comparisons[0].row("stage merge wall_s")->verdict == Verdict::worse);
}

TEST_CASE("stop rule: is a stream judged by its interval, and not by the cycles of the whole run?") {
  const Record before = full();
  Record after = before;
  after.figures["simulated_cycles"] = 999;
  CHECK(judged(before, after, ChangeKind::schedule).objections ==
        std::vector<std::string>{"interval_cycles are lower nowhere"});
  after.figures["interval_cycles"] = 999;
  after.figures["simulated_cycles"] = 1001;
  CHECK_FALSE(judged(before, after, ChangeKind::schedule).rejected());
  // an interval that is not known any more is no better one
  after.figures["simulated_cycles"] = 999;
  after.miss("interval_cycles", "too few images for a steady state");
  CHECK_THROWS_AS(judged(before, after, ChangeKind::schedule), UserError);
}

TEST_CASE("stop rule: when is a change of the schedule accepted?") {
  Record before = full();
  before.miss("interval_cycles", "one image is no stream");
  Record after = before;
  CHECK(judged(before, after, ChangeKind::schedule).objections ==
        std::vector<std::string>{"simulated_cycles are lower nowhere"});
  after.figures["simulated_cycles"] = 999;
  after.figures["sends"] = 1001;
  const Judgement better = judged(before, after, ChangeKind::schedule);
  CHECK_FALSE(better.rejected());
  CHECK(better.to_explain == std::vector<std::string>{"lenet5 on tiny-4: sends 1000 -> 1001"});
  // worse on one model is worse, however much another wins
  Record slower = before;
  slower.figures["simulated_cycles"] = 1001;
  const Rule rule{ChangeKind::schedule};
  const Judgement mixed = judge({compare(before, after, rule), compare(before, slower, rule)}, rule);
  CHECK(mixed.objections == std::vector<std::string>{"lenet5 on tiny-4: simulated_cycles 1000 -> 1001 core cycles"});
  // values come first
  after.figures["numerical_check_passed"] = 0;
  CHECK(names(judged(before, after, ChangeKind::schedule).objections, "numerical_check_passed"));
}

TEST_CASE("compare: are wider batches no loss, and batches cut in two one?") {
  const auto verdict = [](std::vector<std::int64_t> before, std::vector<std::int64_t> after) {
    Record a = full(), b = full();
    a.lists["graph_lanes"] = std::move(before);
    b.lists["graph_lanes"] = std::move(after);
    return compare(a, b, {}).row("graph_lanes")->verdict;
  };
  CHECK(verdict({10, 10}, {20}) == Verdict::better);  // the widest: 10 -> 20; both: 20 -> 20
  CHECK(verdict({20}, {10, 10}) == Verdict::worse);
  CHECK(verdict({4, 8}, {8, 4}) == Verdict::same);
  CHECK(verdict({8, 4}, {8, 4, 1}) == Verdict::better);
  CHECK(verdict({8, 4}, {12}) == Verdict::better);
  CHECK(verdict({8, 4}, {9, 2}) == Verdict::worse);  // 9 of 8, but 11 of 12
}

TEST_CASE("compare: are records of other questions refused, with what differs?") {
  const Record before = full();
  Record other = full();
  other.model_fingerprint = "8000";
  CHECK(refusal(before, other) ==
        "lenet5 on tiny-4: records of different models: 'lenet5' 7f89 before, 'lenet5' 8000 after");
  other = full();
  other.numerics = "exact";
  CHECK(refusal(before, other) == "lenet5 on tiny-4: records of different numerics: quantised before, exact after");
  other = full();
  other.figures["timing_model"] = 1001;
  CHECK(refusal(before, other) ==
        "lenet5 on tiny-4: records of different timing_model (version of the rules of time that gave the simulated "
        "cycles): 1000 before, 1001 after");
  other.miss("timing_model", "not simulated");
  CHECK(refusal(before, other).empty());
  other = full();
  for (const char* figure : {"simulated_cycles", "interval_cycles"}) other.miss(figure, "not simulated");
  CHECK(refusal(before, other, ChangeKind::schedule) ==
        "lenet5 on tiny-4: a change of kind 'schedule' is judged by the interval of a stream, and the record after has "
        "none; "
        "expected one of 'pimento run --record'");
}

TEST_CASE("compare: is a changed hardware parameter named, and a key that only one compiler knows no change?") {
  const Record before = full();
  Record after = full();
  after.identify(isa::with_values(isa::load_chip("tiny-4"), {{"core.window", "7"}}));
  after.chip = "tiny-4";
  CHECK(refusal(before, after)
            .starts_with("lenet5 on tiny-4: records of different chips, changed hardware parameters: core.window "));
  // physics never matters
  after.identify(isa::with_values(isa::load_chip("tiny-4"), {{"area.core", "17 mm2"}}));
  CHECK(refusal(before, after).empty());
  // a new key at its default is the same chip; at another value it is not
  Record old = full();
  for (const isa::KeyInfo& key : isa::chip_keys())
    if (const auto at = old.chip_keys.find(key.path); at != old.chip_keys.end() && at->second == key.default_text) {
      Record without = full();
      without.chip_keys.erase(key.path);
      CHECK(refusal(without, full()).empty());
      without.chip_keys["core.crossbar.rows"] = "1";
      CHECK_FALSE(refusal(without, full()).empty());
    }
  old.chip_keys.erase("core.crossbar.rows");
  CHECK(refusal(old, full()).find("core.crossbar.rows not used -> ") != std::string::npos);
  old = full();
  old.chip_keys["core.gone"] = "3";
  CHECK(refusal(old, full()).find("core.gone 3 -> not used") != std::string::npos);
}
