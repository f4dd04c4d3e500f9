#pragma once
// A kernel says what an operator means: an iteration domain and, in it, typed scalar expressions. Everything a backend
// wants to know (is it a contraction, which inputs does row 3 need, may it be fused) is a question to this structure
// (analysis.hpp), never a flag. Its meaning, which every backend and the interpreter keep:
//
//   for each point of the parallel axes, row-major (any order is allowed unless a write is ordered):
//     state[k] = states[k].initial
//     for each point of the carried axes, ascending, row-major:
//       acc[k] = accumulators[k].initial
//       for each point of the reduction axes, ascending, row-major:
//         incoming[k] = accumulators[k].body             where its guard holds (a point whose guard fails is skipped)
//         acc[k] = merge of acc and incoming             all accumulators at once, from the old values
//       for each output, in order: write value at its map, where its guard holds
//       state[k] = states[k].next                        all states at once, from the old values and acc
//
// The order of a reduction is part of the meaning: a float sum is ((0 + b0) + b1) + ... in row-major order.
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/expr.hpp"

namespace pimento::ir {

enum class AxisKind : std::uint8_t { parallel, reduction, carried };
struct KernelAxis {
  std::string name;
  std::int64_t extent = 1;
  AxisKind kind = AxisKind::parallel;
};

enum class OperandRole : std::uint8_t { input, output };
/// A tensor that the kernel reads or writes. The tensor bound to it may have another shape with as many elements; it is
/// then seen row-major under this one (a reshape costs nothing).
struct Operand {
  std::string name;
  TensorType type;
  OperandRole role = OperandRole::input;
};

/// How an accumulator takes in a value. `merge` is the general form: `Accumulator::merge` over Accumulated and Incoming
/// of any accumulator; accumulators that refer to each other there form a tuple (arg-max: best value and its index).
enum class Combiner : std::uint8_t { add, mul, max, min, logical_and, logical_or, merge };
struct Accumulator {
  std::string name;
  ElementType type = ElementType::f32;
  Combiner combiner = Combiner::add;
  Scalar initial;  ///< value before the first point; of type `type`
  Expr body;       ///< of type `type`; may use every axis, loads, carried states
  Expr guard;      ///< bool, or empty for always
  Expr merge;      ///< only under Combiner::merge; of type `type`
};
/// The neutral element: 0, 1, lowest (-inf), highest (inf), all ones, 0. Combiner::merge has none (InternalError).
Scalar identity(Combiner combiner, ElementType type);

/// A value that runs along the carried axes.
struct State {
  std::string name;
  ElementType type = ElementType::f32;
  Expr initial;  ///< over parallel axes and loads
  Expr next;     ///< over parallel and carried axes, loads, Carried, Accumulated
};

/// What happens where a write meets an element. `assign` at colliding points: the last in row-major order stays, so a
/// map that is not injective makes the write ordered; the others combine with what stands there (integers wrap).
enum class WriteRule : std::uint8_t { assign, add, mul, max, min };
struct Output {
  int operand = 0;        ///< index into Kernel::operands, role output
  std::vector<Expr> map;  ///< i64, one per dimension; parallel and carried axes, tables, loads (scatter)
  Expr value;             ///< of the operand's type; parallel and carried axes, loads, Accumulated, Carried
  Expr guard;             ///< bool, or empty for always: where it fails nothing is written
  WriteRule rule = WriteRule::assign;
  OutOfRange out_of_range =
      OutOfRange::error;  ///< of the map: error, or value = "write nothing" (clamp is not allowed)
  int starts_from =
      -1;  ///< input operand of equal type whose elements the output holds before the first write; -1: zeros
};

struct Kernel {
  std::string name;
  std::vector<KernelAxis> axes;  ///< any order of kinds; within a kind this order is the loop order, outermost first
  std::vector<Operand> operands;
  std::vector<Accumulator> accumulators;
  std::vector<State> states;
  std::vector<Output> outputs;

  int operand(std::string_view operand_name) const;  ///< index, InternalError with the names when absent
};
/// Same structure, names included.
bool equal(const Kernel& a, const Kernel& b);

}  // namespace pimento::ir
