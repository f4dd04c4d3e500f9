#pragma once
// Numerics of a compile: the element type and scale of every value, and the scale of every weight column. Symmetric, so
// padding with stored zero is padding with real zero: real = scale * stored, zero point 0 everywhere.
//   activations  u8 (u16) where the range is non-negative, i8 (i16) otherwise; no code so large that a sum of them, or
//                of products of two, leaves i32
//   weights      i8 (i16) per output channel; the scale is no less than keeps the column's sum and bias within i32
//   accumulators i32 with scale = input scale * weight scale
// `exact` has the types, scales and instructions of `quantised`; `f32` keeps f32 everywhere, scale 1. Integer and bool
// values of the model keep their meaning: scale 1, i64 narrowed to i32.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/drivers/pim/numerics/observed.hpp"
#include "compiler/ir/graph.hpp"
#include "isa/chip/chip.hpp"

namespace pimento::pim {

/// How scales follow from what calibration saw.
///   min-max     nothing saturates: the largest magnitude takes the largest code, of activations and of weights
///   percentile  a share of the elements of each value keeps within the codes, the others saturate
///   mse         the scale with the least squared error, of each value and of each weight column; a value that is
///               barely negative may become unsigned
///   adaptive    mse, and every weight goes up or down as the output needs it, not as is nearest (rounding.hpp)
/// With a range alone (recorded in the model) all of them scale as min-max does.
enum class Calibration : std::uint8_t { min_max, percentile, mse, adaptive };
const std::vector<std::string>& calibration_names();
std::optional<Calibration> parse_calibration(std::string_view text);
std::string_view to_string(Calibration c);
struct CalibrationMethod {
  Calibration kind = Calibration::min_max;
  double share = 0.9999;  ///< percentile: of the elements that do not saturate
};

struct Contracted;
struct ValueFormat {
  ElementType type = ElementType::i8;
  double scale = 1.0;
};
/// Least and largest code of an element type of activations.
std::pair<double, double> code_range(ElementType type);

struct NumericsPlan {
  Numerics numerics = Numerics::quantised;
  std::vector<ValueFormat> formats;  ///< by graph ValueId
  /// By graph node: scale of each output channel's weights, for contractions with a constant operand; else empty.
  std::vector<std::vector<double>> weight_scales;
  /// By graph node: how it is a contraction with a constant operand (spatial/windows.hpp), where it is one.
  std::vector<std::shared_ptr<const Contracted>> contractions;
  const ValueFormat& of(ir::ValueId v) const { return formats[ir::to_index(v)]; }
};

/// Throws UserError when the chip lacks a needed type (numerics f32 on a chip without f32), naming node and type.
NumericsPlan plan_numerics(const ir::Graph& graph, const isa::Chip& chip, Numerics numerics, const Ranges& ranges,
                           const CalibrationMethod& method = {});
/// "" or the first value or column that breaks a rule: types are those of these numerics on this chip, scales are
/// finite and above 0 (1 for integers and f32). Zero points are 0 by construction: a format has none.
std::string verify(const NumericsPlan& plan, const ir::Graph& graph, const isa::Chip& chip);
std::string print(const NumericsPlan& plan, const ir::Graph& graph);

}  // namespace pimento::pim
