#pragma once
// What the array groups of a core hold while its program is decoded, instruction after instruction. A loop is decoded
// once, so each of its turns must find the groups that it uses as its first turn found them.
#include <cstdint>
#include <string>
#include <vector>

#include "isa/program/program.hpp"

namespace pimento::sim {

class HeldTiles {
 public:
  /// `sharing`: isa::groups_that_share.
  HeldTiles(const isa::Program& program, CoreId core, const std::vector<std::vector<std::uint32_t>>& sharing);

  /// The tile that a product uses, isa::no_tile where it finds none; no product may use a tile before its last row is
  /// written.
  std::uint32_t use(std::uint32_t group, std::uint32_t instruction);
  /// After an instruction that writes cells. Those that share the group's crossbars hold nothing any more.
  void write(const isa::Instruction& i, std::uint32_t instruction);
  void open_loop(const isa::Instruction& i, std::uint32_t instruction);
  void close_loop();

 private:
  struct Held {
    std::uint32_t tile = isa::no_tile;
    std::int32_t rows_left = 0;  ///< still to be written
  };
  /// The first thing that a loop's body does with a group.
  struct Touch {
    std::uint32_t group = 0;
    Held found;
    bool needed = false;     ///< it goes on with what is there, and does not begin anew
    std::size_t before = 0;  ///< the group's touch before this one
  };
  struct Loop {
    std::uint32_t instruction = 0;
    std::size_t begin = 0;  ///< of its touches
    bool may_not_run = false;
  };

  void touch(std::uint32_t group, bool needed);
  void check(const Loop& loop, const Touch& first) const;
  bool alike(const Held& a, const Held& b) const;
  std::string text(const Held& held) const;

  const isa::Program& program_;
  CoreId core_;
  const std::vector<std::vector<std::uint32_t>>& sharing_;
  std::vector<Held> held_;         ///< by group
  std::vector<std::size_t> last_;  ///< by group: the place of its last touch in `touches_`, from 1 on; 0: none
  std::vector<Touch> touches_;     ///< of the open loops; a group stands once between the beginnings of two
  std::vector<Loop> loops_;        ///< open, the innermost one last
};

}  // namespace pimento::sim
