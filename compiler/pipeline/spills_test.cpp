// Which mappings are made with spills, in which order, and is what was spilled said?
#include "compiler/pipeline/spills.hpp"

#include <doctest/doctest.h>

using namespace pimento;

TEST_CASE("spills: does the mapping that would have ended first come first, and none that may not spill?") {
  const Effort frugal{0.0, 1}, quick{0.6, 3};
  Effort overlapping{1.0, 2};
  overlapping.overlaps = true;
  const auto with = [](Effort effort) {
    effort.spills = true;
    return effort;
  };
  const std::vector<Overflowed> full{{frugal, 900}, {overlapping, 100}, {quick, 300}, {frugal, 900}};
  std::vector<Effort> attempts{quick, frugal};
  append_spilling(full, {}, attempts);
  CHECK(attempts == std::vector<Effort>{quick, frugal, with(quick), with(frugal)});
  append_spilling({{with(quick), 300}}, {}, attempts);  // these overflowed as well
  CHECK(attempts.size() == 4);
  std::vector<Effort> none;
  append_spilling(full, {.no_spills = true}, none);
  CHECK(none.empty());
}

TEST_CASE("spills: does the note say what the record says?") {
  proof::Record record;
  std::string said;
  const auto note = [&](const std::string& text) { said += text; };
  note_spills({}, note, record);
  CHECK(said.empty());
  CHECK(record.absent.at("spills") == nothing_spilled);
  CHECK(record.absent.at("spill_bytes") == nothing_spilled);
  note_spills({.stores = 1, .loads = 2, .stored = 8, .loaded = 16, .cores = 1}, note, record);
  CHECK(said == "spilled to global memory: 1 store of 8 B and 2 loads of 16 B on 1 core, which take cycles and energy");
  CHECK(record.figures.at("spills") == 3);
  CHECK(record.figures.at("spill_bytes") == 24);
  CHECK(record.absent.empty());
}
