#pragma once
// The rows that the banks of one channel hold open: an access leaves its row open until another row of its bank is
// wanted. Transfers whose addresses are data count as conflicts throughout and leave behind rows that nobody knows, so
// that time cannot depend on values.
#include <vector>

#include "isa/cost/rows.hpp"
#include "simulator/core/place.hpp"

namespace pimento::sim {

/// The bytes of the global memory that a load or store touches: segment k begins at place.start(k, stride).
struct GlobalView {
  Place place;
  std::int64_t count = 0, bytes = 0, stride = 0;
  bool indexed = false;
  bool is_joined() const { return !indexed && (stride == bytes || count == 1); }
};
/// Of a load, store, gload or gstore.
GlobalView global_view(const isa::Instruction& instruction, const Places& places);

class OpenRows {
 public:
  explicit OpenRows(const isa::Chip& chip);
  /// What the accesses of a request find, in their order. An access belongs to the row of its first byte.
  isa::cost::RowAccesses serve(const GlobalView& view, std::int64_t accesses);

 private:
  static constexpr std::int64_t closed = -1, not_known = -2;
  const isa::Chip& chip_;
  std::vector<std::int64_t> open_;  ///< by bank; empty without rows
};

}  // namespace pimento::sim
