#pragma once
// PIM operations on tensors: instructions whose operands still name values and coordinates, not addresses. Instruction
// selection makes them (spatial-to-pim), bufferise gives every value on every core a buffer, plan-liveness an address,
// emit the final records.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/drivers/pim/schedule/schedule.hpp"
#include "isa/instruction/instruction.hpp"

namespace pimento::pim {

/// What an operand points into.
struct OperandRef {
  enum class Kind : std::uint8_t { none, value, scratch, constant, global };
  Kind kind = Kind::none;
  std::int32_t id = -1;                             ///< SpatialValueId, scratch or constant index of this compute
  std::int32_t row = 0, position = 0, channel = 0;  ///< of the first element
  std::int32_t row_step = 0, position_step = 0, channel_step = 0;  ///< from segment to segment
  /// Step per iteration of each enclosing loop of the body, outermost first.
  struct LoopStep {
    std::int32_t row = 0, position = 0, channel = 0;
    bool operator==(const LoopStep&) const = default;
  };
  std::array<LoopStep, isa::max_loop_levels> loop_steps{};
  bool operator==(const OperandRef&) const = default;
};

/// An instruction with symbolic operands; fields not named here come from `form` as they are (types, count, len, scale,
/// real, imm, flags). `len` is in elements; addresses, strides and registers of `form` are unset.
struct PimOp {
  isa::Instruction form;
  OperandRef dst, a, b;
  std::int32_t tile_class = -1;  ///< mvm: ClassId
  std::int32_t tile = -1;        ///< mvm: index into Spatial::tiles
  /// Trip counts of the loops round this operation, outermost first; neighbours with equal `loop_id`s share the loop.
  std::array<std::int32_t, isa::max_loop_levels> trips{};
  std::array<std::int32_t, isa::max_loop_levels> loop_ids{};
  std::int32_t depth = 0;
  bool operator==(const PimOp&) const = default;
};

/// A temporary of one compute: packed elements of a type; an operand counts them by its `channel`. All temporaries of a
/// compute share one piece of local memory, in which those that never live together may overlap.
struct Scratch {
  ElementType type = ElementType::i32;
  std::int32_t elements = 1;
  Bytes offset = 0;  ///< within the compute's scratch memory
  bool operator==(const Scratch&) const = default;
};
/// Bytes that must stand in local memory (biases, scales, tables); equal contents share one place per core.
struct ConstantData {
  ElementType type = ElementType::i32;
  std::vector<std::uint8_t> bytes;
  std::vector<float> real;  ///< one per element (exact numerics)
};

/// What one compute becomes.
struct Selected {
  std::vector<PimOp> ops;
  std::vector<Scratch> scratch;
  Bytes scratch_bytes = 0;              ///< local memory that the temporaries take together
  std::vector<std::int32_t> constants;  ///< indices into the pool
  bool operator==(const Selected&) const = default;
};

/// The operations of one compute. Those of another that is alike have their operands as far from where its own reads
/// and its own write begin.
struct Alike {
  struct Constant {
    ElementType type = ElementType::i32;
    Bytes bytes = 0;
    std::uint64_t content = 0;  ///< the same for equal contents
  };
  Selected selected;
  std::vector<Constant> constants;  ///< by Selected::constants
  std::vector<Access> reads;
  Access write;
};

}  // namespace pimento::pim
