#pragma once
// What of a kernel is known at compile time: expressions over axes and constant operands, and accumulators of such.
// They are evaluated at points; nothing of them is computed on the chip.
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/kernel.hpp"

namespace pimento::pim {

/// Ranges of all axes of a kernel, by axis index; an axis that does not matter has one point.
using Domain = std::vector<ir::Range>;
using Point = std::vector<std::int64_t>;

class Constants {
 public:
  /// `contents`: one per operand, null where the content is not known.
  Constants(const ir::Kernel& kernel, std::vector<const ir::Tensor*> contents);

  const ir::Kernel& kernel() const { return kernel_; }
  /// Null where it is not known.
  const ir::Tensor* content(int operand) const { return contents_[static_cast<std::size_t>(operand)]; }
  bool known(const ir::Expr& e) const;
  ir::Scalar at(const ir::Expr& e, const Point& axes) const;
  /// Adds the axes that the expression depends on.
  void mark_axes(const ir::Expr& e, std::vector<bool>& used) const;

 private:
  ir::Scalar load(const ir::Load& load, const Point& axes) const;
  ir::Scalar accumulated(int accumulator, const Point& axes) const;
  bool known_accumulator(int accumulator) const;
  const ir::Kernel& kernel_;
  std::vector<const ir::Tensor*> contents_;
  mutable std::map<const void*, std::pair<ir::Expr, bool>> known_;  ///< holds the nodes, so that no address is reused
};

/// Cuts the domain where conditions on axes alone change (selections, reads that leave their operand, the guard):
/// `visit` gets each part with the expression as it reads there. `guard` may be empty; parts where it fails are left
/// out.
void for_uniform(const Constants& constants, const ir::Expr& e, const ir::Expr& guard, const Domain& domain,
                 const std::function<void(const ir::Expr&, const Domain&)>& visit);

/// The expression as it reads all over the domain; nothing where some condition changes in it or the guard fails.
std::optional<ir::Expr> where_uniform(const Constants& constants, const ir::Expr& e, const ir::Expr& guard,
                                      const Domain& domain);

}  // namespace pimento::pim
