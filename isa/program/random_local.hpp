#pragma once
// Random instructions that involve one core only (and global memory).
#include "isa/program/random.hpp"
#include "isa/program/random_pools.hpp"

namespace pimento::isa {

/// Where a random program keeps things in global memory.
struct GlobalPlan {
  Region input, constants;  ///< read only, side by side
  Region readable() const { return {input.begin, constants.end}; }
  static constexpr std::int64_t scratch_bytes = 1024;
  Region scratch(std::size_t core) const {
    const std::int64_t begin = scratch_begin + static_cast<std::int64_t>(core) * scratch_bytes;
    return {begin, begin + scratch_bytes};
  }
  std::int64_t scratch_begin = 0;
};

/// The instructions that a chip and the options allow, and how to make one.
class LocalInstructions {
 public:
  LocalInstructions(const Chip& chip, const RandomOptions& options, const Pools& pools, const GlobalPlan& plan);

  /// Appends one instruction (or none, when what was drawn does not fit) to `out`.
  void add(std::vector<Instruction>& out, const Program& program, std::size_t core,
           const std::vector<LiveRegister>& live, Random& random) const;
  /// Draws a view in the local memory and writes it into operand o; an empty result when nothing fits.
  Drawn place(Instruction& i, Operand o, Pool pool, const Wanted& wanted, const std::vector<LiveRegister>& live,
              Random& random) const;

 private:
  bool fill(Instruction& i, const Program& program, std::size_t core, const std::vector<LiveRegister>& live,
            Random& random) const;
  bool fill_fields(Instruction& i, const Program& program, std::size_t core, Random& random) const;
  bool place_all(Instruction& i, std::int64_t columns, std::size_t core, const std::vector<LiveRegister>& live,
                 Random& random) const;
  Pool pool_for(const Instruction& i, Operand o) const;

  struct Choice {
    Opcode opcode;
    std::vector<std::array<ElementType, 3>> types;
  };
  const Chip& chip_;
  const Pools& pools_;
  const GlobalPlan& plan_;
  std::vector<Choice> choices_;
};

}  // namespace pimento::isa
