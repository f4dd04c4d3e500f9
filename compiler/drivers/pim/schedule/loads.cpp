#include "compiler/drivers/pim/schedule/loads.hpp"

#include <algorithm>
#include <map>

#include "isa/cost/cost.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// Rows of an input that one load brings: a request to global memory costs the same for one row and for eight.
constexpr std::int32_t load_rows = 8;

class CoreLoads {
 public:
  CoreLoads(const Spatial& s, const Schedule& schedule, const isa::Chip& chip, CoreId core,
            std::span<const ComputeId> order)
      : s_(s), schedule_(schedule), chip_(chip), core_(core), readers_(order.begin(), order.end()) {
    // as an image meets them: turn by turn
    std::stable_sort(readers_.begin(), readers_.end(),
                     [&](ComputeId a, ComputeId b) { return stage_of(a) < stage_of(b); });
  }

  std::vector<std::pair<ComputeId, Access>> run() {
    find_spans();
    for (const ComputeId c : readers_)
      for_each_input(c, [&](SpatialValueId value, const PBox& box) {
        for (Span& span : spans_[value])
          if (share_columns(span.columns, box)) load(c, value, box, span);
      });
    return std::move(made_);
  }

 private:
  /// Columns of an input that are loaded together.
  struct Span {
    PBox columns;                                ///< and all rows that this core reads of them
    std::map<std::int32_t, ComputeId> last_use;  ///< by row
    std::vector<bool> loaded;                    ///< by row
  };

  const Spatial& s_;
  const Schedule& schedule_;
  const isa::Chip& chip_;
  CoreId core_;
  std::vector<ComputeId> readers_;
  std::map<SpatialValueId, std::vector<Span>> spans_;
  std::vector<std::pair<ComputeId, Access>> made_;

  std::int32_t stage_of(ComputeId c) const { return schedule_.stage_of(index_of(c)); }
  template <class Use>
  void for_each_input(ComputeId c, const Use& use) const {
    for (const Access& read : s_.computes[index_of(c)].reads) {
      const SpatialValue& value = s_.values[index_of(read.value)];
      if (value.role != ValueRole::input) continue;
      const PBox box = intersect(read.box, value.whole());
      if (!box.empty()) use(read.value, box);
    }
  }

  void find_spans() {
    std::map<SpatialValueId, std::vector<PBox>> boxes;
    for (const ComputeId c : readers_)
      for_each_input(c, [&](SpatialValueId value, const PBox& box) { join_boxes(boxes[value], box); });
    for (auto& [value, apart] : boxes) {
      while (join_cheapest(value, apart)) {}
      for (const PBox& columns : apart)
        spans_[value].push_back({columns, {}, std::vector<bool>(static_cast<std::size_t>(columns.r1), false)});
    }
    for (const ComputeId c : readers_)
      for_each_input(c, [&](SpatialValueId value, const PBox& box) {
        for (Span& span : spans_[value])
          if (share_columns(span.columns, box))
            for (std::int32_t r = box.r0; r < box.r1; ++r) span.last_use.insert_or_assign(r, c);
      });
  }
  /// Core cycles of a load of as many rows as one brings.
  Cycles load_cycles(SpatialValueId value, PBox columns) const {
    columns.r1 = std::min(columns.r1, columns.r0 + load_rows);
    const SpatialValue& v = s_.values[index_of(value)];
    const Bytes bytes = columns.elements() * size_of(v.type);
    return isa::cost::global_access_cycles(chip_, core_, bytes, false, isa::cost::expected_rows(chip_, bytes));
  }
  /// Joins the two spans that save most together, or take no longer; false where none do.
  bool join_cheapest(SpatialValueId value, std::vector<PBox>& apart) const {
    Cycles most = -1;
    std::size_t first = 0, second = 0;
    for (std::size_t a = 0; a < apart.size(); ++a)
      for (std::size_t b = a + 1; b < apart.size(); ++b) {
        const Cycles saved = load_cycles(value, apart[a]) + load_cycles(value, apart[b]) -
                             load_cycles(value, bounding(apart[a], apart[b]));
        if (saved > most) most = saved, first = a, second = b;
      }
    if (most < 0) return false;
    const PBox both = bounding(apart[first], apart[second]);
    apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(second));
    apart.erase(apart.begin() + static_cast<std::ptrdiff_t>(first));
    join_boxes(apart, both);
    return true;
  }

  void load(ComputeId c, SpatialValueId value, const PBox& want, Span& span) {
    const auto missing = [&](std::int32_t r) { return !span.loaded[static_cast<std::size_t>(r)]; };
    for (std::int32_t r = want.r0; r < want.r1; ++r) {
      if (!missing(r)) continue;
      PBox rows = span.columns;
      rows.r0 = r;
      const std::int32_t ahead = std::min(span.columns.r1, r + load_rows);
      span.loaded[static_cast<std::size_t>(r)] = true;
      while (r + 1 < std::max(want.r1, ahead) && missing(r + 1) && (r + 1 < want.r1 || may_wait(c, span, r + 1)))
        span.loaded[static_cast<std::size_t>(++r)] = true;
      rows.r1 = r + 1;
      made_.push_back({c, {value, rows}});
    }
  }
  /// Whether a row may come for a compute and stay until its last use: the next image's comes a turn later.
  bool may_wait(ComputeId from, const Span& span, std::int32_t row) const {
    const auto last = span.last_use.find(row);
    if (last == span.last_use.end()) return true;
    const std::int32_t turns = stage_of(last->second) - stage_of(from);
    const auto start = [&](ComputeId c) { return schedule_.placed[index_of(c)].start; };
    return turns <= 0 || (turns == 1 && start(last->second) < start(from));
  }
};

}  // namespace

void join_boxes(std::vector<PBox>& boxes, PBox box) {
  for (std::size_t k = 0; k < boxes.size();) {
    if (!share_columns(box, boxes[k])) {
      ++k;
      continue;
    }
    box = bounding(box, boxes[k]);
    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(k));
    k = 0;
  }
  boxes.push_back(box);
}

std::vector<std::pair<ComputeId, Access>> loads_of(const Spatial& spatial, const Schedule& schedule,
                                                   const isa::Chip& chip, CoreId core,
                                                   std::span<const ComputeId> order) {
  return CoreLoads(spatial, schedule, chip, core, order).run();
}

}  // namespace pimento::pim
