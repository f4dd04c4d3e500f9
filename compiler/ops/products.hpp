#pragma once
// The formulas of convolution and matrix product, shared by their float and their integer forms.
#include "compiler/ops/window.hpp"

namespace pimento::ops {

/// What a form adds to the plain sum of products X * W, A * B (inputs 0 and 1).
struct ProductForm {
  std::int64_t left_zero = 0;              ///< subtracted from the left operand, whose padding it is
  std::vector<std::int64_t> right_zero{};  ///< subtracted from the right one: none, one, or one per filter or column
  int bias = -1;                           ///< convolution: the input added to the sum; -1: none
  /// The result from the sum; `channel` is the filter or column. Empty: the sum converted to the output's type.
  std::function<Expr(const Expr& sum, const Expr& channel)> finish{};
};

/// The zero point that belongs to a channel, as i64; empty when there is none.
Expr zero_of(const std::vector<std::int64_t>& zeros, const Expr& channel);

Shape kernel_of(const Call& c);
/// kernel_shape only repeats the weight's shape: checks it and drops it, and makes the window explicit.
void normalise_convolution(OnnxNode& n);
/// Shape of the result; checks channels, groups and filters.
Shape convolution_shape(const Call& c);
void convolution(const Call& c, Sequence& s, const ProductForm& form);

Shape matrix_product_shape(const Call& c);
void matrix_product(const Call& c, Sequence& s, const ProductForm& form);

}  // namespace pimento::ops
