// The verifier of the spatial program is shown a fault for each of its rules.
#include <doctest/doctest.h>

#include <functional>

#include "compiler/drivers/pim/spatial/drawing.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

/// x is read by a product with tile 0 that makes a, a by a vector compute that makes y.
Drawing drawn() {
  Drawing d;
  const auto x = d.value("x", ValueRole::input);
  const auto a = d.value("a");
  d.compute(a, {x}, 50, d.weights());
  d.compute(d.value("y", ValueRole::output), {a}, 5);
  return d;
}
std::string said(const std::function<void(Spatial&)>& fault) {
  Drawing d = drawn();
  fault(d.s);
  return verify(d.s, row_of(2));
}

}  // namespace

TEST_CASE("spatial verifier: is a sound program accepted?") {
  CHECK(said([](Spatial&) {}) == "");
}

TEST_CASE("spatial verifier: is an input that is written refused?") {
  CHECK(said([](Spatial& s) { s.computes[0].write.value = SpatialValueId{0}; }) ==
        "value 'x' is an input and is written");
}

TEST_CASE("spatial verifier: are writes outside of a value, twice and too few refused?") {
  CHECK(said([](Spatial& s) { s.computes[1].write.box.c1 = 9; }) ==
        "compute 1 writes [r 0:1, p 0:1, c 0:9] outside value 'y' [r 0:1, p 0:1, c 0:8]");
  CHECK(said([](Spatial& s) { s.computes[1].write.box.r1 = 3; }) ==
        "compute 1 writes [r 0:3, p 0:1, c 0:8] outside value 'y' [r 0:1, p 0:1, c 0:8]");
  CHECK(said([](Spatial& s) { s.computes[1].write = s.computes[0].write; }) ==
        "computes 0 and 1 both write 'a' [r 0:1, p 0:1, c 0:8]");
  CHECK(said([](Spatial& s) { s.computes[1].write.box.c0 = 3; }) == "value 'y': 5 of 8 elements are written");
}

TEST_CASE("spatial verifier: is a compute that reads what is written later refused?") {
  CHECK(said([](Spatial& s) {
          s.computes[0].reads = {{SpatialValueId{2}, s.values[2].whole()}};
        }) == "compute 0 reads what compute 1 writes later");
}

TEST_CASE("spatial verifier: are classes where they do not belong refused?") {
  CHECK(said([](Spatial& s) { s.computes[1].cls = ClassId{0}; }) ==
        "compute 1: a class belongs to MVM computes and to no others");
  CHECK(said([](Spatial& s) { s.computes[0].cls = no_class; }) ==
        "compute 0: a class belongs to MVM computes and to no others");
  CHECK(said([](Spatial& s) { s.classes[0].tile = 7; }) == "compute 0: class of tile 7, body of tile 0");
}

TEST_CASE("spatial verifier: are lanes that stray or are missing refused?") {
  CHECK(said([](Spatial& s) { s.batches[1].lanes.push_back(ComputeId{1}); }) ==
        "compute 1 is a lane of batch 1, names another");
  CHECK(said([](Spatial& s) { s.batches[0].lanes.clear(); }) == "1 lanes, 2 computes");
}

TEST_CASE("spatial verifier: are more crossbars than a core, or than the chip, has refused?") {
  CHECK(said([](Spatial& s) { s.classes[0].crossbars = 3; }) == "a copy of tile 0 takes 3 crossbars, a core has 2");
  CHECK(said([](Spatial& s) {
          for (int n = 0; n < 4; ++n) s.classes.push_back(s.classes[0]);
        }) == "5 crossbars used, 4 on the chip");
}
