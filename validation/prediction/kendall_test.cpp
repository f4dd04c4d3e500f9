#include "validation/prediction/kendall.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("kendall: is tau-b the one summed by hand?") {
  CHECK(*kendall_tau_b({1, 2, 3, 4}, {10, 20, 30, 40}) == doctest::Approx(1));
  CHECK(*kendall_tau_b({1, 2, 3, 4}, {4, 3, 2, 1}) == doctest::Approx(-1));
  CHECK(*kendall_tau_b({1, 2, 3}, {1, 3, 2}) == doctest::Approx(1.0 / 3));  // two pairs alike, one not
  // (1, 2) is equal in a alone: 5 pairs differ there, 6 in b, and all 5 are alike: 5 / sqrt(30)
  CHECK(*kendall_tau_b({1, 1, 2, 3}, {1, 2, 3, 4}) == doctest::Approx(5 / std::sqrt(30.0)));
  CHECK_FALSE(kendall_tau_b({1, 1}, {1, 2}).has_value());
}
