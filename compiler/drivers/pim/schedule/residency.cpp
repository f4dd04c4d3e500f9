#include "compiler/drivers/pim/schedule/residency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "isa/program/array_groups.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {
namespace {

/// The array groups of one core.
class Packer {
 public:
  Packer(const Spatial& s, const isa::Chip& chip, Residency& out, CoreId core)
      : s_(s), chip_(chip), out_(out), groups_(out.groups[core]) {}

  /// `classes`: of this core, in order of round and number.
  void run(const std::vector<ClassId>& classes) {
    for (std::size_t begin = 0; begin < classes.size();) {
      std::size_t end = begin;
      while (end < classes.size() && round(classes[end]) == round(classes[begin])) ++end;
      const std::vector<isa::Group> before = groups_;
      place(classes, begin, end);
      if (overlap(groups_, before.size())) {
        // the end of the ring is too small for what meets it: the round begins at the first crossbar
        groups_ = before;
        fill_to_the_end();
        place(classes, begin, end);
      }
      begin = end;
    }
    find_displaced(classes);
  }

 private:
  const Spatial& s_;
  const isa::Chip& chip_;
  Residency& out_;
  std::vector<isa::Group>& groups_;

  std::int32_t round(ClassId c) const { return s_.classes[index_of(c)].round; }
  std::size_t first(ClassId c) const { return out_.first_group[index_of(c)]; }

  void place(const std::vector<ClassId>& classes, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const TileClass& each = s_.classes[index_of(classes[k])];
      out_.first_group[index_of(classes[k])] = static_cast<GroupId>(groups_.size());
      for (std::int32_t t = each.tile; t < each.tile + each.tile_count; ++t) {
        const isa::cost::TileShape& shape = s_.tiles[static_cast<std::size_t>(t)].shape;
        groups_.push_back({isa::no_tile, shape.crossbar_rows, shape.crossbar_cols});
      }
    }
  }
  bool share(const std::vector<std::int64_t>& first, std::size_t a, std::size_t b) const {
    return first[a] < first[b] + isa::crossbars_of(groups_[b]) && first[b] < first[a] + isa::crossbars_of(groups_[a]);
  }
  /// Groups from `begin` on meet each other.
  bool overlap(const std::vector<isa::Group>& groups, std::size_t begin) const {
    const std::vector<std::int64_t> at = isa::first_crossbars(groups, chip_.core.crossbars);
    for (std::size_t a = begin; a < groups.size(); ++a)
      for (std::size_t b = a + 1; b < groups.size(); ++b)
        if (share(at, a, b)) return true;
    return false;
  }
  void fill_to_the_end() {
    if (groups_.empty()) return;
    std::int64_t at = isa::first_crossbars(groups_, chip_.core.crossbars).back() + isa::crossbars_of(groups_.back());
    while (at < chip_.core.crossbars) {
      const std::int64_t width = std::min<std::int64_t>(chip_.core.crossbars - at, chip_.core.array_group.max_columns);
      groups_.push_back({isa::no_tile, 1, static_cast<std::int32_t>(width)});
      at += width;
    }
  }
  void find_displaced(const std::vector<ClassId>& classes) {
    const std::vector<std::int64_t> at = isa::first_crossbars(groups_, chip_.core.crossbars);
    const auto meet = [&](ClassId a, ClassId b) {
      const auto tiles = [&](ClassId c) { return static_cast<std::size_t>(s_.classes[index_of(c)].tile_count); };
      for (std::size_t x = first(a); x < first(a) + tiles(a); ++x)
        for (std::size_t y = first(b); y < first(b) + tiles(b); ++y)
          if (share(at, x, y)) return true;
      return false;
    };
    for (std::size_t k = 0; k < classes.size(); ++k) {
      std::vector<ClassId>& displaced = out_.displaced[index_of(classes[k])];
      for (std::size_t e = 0; e < k && round(classes[e]) < round(classes[k]); ++e)
        if (meet(classes[e], classes[k])) displaced.push_back(classes[e]);
      out_.at_start[index_of(classes[k])] = displaced.empty();
      const TileClass& each = s_.classes[index_of(classes[k])];
      for (std::int32_t t = 0; t < each.tile_count && displaced.empty(); ++t)
        groups_[first(classes[k]) + static_cast<std::size_t>(t)].tile = static_cast<std::uint32_t>(each.tile + t);
    }
  }
};

/// Rows that one write brings: a part of local memory, and no more than keeps a core from its messages for long.
std::int32_t rows_at_once(const WeightTile& tile, const isa::Chip& chip) {
  constexpr Bytes most = 16384;
  const Bytes bytes = std::min(most, chip.core.local_memory.capacity / 32);
  return static_cast<std::int32_t>(std::max<Bytes>(1, bytes / std::max<Bytes>(1, tile.row_bytes())));
}

}  // namespace

Residency make_residency(const Spatial& s, const isa::Chip& chip, const std::vector<CoreId>& class_core) {
  Residency r;
  r.groups.resize(static_cast<std::size_t>(chip.cores));
  r.first_group.assign(s.classes.size(), 0);
  r.at_start.assign(s.classes.size(), true);
  r.displaced.resize(s.classes.size());
  std::vector<std::vector<ClassId>> classes(static_cast<std::size_t>(chip.cores));
  for (std::size_t c = 0; c < s.classes.size(); ++c)
    classes[class_core[c]].push_back(ClassId{static_cast<std::int32_t>(c)});
  for (std::size_t core = 0; core < classes.size(); ++core) {
    std::stable_sort(classes[core].begin(), classes[core].end(),
                     [&](ClassId a, ClassId b) { return s.classes[index_of(a)].round < s.classes[index_of(b)].round; });
    Packer(s, chip, r, static_cast<CoreId>(core)).run(classes[core]);
  }
  return r;
}

