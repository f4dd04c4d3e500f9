#pragma once
// One core's instructions of ours, loops unrolled, as the peer's: the way back of translate.hpp. Addresses must stand
// in registers there, so `sldi` is added where no register holds one; `setbw` where the widths change; what an MVM or a
// message takes from a strided view is first brought together by `lmv`, behind what the program uses of local memory.
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/peers/operations.hpp"
#include "isa/peers/peers.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa::peers {

class BackTranslator {
 public:
  using Take = std::function<void(const PeerInstruction&)>;

  /// `take` gets the peer's instructions in order.
  BackTranslator(const Program& program, const Chip& chip, CoreId core, const WriteOptions& options, Take take);
  /// Throws UserError naming core and instruction when the peer has nothing for it.
  void run();
  const WriteReport& report() const { return report_; }

 private:
  enum class Operand : std::uint8_t { d, a, b };
  std::string here() const;
  [[noreturn]] void refuse(const std::string& why) const;
  void add(const Instruction& instruction);
  void scalar(const Instruction& instruction, Op op);
  void matrix(const Instruction& instruction);
  /// Only the time of the instruction is kept: counted, or refused.
  void keep_time_only(const char* why);
  /// Integers of their widths for floats.
  Instruction without_floats(const Instruction& instruction);
  void rescale(const Instruction& instruction, bool by_vector);
  /// The operands of a vector instruction in one width, at least `bytes`: narrower ones are converted beside.
  Instruction in_one_width(const Instruction& instruction, bool two, std::int32_t bytes);
  /// Whether every byte of a vfill is the same, and so it was emitted.
  bool byte_fill(const Instruction& instruction);
  void vector(const Instruction& instruction, Op op);
  void transfer(const Instruction& instruction, Op op);
  void event(const Instruction& instruction, Op op);
  /// vcvt: by keeping the upper or the lower bits; none when it scales in another way.
  std::optional<Op> conversion(const Instruction& instruction) const;
  Op operation_for(const Instruction& instruction) const;
  /// Local address of an operand's segment k.
  std::int32_t at(const Instruction& instruction, Operand operand, std::int64_t k) const;
  /// Whether the segments, of so many bytes, follow each other without gaps.
  bool dense(const Instruction& instruction, Operand operand, std::int64_t bytes) const;
  /// A place of so many bytes behind what the program uses.
  std::int32_t beside(std::int64_t offset, std::int64_t bytes) const;
  void copy(std::int64_t from, std::int64_t to, std::int64_t bytes);
  /// The register that holds `value`; `keep` are those already chosen for this instruction.
  std::int32_t reg(std::int32_t value);
  void set_widths(ElementType input, std::optional<ElementType> output);
  void emit(PeerInstruction peer);

  const Program& program_;
  const Chip& chip_;
  CoreId core_;
  const WriteOptions& options_;
  Take take_;
  WriteReport report_;
  std::size_t at_ = 0;
  std::array<const Instruction*, 256> rings_{};  ///< by address register: its `addr`
  std::array<std::optional<std::int32_t>, register_count> registers_;
  std::array<bool, register_count> reserved_{};  ///< the program sets them itself
  std::vector<std::int32_t> chosen_;             ///< for the instruction at work
  std::int32_t next_free_ = 0;
  std::int32_t input_bits_ = 0, output_bits_ = 0;
  std::array<std::int64_t, 256> waited_{};
};

}  // namespace pimento::isa::peers
