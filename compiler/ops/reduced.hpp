#pragma once
// A tensor with some axes reduced: the kept shape (reduced extents are 1) and the axes of kernels that reduce.
#include "compiler/ops/define.hpp"

namespace pimento::ops {

struct Reduced {
  Shape shape;             ///< of the operand
  std::vector<bool> gone;  ///< per dimension: it is reduced
  Shape kept_shape;        ///< reduced extents are 1
  Shape squeezed;          ///< reduced extents are left out
  std::int64_t count = 1;  ///< elements that one result takes in

  /// Over input 0; refuses axes outside its rank.
  Reduced(const Call& c, const std::vector<std::int64_t>& axes);
  /// Over the operand seen under another shape; the axes are its own.
  Reduced(Shape view, const std::vector<std::int64_t>& axes);

  struct KernelAxes {
    Axes source;  ///< position in the operand
    Axes target;  ///< position in the kept shape
  };
  /// A parallel axis per kept dimension, a reduction axis per reduced one.
  KernelAxes axes(Formula& k) const;
  /// Element of a tensor of the kept shape that belongs to position `at` of the operand.
  Expr reduced_at(const Formula::Operand& t, const Axes& at) const;
  /// Row-major position of `at` among the reduced dimensions.
  Expr position(const Axes& at) const;
};

}  // namespace pimento::ops
