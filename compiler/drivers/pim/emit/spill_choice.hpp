#pragma once
// Which rows of one core wait in global memory. Every row of a buffer is touched at some steps; between two of them it
// waits. What is chosen is a set of waits, by two kinds of moves: a buffer gets fewer slots, which spills every wait in
// which another row needs the slot; or all its rows are away at one step. The move that takes most from the steps that
// have too little memory, per cycle of loading and storing, comes first: of rows of one size, those that wait longest.
#include <optional>

#include "compiler/drivers/pim/emit/plan.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

/// A row that waits in global memory from one step to another.
struct Spill {
  Access what;
  std::size_t buffer = 0;
  int from = 0, to = 0;
  int earliest = 0;      ///< the load may stand before this step, or before any up to `to`
  bool on_port = false;  ///< comes back from the port of its value
  bool stored = false;   ///< the same stands in global memory from an earlier wait, or on the port
  ComputeId producer{-1};
};

class SpillChoice {
 public:
  /// `plan`: of bufferise.
  SpillChoice(const EmitInput& input, const CorePlan& plan, const MoveCosts& costs);

  /// Spills until what stands at once takes no more than this at any step; false when nothing more can be spilled.
  bool fit(Bytes room);
  std::vector<Spill> chosen() const;

 private:
  /// Between two steps that touch a row.
  struct Wait {
    PBox box;              ///< all that has been written of the row; empty: no box, so it cannot be spilled
    bool on_port = false;  ///< the same stands in global memory, on the value's port
    bool spilled = false;
    ComputeId producer{-1};
  };
  struct Row {
    std::vector<int> touched;
    std::vector<Wait> waits;  ///< one fewer
  };
  struct Part {
    Buffer shape;  ///< with absences and lives
    std::vector<Row> rows;
    Bytes bytes = 0;
  };
  using Waits = std::vector<std::pair<std::size_t, std::size_t>>;  ///< (row, wait)
  struct Move {
    std::size_t part = 0;
    Waits waits;
    double worth = 0;  ///< bytes and steps relieved per cycle
  };

  void find_touches();
  std::optional<Waits> waits_for_slots(const Part& part, std::int32_t slots) const;
  std::optional<Waits> waits_at(const Part& part, int step) const;
  void consider(std::size_t part, const std::optional<Waits>& waits, int worst, std::optional<Move>& best) const;
  void set(Part& part, const Waits& waits, bool spilled) const;
  Cycles cost(const Part& part) const;
  void add_demand(const Part& part, Bytes sign);

  const EmitInput& input_;
  const CorePlan& plan_;
  const MoveCosts& costs_;
  Bytes alignment_;
  std::vector<Part> parts_;    ///< by buffer
  std::vector<Bytes> demand_;  ///< by step
  std::vector<int> short_;     ///< steps that demand more than there is
  Bytes room_ = 0;
};

}  // namespace pimento::pim
