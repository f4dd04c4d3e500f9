#pragma once
// A run as one picture: a row per core, time from left to right, coloured by the layer (ONNX node) that its vector and
// matrix units worked for most; grey is waiting. Memory does not grow with the run: when time outgrows the columns,
// neighbouring columns are joined.
#include <array>
#include <string>
#include <vector>

#include "isa/program/program.hpp"
#include "simulator/observe/timeline.hpp"

namespace pimento::cli {

class TimelinePicture final : public sim::Observer {
 public:
  TimelinePicture(const isa::Program& program, const isa::Chip& chip, sim::Span span);

  void executed(const sim::Executed& event) override;
  void transferred(const sim::Transferred& event) override;
  void served(const sim::MemoryService&) override {}
  std::string svg() const;

 private:
  struct Column {
    Cycles busy = 0, waiting = 0;
    std::uint32_t node = 0;  ///< of most of `busy`, by a weighted majority vote
    Cycles lead = 0;         ///< of `node` over the others
    void vote(std::uint32_t of, Cycles cycles);
  };
  static constexpr std::size_t columns = 1024;

  /// Calls `add(column, cycles)` for each column that [from, to) touches.
  template <class Add>
  void spread(CoreId core, Cycles from, Cycles to, const Add& add);
  void join_columns();

  const isa::Program& program_;
  const isa::Chip& chip_;
  sim::Span span_;
  Cycles width_ = 1;  ///< of a column
  Cycles end_ = 0;
  std::vector<std::array<Column, columns>> cores_;
};

}  // namespace pimento::cli
