#pragma once
// A network's matrix products in Eigen, in f32: one source, built for plain x86-64 and for AVX2 with FMA, each in a
// library of its own, since Eigen's inline functions of the two must not meet.
#include <cstdint>
#include <vector>

namespace pimento::bench {

/// [outputs x inputs] by [inputs x positions], so many times.
struct Product {
  std::int64_t outputs = 0, inputs = 0, positions = 0, times = 1;
};

/// Seconds by that clock for all of them, matrices already filled.
__attribute__((visibility("default"))) double eigen_products_plain(const std::vector<Product>& products,
                                                                   double (*seconds)());
__attribute__((visibility("default"))) double eigen_products_avx2(const std::vector<Product>& products,
                                                                  double (*seconds)());

}  // namespace pimento::bench
