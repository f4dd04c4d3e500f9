#include "validation/golden/golden.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "isa/support/error.hpp"
#include "validation/golden/golden_for_tests.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

Golden lenet() { return golden_record("lenet5.pimsim-nn-64"); }
const proof::Rule schedule{proof::ChangeKind::schedule};

std::string refusal(const std::vector<Update>& updates, const Acceptance& how) {
  try {
    accept(updates, how);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("golden: is every case of the fast networks as accepted?") { check_cases(false); }

TEST_CASE("golden: is there one file per case, and no other?") {
  std::set<std::string> expected, found;
  for (const GoldenCase& each : golden_cases()) expected.insert(each.name() + ".json");
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder()))
    if (entry.path().extension() == ".json") found.insert(entry.path().filename().string());
  CHECK(found == expected);
}

TEST_CASE("golden: does a file read back, history included, and hold nothing of a machine?") {
  Golden golden = lenet();
  golden.history.push_back({"schedule", "a reason", {{"sends", "3", "4"}}, {{"sends", "they overlap"}}});
  const std::string text = to_json(golden);
  CHECK(to_json(parse_golden(text, "g.json")) == text);
  CHECK_FALSE(golden.record.reals.contains("wall_s"));
  CHECK(golden.record.absent.at("peak_resident_bytes") == "depends on the machine: no part of a golden record");
  CHECK_THROWS_AS(parse_golden("{}", "g.json"), UserError);
  CHECK_THROWS_AS(parse_golden("[1", "g.json"), UserError);
}

TEST_CASE("golden: is a difference named, and a run that alone changed told from a program that did?") {
  const Golden golden = lenet();
  proof::Record now = golden.record;
  CHECK(differences(golden, now).empty());
  now.know("simulated_cycles", now.figures.at("simulated_cycles") + 1);
  std::vector<std::string> lines = differences(golden, now);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("simulated_cycles "));
  CHECK(lines[1].find("raises timing_model") != std::string::npos);
  now.know("sends", 1);
  lines = differences(golden, now);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("sends "));
  now.chip_keys.begin()->second = "other";
  CHECK(differences(golden, now).at(0).find("changed hardware parameters: ") != std::string::npos);
}

TEST_CASE(
    "golden: is a worse proxy refused as a cost change, and kept with its reason as a schedule change that wins?") {
  const Golden golden = lenet();
  proof::Record now = golden.record;
  const auto sends = now.figures.at("sends");
  now.know("sends", sends + 1);
  const Accepted no = accept({{"a", &golden, nullptr, now}}, {{}, "why", {}});
  CHECK(no.judgement.rejected());
  CHECK(no.files.empty());
  now.know("simulated_cycles", now.figures.at("simulated_cycles") - 1);
  const Accepted yes = accept({{"a", &golden, nullptr, now}}, {schedule, "why", {{"sends", "they overlap"}}});
  REQUIRE(yes.files.size() == 1);
  const Golden& written = yes.files[0].second;
  CHECK(written.record.figures.at("sends") == sends + 1);
  REQUIRE(written.history.size() == golden.history.size() + 1);
  const GoldenChange& change = written.history.back();
  CHECK(change.kind == "schedule");
  CHECK(change.changed.size() == 2);
  CHECK(change.worse == std::vector<std::pair<std::string, std::string>>{{"sends", "they overlap"}});
  // one record that loses cycles stops all
  proof::Record slower = golden.record;
  slower.know("simulated_cycles", slower.figures.at("simulated_cycles") + 1);
  CHECK(accept({{"a", &golden, nullptr, now}, {"b", &golden, nullptr, slower}}, {schedule, "why", {}}).files.empty());
}

TEST_CASE("golden: do new rules of time ask for the old program's run, unless the program is the same?") {
  const Golden golden = lenet();
  proof::Record now = golden.record;
  now.know("timing_model", now.figures.at("timing_model") + 1);
  now.know("simulated_cycles", now.figures.at("simulated_cycles") + 100);
  now.know_real("wall_s", 1.5);  // as measured: with what depends on the machine
  now.know("peak_resident_bytes", 1 << 20);
  now.stages.at(0).wall_s = 0.5;
  const Accepted retimed = accept({{"a", &golden, nullptr, now}}, {{}, "new rule", {}});
  REQUIRE(retimed.files.size() == 1);
  CHECK(retimed.files[0].second.history.back().kind == "rules of time");
  CHECK(retimed.files[0].second.history.back().changed.at(1).name == "simulated_cycles");
  proof::Record other = now;
  other.know("sends", 1);
  CHECK(refusal({{"a", &golden, nullptr, other}}, {{}, "both", {}}).find("expected --before") != std::string::npos);
  other.know("sends", now.figures.at("sends") - 1);
  CHECK(accept({{"a", &golden, &now, other}}, {{}, "both", {}}).files.size() == 1);
  // a change is not judged against itself
  CHECK(
      refusal({{"a", &golden, &other, other}}, {{}, "both", {}}).find("--before is not the accepted program: sends") !=
      std::string::npos);
}

TEST_CASE("golden: is a first record written without a judgement?") {
  const Accepted first = accept({{"a", nullptr, nullptr, lenet().record}}, {{}, "first", {}});
  REQUIRE(first.files.size() == 1);
  CHECK(first.files[0].second.history.at(0).kind == "first");
}
