#pragma once
// Numerics of a compile: the element type and scale of every value, and the scale of every weight column. Symmetric, so
// padding with stored zero is padding with real zero: real = scale * stored, zero point 0 everywhere.
//   activations  u8 (u16) where the range is non-negative, i8 (i16) otherwise; scale = largest magnitude / largest code
//   weights      i8 (i16) per output channel: scale = largest magnitude of the column / (2^(bits-1) - 1), or more, so
//                that the column's sum cannot leave i32 (of 16 bits by 16 bits it could)
//   accumulators i32 with scale = input scale * weight scale
// `exact` has the types, scales and instructions of `quantised`; `f32` keeps f32 everywhere, scale 1. Integer and bool
// values of the model keep their meaning: scale 1, i64 narrowed to i32.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "isa/chip/chip.hpp"

namespace pimento::pim {

struct ValueFormat {
  ElementType type = ElementType::i8;
  double scale = 1.0;
};
/// Observed [min, max] of real values, by value name (metadata "pimento.ranges", or a calibration run).
using Ranges = std::map<std::string, std::pair<double, double>>;

struct NumericsPlan {
  Numerics numerics = Numerics::quantised;
  std::vector<ValueFormat> formats;  ///< by graph ValueId
  /// By graph node: scale of each output channel's weights, for contractions with a constant operand; else empty.
  std::vector<std::vector<double>> weight_scales;
  const ValueFormat& of(ir::ValueId v) const { return formats[ir::to_index(v)]; }
};

/// Throws UserError when the chip lacks a needed type (numerics f32 on a chip without f32), naming node and type.
NumericsPlan plan_numerics(const ir::Graph& graph, const isa::Chip& chip, Numerics numerics, const Ranges& ranges);

}  // namespace pimento::pim
