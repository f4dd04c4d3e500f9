#pragma once
// A tensor in local memory as the kernels see it: where the element of a logical index stands, and what its bits mean.
#include <memory>
#include <optional>

#include "compiler/drivers/pim/lower/constants.hpp"
#include "compiler/drivers/pim/lower/nest.hpp"

namespace pimento::pim {

/// real = scale * columns[index] * stored, then max(0, .) where `relu` still stands to be done. The shadow of exact
/// numerics holds real / factor: a multiplication by a constant that no instruction has done yet.
struct Meaning {
  double scale = 1, factor = 1;
  bool relu = false;
  std::shared_ptr<const std::vector<double>> columns;  ///< null: 1 everywhere
  bool plain() const { return !relu && !columns && factor == 1; }
};

struct Stored {
  View place;  ///< steps: per logical dimension; origin: of logical index 0
  ir::Shape shape;
  Meaning meaning;
  /// With columns: index into them = column_origin + sum of column_steps * index.
  std::vector<std::int64_t> column_steps;
  std::int64_t column_origin = 0;
};

/// Logical dimensions to coordinates of a layout: steps per dimension.
std::vector<Stride> layout_steps(const Layout& layout, const ir::Shape& shape);
Stored stored_value(const SelectContext& context, SpatialValueId id, const ir::Shape& shape);

/// What stands over a nest of axes, by kernel axis.
Stored stored_by_axis(const View& over_dims, const std::vector<int>& dims, const Domain& domain, double scale);
/// The view of such a thing over a part of the domain.
View view_by_axis(const Stored& stored, const std::vector<int>& dims, const Domain& domain);

/// The index expressions of a load, in the dimensions of `shape` (which has as many elements as the operand's own type:
/// the tensor is seen row-major under either).
std::vector<ir::Expr> indices_in(const std::vector<ir::Expr>& indices, const ir::Shape& own, const ir::Shape& shape);

/// Boxes of a mixed radix (outermost extent first) that make up the range [begin, end) of its flat index.
std::vector<ir::Box> mixed_radix_boxes(std::int64_t begin, std::int64_t end, const ir::Shape& extents);
/// Boxes under `to` that hold exactly the elements of `box` under `from`; both shapes are row-major views of one
/// tensor.
std::vector<ir::Box> boxes_in(const ir::Box& box, const ir::Shape& from, const ir::Shape& to);
/// Logical boxes that make up a physical one; more than one where rows mix dimensions.
std::vector<ir::Box> logical_boxes(const Layout& layout, const ir::Shape& shape, const PBox& box);

}  // namespace pimento::pim
