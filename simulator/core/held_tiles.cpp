#include "simulator/core/held_tiles.hpp"

#include <fmt/format.h>

#include "isa/support/error.hpp"
#include "simulator/core/code.hpp"

namespace pimento::sim {

HeldTiles::HeldTiles(const isa::Program& program, CoreId core, const std::vector<std::vector<std::uint32_t>>& sharing)
    : program_(program), core_(core), sharing_(sharing), last_(program.cores[core].groups.size(), 0) {
  for (const isa::Group& group : program.cores[core].groups) held_.push_back({group.tile, 0});
}

std::uint32_t HeldTiles::use(std::uint32_t group, std::uint32_t instruction) {
  const Held& held = held_.at(group);
  if (held.rows_left > 0)
    throw UserError(fmt::format("{}: array group {} still lacks {} rows of tile {}",
                                describe(program_, core_, instruction), group, held.rows_left, held.tile));
  touch(group, true);
  return held.tile;
}

void HeldTiles::write(const isa::Instruction& i, std::uint32_t instruction) {
  Held& held = held_.at(i.target);
  const bool by_rows = i.opcode == isa::Opcode::write;
  touch(i.target, by_rows && i.imm != 0);
  std::int32_t left = 0;
  if (by_rows) {
    const std::int32_t rows = program_.tiles.at(i.tag).rows;
    if (i.imm != 0 && (held.tile != i.tag || i.imm != rows - held.rows_left))
      throw UserError(fmt::format("{}: expected the rows of tile {} in order, from row 0",
                                  describe(program_, core_, instruction), i.tag));
    left = rows - i.imm - i.count;
  }
  held = {i.tag, left};
  if (sharing_.empty()) return;
  for (const std::uint32_t other : sharing_[i.target]) {
    touch(other, false);
    held_[other] = {};
  }
}

void HeldTiles::open_loop(const isa::Instruction& i, std::uint32_t instruction) {
  const bool by_register = (i.flags & isa::flag::loop_register) != 0;
  loops_.push_back({instruction, touches_.size(), by_register || i.count < 1});
}

void HeldTiles::close_loop() {
  const Loop loop = loops_.back();
  loops_.pop_back();
  // The loop round this one keeps the touches that are its own first ones.
  std::size_t kept = loop.begin;
  for (std::size_t at = loop.begin; at < touches_.size(); ++at) {
    const Touch first = touches_[at];
    check(loop, first);
    const bool keeps = !loops_.empty() && first.before <= loops_.back().begin;
    if (keeps) touches_[kept++] = first;
    last_[first.group] = keeps ? kept : first.before;
  }
  touches_.resize(kept);
}

void HeldTiles::touch(std::uint32_t group, bool needed) {
  if (loops_.empty() || last_[group] > loops_.back().begin) return;
  touches_.push_back({group, held_[group], needed, last_[group]});
  last_[group] = touches_.size();
}

/// What is behind a loop that may not run must find the groups alike in either case.
void HeldTiles::check(const Loop& loop, const Touch& first) const {
  const Held& now = held_[first.group];
  if ((!first.needed && !loop.may_not_run) || alike(first.found, now)) return;
  throw UserError(
      fmt::format("{}: its body finds array group {} with {} and leaves it with {}, expected a tile of the "
                  "same size{}",
                  describe(program_, core_, loop.instruction), first.group, text(first.found), text(now),
                  first.needed ? " for its next turn" : ", for it may not run"));
}

bool HeldTiles::alike(const Held& a, const Held& b) const {
  if (a.rows_left != b.rows_left) return false;
  if (a.tile == b.tile) return true;
  if (a.rows_left > 0 || a.tile >= program_.tiles.size() || b.tile >= program_.tiles.size()) return false;
  const isa::Tile &x = program_.tiles[a.tile], &y = program_.tiles[b.tile];
  return x.rows == y.rows && x.cols == y.cols;
}

std::string HeldTiles::text(const Held& held) const {
  if (held.tile >= program_.tiles.size()) return "no tile";
  const isa::Tile& tile = program_.tiles[held.tile];
  if (held.rows_left > 0) return fmt::format("tile {} but for {} of its {} rows", held.tile, held.rows_left, tile.rows);
  return fmt::format("tile {} of {}x{} weights", held.tile, tile.rows, tile.cols);
}

}  // namespace pimento::sim
