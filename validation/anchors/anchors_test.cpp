#include "validation/anchors/anchors.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

using namespace pimento;
using namespace pimento::validation;
namespace {

const Anchor& named(const std::vector<Anchor>& all, const std::string& name) {
  for (const Anchor& a : all)
    if (a.name == name) return a;
  FAIL("no anchor '" << name << "'");
  return all.front();
}

/// The figure with keys set over the anchor's, over the figure without.
double ratio(const std::string& name, const std::map<std::string, std::string>& values) {
  static const std::vector<Anchor> all = read_anchors(anchors_file());
  Anchor a = named(all, name);
  const double before = recompute(a).recomputed;
  for (const auto& [key, value] : values) a.set[key] = value;
  return recompute(a).recomputed / before;
}

std::string refusal(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("anchors_" + std::to_string(::getpid()) + ".yaml");
  write_atomically(file.string(), text);
  std::string message;
  try {
    read_anchors(file.string());
  } catch (const UserError& error) {
    message = error.what();
    message.erase(0, message.find(".yaml") + 5);
  }
  std::filesystem::remove(file);
  return message;
}

}  // namespace

TEST_CASE(
    "anchors: does the simulator give every published figure within its bar, but for the misses that are named?") {
  int misses = 0;
  for (const AnchorResult& r : recompute(read_anchors(anchors_file()))) {
    CAPTURE(r.anchor.name);
    CAPTURE(r.anchor.published);
    CAPTURE(r.recomputed);
    CHECK(r.holds == r.anchor.miss.empty());
    misses += r.anchor.miss.empty() ? 0 : 1;
  }
  CHECK(misses == 8);  // Jia 2, networks near saturation 6: fewer is good news to write down
}

TEST_CASE("anchors: is the formula's second opinion the simulator's figure, but for beginnings and ends?") {
  for (const AnchorResult& r : recompute(read_anchors(anchors_file()))) {
    if (r.anchor.experiment.kind == Experiment::Kind::traffic) continue;
    CAPTURE(r.anchor.name);
    CHECK(r.recomputed == doctest::Approx(r.anchor.formula).epsilon(0.01));
  }
}

TEST_CASE("anchors: do clock, rows at once and energies move figures in proportion?") {
  CHECK(ratio("hermes-core-tops", {{"core.clock", "2 GHz"}, {"core.crossbar.read_latency", "500 ps"}}) ==
        doctest::Approx(2));
  CHECK(ratio("hermes-core-tops", {{"core.crossbar.rows_active", "128"}}) == doctest::Approx(0.5));
  CHECK(ratio("puma-latency", {{"core.crossbar.rows_active", "64"}}) == doctest::Approx(2 * 16.0 / 18).epsilon(0.15));
  // 1.5625 pJ of 16 mW * 12 of 288.96 mW: twice the energy of a conversion is 192 mW more
  CHECK(ratio("isaac-imas", {{"core.crossbar.adc.energy", "3.125 pJ"}}) ==
        doctest::Approx(1 + 192 / 288.96).epsilon(1e-4));
  CHECK(ratio("jia-tops(0.85 V)", {{"core.clock", "80 MHz"}, {"core.crossbar.read_latency", "675 ns"}}) ==
        doctest::Approx(2).epsilon(1e-3));
  CHECK(ratio("hbm2-peak", {{"global_memory.read_latency", "4 cycles"}}) == doctest::Approx(0.5));
}

TEST_CASE("anchors: does a part whose power or area nobody knows make the figure an error?") {
  CHECK_THROWS_WITH_AS(ratio("isaac-power", {{"parts", "[\"fan, 1 per chip, unknown, 1 mm2\"]"}}),
                       "anchor 'isaac-power': chip 'isaac-ce': the account misses parts: power of fan", UserError);
  CHECK_THROWS_WITH_AS(ratio("isaac-area", {{"parts", "[\"fan, 1 per chip, 1 W, unknown\"]"}}),
                       "anchor 'isaac-area': chip 'isaac-ce': the area of fan is unknown", UserError);
}

TEST_CASE("anchors: has every value of the anchors' machines a source, and is each of them used?") {
  std::set<std::string> used;
  for (const Anchor& a : read_anchors(anchors_file())) used.insert(a.chip);
  for (const std::string& name : anchor_chips()) {
    const isa::Chip chip = anchor_chip(name);
    CAPTURE(name);
    CHECK(chip.name == name);
    CHECK(used.count(name) == 1);
    for (const isa::KeyInfo& key : isa::chip_keys()) {
      const std::string value = isa::key_value(chip, key.path);
      if (value == "unknown" || value == "not used" || value == key.default_text) continue;
      CAPTURE(key.path);
      CHECK((key.path == "name" || key.path == "description" || chip.sources.count(key.path) == 1));
    }
  }
}

TEST_CASE("anchors: what do files that are wrong answer?") {
  CHECK(refusal("anchors: 3\n") == ":1:1: expected 'anchors', a list, and nothing else");
  CHECK(refusal("anchors:\n  - nam: x\n") == ":2:5: unknown key 'nam' of an anchor; nearest: 'name'");
  CHECK(refusal("anchors:\n  - kind: fited\n") == ":2:11: unknown kind 'fited'; nearest: 'fitted'");
  CHECK(refusal("anchors:\n  - published: much\n") == ":2:16: expected a number, got 'much'");
  CHECK(refusal("anchors:\n  - name: x\n").find("an anchor needs name, of, figure, chip, unit and source") !=
        std::string::npos);
  CHECK(refusal("anchors:\n  - {name: x, vary: [columns], points: [[1, 2]]}\n")
            .find("expected 1 values and published and formula") != std::string::npos);
}
