#pragma once
// The writing of cells while a schedule is made: what a core may write, how long that takes where others ask the global
// memory at the same time, and which computes have their weights.
#include <optional>
#include <vector>

#include "compiler/drivers/pim/schedule/residency.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

class Rewriting {
 public:
  Rewriting(const Spatial& spatial, const isa::Chip& chip, const MoveCosts& costs,
            const std::vector<CoreId>& class_core);

  /// The weights of a class stand in its crossbars.
  bool holds(ClassId cls) const { return rows_left_[index_of(cls)] == 0; }
  /// A compute without a class needs none.
  bool holds(const Compute& c) const { return c.cls == no_class || holds(c.cls); }
  /// A compute is done: what stands where it stood may be written over.
  void finished(const Compute& c);
  /// The next piece that this core may write, begun now; its end. Nothing: none, or computes still need the crossbars.
  std::optional<Cycles> begin(CoreId core, Cycles now) {
    return left_[core].empty() ? std::nullopt : begin_first(core, now);
  }
  /// The piece that the core began has been written; the class that this completes.
  std::optional<ClassId> end(CoreId core) { return writing_[core] ? end_writing(core) : std::nullopt; }
  /// All pieces, in the order of their start.
  std::vector<CellWrite> take();

 private:
  std::optional<Cycles> begin_first(CoreId core, Cycles now);
  std::optional<ClassId> end_writing(CoreId core);
  Cycles takes(const CellWrite& piece, Cycles now);

  const Spatial& s_;
  const isa::Chip& chip_;
  const MoveCosts& costs_;
  Residency residency_;
  std::vector<CellWrite> pieces_, done_;
  std::vector<std::vector<std::size_t>> left_;  ///< by core: pieces to write
  std::vector<std::optional<std::size_t>> writing_;
  std::vector<std::int64_t> rows_left_;  ///< by class
  std::vector<std::size_t> to_do_;       ///< by class: computes
  /// By class: those that stood in its crossbars and still have computes, and the classes that come after it.
  std::vector<std::size_t> waits_for_;
  std::vector<std::vector<ClassId>> waiting_;
  std::vector<Cycles> channel_free_;  ///< core clock
  std::size_t next_channel_ = 0;
};

}  // namespace pimento::pim
