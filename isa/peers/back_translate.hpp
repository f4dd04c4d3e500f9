#pragma once
// One core's instructions of ours, loops unrolled, as the peer's: the way back of translate.hpp. Addresses must stand
// in registers there, so `sldi` is added where no register holds one; `setbw` where the widths change.
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/peers/operations.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa::peers {

class BackTranslator {
 public:
  using Take = std::function<void(const PeerInstruction&)>;

  /// `take` gets the peer's instructions in order.
  BackTranslator(const Program& program, const Chip& chip, CoreId core, Take take);
  /// Throws UserError naming core and instruction when the peer has nothing for it.
  void run();

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void add(const Instruction& instruction);
  void scalar(const Instruction& instruction, Op op);
  void matrix(const Instruction& instruction);
  void vector(const Instruction& instruction, Op op);
  void transfer(const Instruction& instruction, Op op);
  void event(const Instruction& instruction, Op op);
  Op operation_for(const Instruction& instruction) const;
  /// The register that holds `value`; `keep` are those already chosen for this instruction.
  std::int32_t reg(std::int32_t value);
  void set_widths(ElementType input, std::optional<ElementType> output);
  void emit(PeerInstruction peer);

  const Program& program_;
  const Chip& chip_;
  CoreId core_;
  Take take_;
  std::size_t at_ = 0;
  std::array<std::optional<std::int32_t>, register_count> registers_;
  std::array<bool, register_count> reserved_{};  ///< the program sets them itself
  std::vector<std::int32_t> chosen_;             ///< for the instruction at work
  std::int32_t next_free_ = 0;
  std::int32_t input_bits_ = 0, output_bits_ = 0;
  std::array<std::int64_t, 256> waited_{};
};

}  // namespace pimento::isa::peers
