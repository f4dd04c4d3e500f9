#pragma once
// Rows of a matrix product differ in where they stand: the operations of one are those of another with their rows
// moved, so one of them is selected.
#include <map>
#include <optional>
#include <vector>

#include "compiler/drivers/pim/lower/operations.hpp"

namespace pimento::pim {

class RowsAlike {
 public:
  RowsAlike(const SelectContext& context, const Spatial& spatial) : context_(context), spatial_(spatial) {}

  /// From an earlier compute that differs in its rows only; nothing where there is none, or where rows may differ in
  /// more: several images one after another, an epilogue with constants by row, anything but a matrix product.
  std::optional<Selected> of(std::size_t compute, const Operations& before);

 private:
  /// How far an access moves with each row of the result.
  std::optional<std::int32_t> stride(const Body& body, const Compute& c, std::size_t read) const;
  /// `written`: what its computes write, whose layout is the node's.
  bool moves_with_rows(const Body& body, const SpatialValue& written);

  const SelectContext& context_;
  const Spatial& spatial_;
  std::map<std::vector<std::int32_t>, std::size_t> first_;  ///< by all of a compute but its rows
  std::map<std::int32_t, bool> known_;                      ///< by node: its epilogue does the same in every row
};

}  // namespace pimento::pim
