#include "validation/cases/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "validation/cases/ports.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {
ir::Tensor tensor(const std::vector<double>& values) {
  return ir::Tensor::of({ElementType::f32, {2, static_cast<std::int64_t>(values.size()) / 2}}, values);
}
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("compare: what is said of one wrong element?") {
  const Comparison c = compare("y", tensor({1, 2, 3, 4}), tensor({1, 2, 3.5, 4}), 0.1);
  CHECK(c.max_absolute == 0.5);
  CHECK(c.absolute_maximum == 4);
  CHECK(c.max_relative == 0.125);
  CHECK(c.differing == 1);
  REQUIRE(c.first);
  CHECK(to_string(c.first->index) == "[1, 0]");
  CHECK(c.first->expected == 3);
  CHECK(c.first->got == 3.5);
  CHECK(*c.sqnr_db == doctest::Approx(10 * std::log10((1 + 4 + 9 + 16) / 0.25)));
}
TEST_CASE("compare: is what lies at the tolerance still equal, and just beyond it not?") {
  CHECK(compare("y", tensor({0, 4}), tensor({0.5, 4}), 0.125).differing == 0);
  CHECK(compare("y", tensor({0, 4}), tensor({0.5625, 4}), 0.125).differing == 1);
}
TEST_CASE("compare: what do NaN and infinities meet?") {
  CHECK(compare("y", tensor({not_a_number, infinity}), tensor({not_a_number, infinity}), 1e-4).differing == 0);
  CHECK(compare("y", tensor({not_a_number, 1}), tensor({1, 1}), 1e-4).differing == 1);
  CHECK(compare("y", tensor({infinity, 1}), tensor({-infinity, 1}), 1e-4).differing == 1);
}
TEST_CASE("compare: is there no SQNR without a difference, and the lowest one without a signal?") {
  CHECK_FALSE(compare("y", tensor({1, 2}), tensor({1, 2}), 0).sqnr_db);
  CHECK(*compare("y", tensor({0, 0}), tensor({1, 0}), 0).sqnr_db == -infinity);
}

TEST_CASE("ports: does a tensor survive the way into a port and back?") {
  isa::Port port;
  port.name = "x";
  port.shape = {1, 3, 2, 2};
  port.layout = {0, 2, 3, 1};  // channels innermost
  port.type = ElementType::i8;
  port.scale = 0.5;
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(0.5 * (i - 6));
  const ir::Tensor x = ir::Tensor::of(port_type(port), values);
  const sim::PortData data = encode(port, x);
  CHECK(data.bytes.size() == 12);
  CHECK(static_cast<std::int8_t>(data.bytes[1]) == 4 - 6);  // channel 1 of the first position stands second
  CHECK(physical_position(port, 4) == 1);
  CHECK(decode(port, {data.bytes, {}, {}}) == x);
  CHECK(decode(port, {data.bytes, data.real, {}}) == x);
}
TEST_CASE("ports: is a number beyond the codes saturated, and a tie rounded to even?") {
  isa::Port port;
  port.shape = {4};
  port.layout = {0};
  port.type = ElementType::u8;
  const sim::PortData data = encode(port, ir::Tensor::of(port_type(port), {-3, 300, 2.5, 3.5}));
  CHECK(data.bytes == std::vector<std::uint8_t>{0, 255, 2, 4});
  CHECK(data.real == std::vector<float>{-3, 300, 2.5, 3.5});
}
