#include "validation/prediction/kendall.hpp"

#include <cmath>

#include "isa/support/error.hpp"

namespace pimento::validation {

std::optional<double> kendall_tau_b(const std::vector<Cycles>& a, const std::vector<Cycles>& b) {
  PIMENTO_CHECK(a.size() == b.size(), "two figures of the same things");
  std::int64_t alike = 0, in_a = 0, in_b = 0;  // pairs that differ in a, in b
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int x = (a[i] > a[j]) - (a[i] < a[j]), y = (b[i] > b[j]) - (b[i] < b[j]);
      alike += x * y;
      in_a += x * x;
      in_b += y * y;
    }
  if (in_a == 0 || in_b == 0) return std::nullopt;
  return static_cast<double>(alike) / std::sqrt(static_cast<double>(in_a) * static_cast<double>(in_b));
}

}  // namespace pimento::validation
