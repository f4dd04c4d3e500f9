#include "validation/bench/eigen_products.hpp"

#include <Eigen/Core>

namespace pimento::bench {
namespace {

Eigen::MatrixXf filled(std::int64_t rows, std::int64_t cols) {
  Eigen::MatrixXf m(rows, cols);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = static_cast<float>(i % 255 - 127) / 64;
  return m;
}

}  // namespace

double EIGEN_PRODUCTS(const std::vector<Product>& products, double (*seconds)()) {
  double all = 0;
  for (const Product& p : products) {
    const Eigen::MatrixXf weights = filled(p.outputs, p.inputs), positions = filled(p.inputs, p.positions);
    Eigen::MatrixXf results(p.outputs, p.positions);
    const double start = seconds();
    for (std::int64_t n = 0; n < p.times; ++n) results.noalias() = weights * positions;
    all += seconds() - start;
  }
  return all;
}

}  // namespace pimento::bench
