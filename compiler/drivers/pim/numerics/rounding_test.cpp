#include "compiler/drivers/pim/numerics/rounding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include "isa/instruction/samples.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

RoundingProblem random_problem(isa::Random& random, std::int32_t reduction, std::int32_t columns,
                               std::int32_t samples) {
  RoundingProblem p;
  p.reduction = reduction;
  p.columns = columns;
  p.samples = samples;
  for (std::int32_t k = 0; k < reduction * samples; ++k) {
    p.real_inputs.push_back(static_cast<float>(random.between(0, 1000)) / 500.0F);
    p.stored_inputs.push_back(std::round(p.real_inputs.back() * 64) / 64);
  }
  for (std::int32_t k = 0; k < reduction * columns; ++k)
    p.weights.push_back(static_cast<float>(random.between(-127000, 127000)) / 1000.0F);
  return p;
}

/// Squared error of the products with some codes, over samples and columns; the offset counts where there is one.
double error_of(const RoundingProblem& p, const std::vector<float>& codes, const std::vector<double>& offset) {
  double sum = 0;
  for (std::int32_t n = 0; n < p.samples; ++n)
    for (std::int32_t c = 0; c < p.columns; ++c) {
      double ahead = -offset[static_cast<std::size_t>(c)];
      for (std::int32_t t = 0; t < p.reduction; ++t) {
        const auto x = static_cast<std::size_t>(t * p.samples + n), w = static_cast<std::size_t>(t * p.columns + c);
        ahead += static_cast<double>(p.weights[w]) * static_cast<double>(p.real_inputs[x]) -
                 static_cast<double>(codes[w]) * static_cast<double>(p.stored_inputs[x]);
      }
      sum += ahead * ahead;
    }
  return sum;
}

std::vector<float> nearest(const RoundingProblem& p) {
  std::vector<float> codes;
  for (const float w : p.weights) codes.push_back(std::round(w));
  return codes;
}

}  // namespace

TEST_CASE("rounding: is the error of the products far below that of the nearest codes?") {
  isa::Random random(3);
  for (const auto& [reduction, columns, samples] : {std::tuple{64, 3, 20}, std::tuple{64, 17, 400}}) {
    RoundingProblem p = random_problem(random, reduction, columns, samples);
    const std::vector<double> none(static_cast<std::size_t>(columns), 0.0);
    const double plain = error_of(p, nearest(p), none);
    const double kept = error_of(p, round_adaptively(p).codes, none);
    CHECK(kept < 0.7 * plain);
    p.free_offset = true;
    const Rounded rounded = round_adaptively(p);
    CHECK(error_of(p, rounded.codes, rounded.offset) < 0.7 * plain);
  }
}
TEST_CASE("rounding: does every weight go to one of its two neighbours, within the codes?") {
  isa::Random random(5);
  RoundingProblem p = random_problem(random, 40, 20, 30);
  p.weights[0] = 126.7F;
  p.weights[1] = 127.4F;
  const Rounded rounded = round_adaptively(p);
  for (std::size_t k = 0; k < p.weights.size(); ++k) {
    CHECK(rounded.codes[k] == std::round(rounded.codes[k]));
    CHECK(std::abs(rounded.codes[k]) <= 127);
    if (k != 1) CHECK(std::abs(rounded.codes[k] - p.weights[k]) < 1);
  }
}
TEST_CASE("rounding: is a weight that no input reaches the nearest code?") {
  isa::Random random(7);
  RoundingProblem p = random_problem(random, 8, 5, 12);
  for (std::int32_t n = 0; n < p.samples; ++n)
    p.real_inputs[static_cast<std::size_t>(n)] = p.stored_inputs[static_cast<std::size_t>(n)] = 0;
  const Rounded rounded = round_adaptively(p);
  for (std::size_t c = 0; c < 5; ++c) CHECK(std::abs(rounded.codes[c] - p.weights[c]) <= 0.5F);
}
