#pragma once
// One core's instructions of a peer become ours, one for one. All addresses are static, so registers are followed while
// translating: operands carry addresses, scalar instructions stay and cost their slots.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/peers/operations.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa::peers {

/// The first instruction of a core that names another core or a group of its own.
struct FirstUse {
  std::uint32_t number = 0;  ///< of the core or group
  std::uint32_t instruction = 0;
  std::int64_t byte = 0;
};

class CoreTranslator {
 public:
  using Fail = std::function<void(const std::string&)>;  ///< throws

  /// `fail` is told what is wrong with the instruction being added; it knows file, core, instruction and byte.
  CoreTranslator(const Chip& chip, CoreId core, Fail fail);

  void add(const PeerInstruction& peer, std::int64_t byte);

  std::vector<Instruction>& instructions() { return instructions_; }
  std::size_t count() const { return instructions_.size(); }
  /// In the order of their first use.
  const std::vector<FirstUse>& cores_used() const { return cores_used_; }
  const std::vector<FirstUse>& groups_used() const { return groups_used_; }
  /// The instruction that used a width before any `setbw`.
  const std::optional<FirstUse>& width_unset() const { return width_unset_; }

 private:
  [[noreturn]] void fail(const std::string& message) const;
  void check_fields_given(const PeerInstruction& peer) const;
  std::uint8_t reg(const PeerInstruction& peer, Field field) const;
  std::int32_t value_of(std::uint8_t reg) const;
  /// R[field] plus the offset, when `select` is chosen, times `step` bytes; inside memory for `bytes`.
  std::int32_t address(const PeerInstruction& peer, Field field, std::int32_t select, std::int64_t step,
                       std::int64_t bytes, bool global = false) const;
  std::int32_t length(const PeerInstruction& peer, Field field) const;
  ElementType input();
  ElementType output();
  void use_widths();
  ElementType integer_of(std::int32_t bits) const;

  Instruction scalar(const PeerInstruction& peer, const Operation& operation);
  void scalar_value(const PeerInstruction& peer);
  Instruction set_widths(const PeerInstruction& peer);
  Instruction matrix(const PeerInstruction& peer);
  Instruction vector(const PeerInstruction& peer, const Operation& operation);
  Instruction transfer(const PeerInstruction& peer, const Operation& operation);
  Instruction message(const PeerInstruction& peer, const Operation& operation);
  Instruction event(const PeerInstruction& peer, const Operation& operation);
  void use(std::vector<FirstUse>& uses, std::uint32_t number) const;
  CoreId core_named(const PeerInstruction& peer);

  const Chip& chip_;
  CoreId core_;
  Fail fail_;
  std::vector<Instruction> instructions_;
  std::int64_t byte_ = 0;
  const Operation* now_ = nullptr;
  std::array<std::optional<std::int32_t>, register_count> registers_;  ///< none: loaded from memory
  std::int32_t input_bits_ = 0, output_bits_ = 0;                      ///< 0: no `setbw` yet
  std::array<std::int64_t, 256> waited_{};                             ///< sum of the values waited for, by event
  std::vector<FirstUse> cores_used_, groups_used_;
  std::optional<FirstUse> width_unset_;
};

/// Bits that stand for widths which nothing set.
inline constexpr std::int32_t assumed_bits = 8;

}  // namespace pimento::isa::peers
