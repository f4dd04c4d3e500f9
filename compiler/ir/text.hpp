#pragma once
// Printers and parsers, one pair each: parse(print(x)) equals x. Text is the form of dumps, tests and bug reports.
//
//   kernel conv (n: 1, m: 8, y: 4, x: 4 | c: 2, ky: 3, kx: 3) {
//     acc : f32 += X[n, c, y + ky - 1, x + kx - 1] outside 0.0 * W[m, c, ky, kx]
//     Y[n, m, y, x] = relu(acc + B[m])
//   } where X : f32[1,2,4,4], W : f32[8,2,3,3], B : f32[8], Y : out f32[1,8,4,4]
//
//   graph net (%x : f32[1,1,5,5]) {
//     @w : f32[1,1,2,2] = [1.0, 2.0, 3.0, 4.0]
//     %y = conv %x, @w {pads = [0, 0, 1, 1]} : f32[1,1,5,5] from "Conv_0"
//     return %y
//   }
//
// The axes in parentheses are parallel | reduction | carried. An accumulator is `NAME : TYPE += BODY [init V] [if
// GUARD]` with one of += *= max= min= &= |=, or `NAME : TYPE merge= BODY by EXPR init V`, whose EXPR sees every
// accumulator by its name and the incoming values as in.NAME. A state is `state NAME : TYPE = INITIAL then NEXT`. An
// output is `OPERAND[MAP] = VALUE [if GUARD] [skipping] [from OPERAND]`, with += *= max= min= where it combines;
// `skipping` drops writes out of range. A line that begins with // is a comment.
//
// A graph's metadata, constants and states come first: `meta "opset" = "13"`, `@w : f32[2] = [1.0, 2.0]`, `state %h :
// f32[4] next %n` (or `= [...] next %n`). A node that owns a body: `%a, %b = loop %x {carried = 1, ...} : f32[2],
// f32[3,2] body (%i : i64[]) { ... }`. An absent optional input or output is `_`. Parse errors are UserError with line
// and column. A constant above PrintOptions::inline_elements prints as its fingerprint, `= #0123...`, and parsing it
// asks the ConstantSource.
#include <functional>
#include <string>
#include <string_view>

#include "compiler/ir/graph.hpp"

namespace pimento::ir {

struct PrintOptions {
  std::int64_t inline_elements = 16;  ///< constants of up to so many elements are written out
};

/// Names for what an expression refers to by number; a missing name prints as axis0, operand0, state0, acc0.
struct ExprNames {
  std::vector<std::string> axes;
  std::vector<Operand> operands;
  std::vector<std::pair<std::string, ElementType>> states, accumulators;
};
ExprNames names_of(const Kernel& k);
std::string print(const Expr& e, const ExprNames& names = {});
/// Integer literals are i64 unless an operand or `type(...)` says otherwise: `2 * x` in an f32 context needs `2.0`;
/// written forms of other types are `i8(5)` for constants and `cast<i8>(x)` for conversions.
Expr parse_expr(std::string_view text, const ExprNames& names);

std::string print(const Kernel& k);
std::string print(const LibraryKernel& k);
std::string print(const AnyKernel& k);
std::string print(const KernelSequence& s);
Kernel parse_kernel(std::string_view text);
LibraryKernel parse_library_kernel(std::string_view text);

/// Finds the tensor of a fingerprint printed as "#...".
using ConstantSource = std::function<std::optional<Tensor>(std::string_view fingerprint, const TensorType& type)>;
std::string print(const Attribute& a, const PrintOptions& options = {});
std::string print(const Attributes& a, const PrintOptions& options = {});  ///< "{k = 2, pads = [0, 0, 1, 1]}"
std::string print(const Graph& g, const PrintOptions& options = {});
/// One node, as it stands in the graph's text, without its body's lines.
std::string print(const Graph& g, const Node& n, const PrintOptions& options = {});
Graph parse_graph(std::string_view text, const ConstantSource& constants = {});

}  // namespace pimento::ir
