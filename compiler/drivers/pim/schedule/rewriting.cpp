#include "compiler/drivers/pim/schedule/rewriting.hpp"

#include <algorithm>

#include "isa/cost/service.hpp"
#include "isa/support/error.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {

Rewriting::Rewriting(const Spatial& s, const isa::Chip& chip, const MoveCosts& costs,
                     const std::vector<CoreId>& class_core)
    : s_(s),
      chip_(chip),
      costs_(costs),
      left_(static_cast<std::size_t>(chip.cores)),
      writing_(static_cast<std::size_t>(chip.cores)),
      rows_left_(s.classes.size(), 0),
      waits_for_(s.classes.size(), 0),
      waiting_(s.classes.size()),
      channel_free_(static_cast<std::size_t>(std::max(chip.global_memory.channels, 1)), 0) {
  for (const TileClass& c : s.classes) to_do_.push_back(c.computes.size());
  if (rounds_of(s) == 1) return;
  residency_ = make_residency(s, chip, class_core);
  for (std::size_t c = 0; c < s.classes.size(); ++c)
    for (const ClassId before : residency_.displaced[c])
      if (to_do_[index_of(before)] > 0) {
        ++waits_for_[c];
        waiting_[index_of(before)].push_back(ClassId{static_cast<std::int32_t>(c)});
      }
  pieces_ = cell_writes(s, chip, class_core, residency_);
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    left_[pieces_[k].core].push_back(k);
    rows_left_[index_of(pieces_[k].cls)] += pieces_[k].count;
  }
}

void Rewriting::finished(const Compute& c) {
  if (c.cls == no_class || --to_do_[index_of(c.cls)] > 0) return;
  for (const ClassId next : waiting_[index_of(c.cls)]) --waits_for_[index_of(next)];
}

std::optional<Cycles> Rewriting::begin_first(CoreId core, Cycles now) {
  std::vector<std::size_t>& left = left_[core];
  const auto may = [&](std::size_t piece) { return waits_for_[index_of(pieces_[piece].cls)] == 0; };
  const auto at = std::find_if(left.begin(), left.end(), may);
  if (at == left.end()) return std::nullopt;
  CellWrite& piece = pieces_[*at];
  piece.start = now;
  piece.end = now + std::max<Cycles>(1, takes(piece, now));
  writing_[core] = *at;
  left.erase(at);
  done_.push_back(piece);
  return piece.end;
}

std::optional<ClassId> Rewriting::end_writing(CoreId core) {
  const CellWrite& piece = pieces_[*writing_[core]];
  writing_[core].reset();
  rows_left_[index_of(piece.cls)] -= piece.count;
  if (!holds(piece.cls)) return std::nullopt;
  return piece.cls;
}

/// The global memory serves one after the other; the core waits, then writes.
Cycles Rewriting::takes(const CellWrite& piece, Cycles now) {
  const Bytes bytes = bytes_of(piece, s_);
  const Cycles service = ceil_div(isa::cost::expected_service(chip_, bytes, false), chip_.core.clock.period_fs);
  Cycles& free = channel_free_[next_channel_++ % channel_free_.size()];
  const Cycles waits = std::max<Cycles>(0, free - now);
  free = now + waits + service;
  return waits + costs_.load(piece.core, bytes) + isa::cost::write(chip_, instruction_of(piece, s_)).total();
}

std::vector<CellWrite> Rewriting::take() {
  for (const auto& left : left_) PIMENTO_CHECK(left.empty(), "cells were never written");
  std::stable_sort(done_.begin(), done_.end(),
                   [](const CellWrite& a, const CellWrite& b) { return a.start < b.start; });
  return std::move(done_);
}

}  // namespace pimento::pim
