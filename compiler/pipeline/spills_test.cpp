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

namespace {
Effort spilling(Effort effort) {
  effort.spills = true;
  return effort;
}
const Effort quick{0.6, 6}, slow{0.6, 8}, frugal_one{0.4, 1};
/// Two that were planned, and their ends.
std::vector<Candidate> planned(Cycles first, Cycles second) {
  return {{quick, {}, first, "", true}, {slow, {}, second, "", true}};
}
std::vector<Effort> after_overflow(const Overflowed& one, Cycles next_end, std::vector<Effort> attempts,
                                   const Ablations& left_out = {}) {
  std::vector<Overflowed> full;
  keep_overflowed(one, 0, planned(one.predicted, next_end), left_out, full, attempts);
  CHECK(full.size() == 1);
  return attempts;
}
}  // namespace

TEST_CASE("spills: is an overflowed mapping made with spills before one that ends clearly later, or is frugal?") {
  CHECK(after_overflow({quick, 1000}, 1051, {quick, slow}) == std::vector{quick, spilling(quick), slow});
  CHECK(after_overflow({quick, 1000}, 1050, {quick, slow}) == std::vector{quick, slow});  // 5 % are no matter
  CHECK(after_overflow({quick, 1000}, 1000, {quick, frugal_one}) == std::vector{quick, spilling(quick), frugal_one});
  CHECK(after_overflow({quick, 1000}, 1000, {quick}) == std::vector{quick, spilling(quick)});
  CHECK(after_overflow({quick, 0}, 1000, {quick, frugal_one}) == std::vector{quick, frugal_one});  // a stream
  CHECK(after_overflow({quick, 1000}, 2000, {quick, slow}, {.no_spills = true}) == std::vector{quick, slow});
  CHECK(after_overflow({spilling(quick), 1000}, 2000, {spilling(quick), slow}) == std::vector{spilling(quick), slow});
}

TEST_CASE("spills: which program that spills is not taken before what follows it is tried?") {
  const auto refused = [](Cycles predicted, std::vector<Effort> attempts) {
    const bool answer = spills_too_much(predicted, 0, {{quick, 1000}}, planned(1000, 1200), attempts);
    CHECK(attempts.front().spills != answer);  // one that is refused may be asked for again
    return answer;
  };
  CHECK_FALSE(refused(1260, {spilling(quick), slow}));  // within 5 % of the next
  CHECK(refused(1261, {spilling(quick), slow}));
  CHECK_FALSE(refused(1250, {spilling(quick), frugal_one}));  // a quarter more than without spills
  CHECK(refused(1251, {spilling(quick), frugal_one}));
  std::vector<Effort> plain{quick, slow};
  CHECK_FALSE(spills_too_much(9000, 0, {{quick, 1000}}, planned(1000, 1200), plain));
  // asked for since nothing else fits, and when another that spilled did not fit either
  std::vector<Effort> last{spilling(quick)};
  CHECK_FALSE(spills_too_much(9000, 0, {}, planned(1000, 1200), last));
  CHECK_FALSE(spills_too_much(9000, 0, {{spilling(slow), 1000}}, planned(1000, 1200), last));
  CHECK_FALSE(spills_too_much(9000, 0, {{frugal_one, 1000}}, planned(1000, 1200), last));
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