std::vector<CellWrite> cell_writes(const Spatial& s, const isa::Chip& chip, const std::vector<CoreId>& class_core,
                                   const Residency& residency) {
  std::vector<CellWrite> all;
  std::vector<std::size_t> order(s.classes.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return s.classes[a].round < s.classes[b].round; });
  for (const std::size_t c : order) {
    if (residency.at_start[c]) continue;
    const TileClass& each = s.classes[c];
    for (std::int32_t t = each.tile; t < each.tile + each.tile_count; ++t) {
      const WeightTile& tile = s.tiles[static_cast<std::size_t>(t)];
      const std::int32_t rows = tile.shape.rows, step = rows_at_once(tile, chip);
      for (std::int32_t row = 0; row < rows; row += step)
        all.push_back({ClassId{static_cast<std::int32_t>(c)}, t, row, std::min(step, rows - row), class_core[c]});
    }
  }
  return all;
}

Bytes bytes_of(const CellWrite& w, const Spatial& s) {
  return s.tiles[static_cast<std::size_t>(w.tile)].row_bytes() * w.count;
}

isa::Instruction instruction_of(const CellWrite& w, const Spatial& s) {
  isa::Instruction write;
  write.opcode = isa::Opcode::write;
  write.tag = static_cast<std::uint32_t>(w.tile);
  write.imm = w.row;
  write.count = w.count;
  write.len = write.stride_a = static_cast<std::int32_t>(s.tiles[static_cast<std::size_t>(w.tile)].row_bytes());
  return write;
}

std::string verify_writes(const Schedule& schedule, const Spatial& s, const isa::Chip& chip) {
  if (rounds_of(s) == 1 && schedule.writes.empty()) return "";
  const Residency residency = make_residency(s, chip, schedule.class_core);
  std::vector<std::vector<std::int32_t>> rows;  // written so far: by class and tile
  for (const TileClass& c : s.classes) rows.emplace_back(static_cast<std::size_t>(c.tile_count), 0);
  std::vector<std::pair<Cycles, Cycles>> written(s.classes.size(), {-1, -1});
  std::vector<std::vector<std::pair<Cycles, Cycles>>> busy(static_cast<std::size_t>(chip.cores));
  for (const CellWrite& w : schedule.writes) {
    const std::size_t c = index_of(w.cls);
    if (c >= s.classes.size()) return fmt::format("class {} is written, there are {}", c, s.classes.size());
    if (w.core != schedule.class_core[c]) return fmt::format("class {} is written on core {}", c, w.core);
    const auto t = static_cast<std::size_t>(w.tile - s.classes[c].tile);
    if (t >= rows[c].size()) return fmt::format("class {}: tile {} is written, which is another's", c, w.tile);
    if (w.row != rows[c][t] || w.count < 1)
      return fmt::format("class {}: rows {}:{} of tile {} are written, row {} comes next", c, w.row, w.row + w.count,
                         w.tile, rows[c][t]);
    rows[c][t] += w.count;
    if (written[c].first < 0) written[c].first = w.start;
    written[c].second = std::max(written[c].second, w.end);
    busy[w.core].emplace_back(w.start, w.end);
  }
  for (std::size_t c = 0; c < s.classes.size(); ++c)
    for (std::size_t t = 0; t < rows[c].size(); ++t) {
      const std::size_t tile = static_cast<std::size_t>(s.classes[c].tile) + t;
      const std::int32_t expected = residency.at_start[c] ? 0 : s.tiles[tile].shape.rows;
      if (rows[c][t] != expected)
        return fmt::format("class {}: {} rows of tile {} are written, expected {}", c, rows[c][t], tile, expected);
    }
  for (std::size_t i = 0; i < s.computes.size(); ++i) {
    const Placed& p = schedule.placed[i];
    busy[p.core].emplace_back(p.start, p.end);
    const ClassId cls = s.computes[i].cls;
    if (cls == no_class) continue;
    if (const Cycles end = written[index_of(cls)].second; end > p.start)
      return fmt::format("compute {} starts at {}, the cells of its class are written until {}", i, p.start, end);
  }
  for (std::size_t c = 0; c < s.classes.size(); ++c)
    for (const ClassId earlier : residency.displaced[c])
      for (const ComputeId id : s.classes[index_of(earlier)].computes)
        if (schedule.placed[index_of(id)].end > written[c].first)
          return fmt::format("class {} is written from {} on, compute {} of class {} needs the crossbars until {}", c,
                             written[c].first, index_of(id), index_of(earlier), schedule.placed[index_of(id)].end);
  for (std::size_t core = 0; core < busy.size(); ++core) {
    std::sort(busy[core].begin(), busy[core].end());
    for (std::size_t k = 1; k < busy[core].size(); ++k)
      if (busy[core][k].first < busy[core][k - 1].second)
        return fmt::format("core {} does two things at {}", core, busy[core][k].first);
  }
  return "";
}

}  // namespace pimento::pim
