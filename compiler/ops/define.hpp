#pragma once
// What a family's file needs to define its operators: one OP(...) each, or OP_REFUSED with a reason.
#include "compiler/ops/attribute.hpp"
#include "compiler/ops/onnx_node.hpp"
#include "compiler/ops/sequence.hpp"
#include "isa/support/document.hpp"

namespace pimento::ops {

using Normaliser = std::function<void(OnnxNode&)>;
struct OnnxForm {
  std::string name;        ///< "Conv"
  int since = 1;           ///< first opset of the domain in which this form stands
  int until = 0;           ///< last one; 0: still valid
  Normaliser normalise{};  ///< empty: the ONNX form is the canonical form
  std::string domain{};    ///< "" is ai.onnx
};

struct OpDef {
  std::string name;     ///< in graphs: "conv"
  std::string summary;  ///< the formula in one line
  std::vector<OnnxForm> onnx;
  std::vector<OperandSpec> inputs;
  std::vector<std::string> outputs{"Y"};  ///< names; "Mask?" may be absent
  std::vector<AttributeSpec> attributes{};
  /// One type per output of the node; operand and attribute descriptions hold already.
  std::function<std::vector<TensorType>(const Call&)> infer;
  /// Empty: the operator is always known at compile time and never stands in a graph.
  std::function<void(const Call&, Sequence&)> kernels{};
};
/// Refuses, in `infer`, kernels that would need a table of so many positions: making it would take for ever.
void require_table(const Call& c, double entries);

struct Refusal {
  std::string name;
  std::string reason;
  std::string domain{};
};

/// Adds an entry; a second one of a name is an InternalError at the first look-up.
struct Registration {
  Registration(OpDef op);         // NOLINT: an entry is its registration
  Registration(Refusal refusal);  // NOLINT
};
#define OP(...) \
  static const ::pimento::ops::Registration PIMENTO_JOIN(op_at_line_, __LINE__) { ::pimento::ops::OpDef __VA_ARGS__ }
#define OP_REFUSED(name, ...)                                                          \
  static const ::pimento::ops::Registration PIMENTO_JOIN(refused_at_line_, __LINE__) { \
    ::pimento::ops::Refusal { name, __VA_ARGS__ }                                      \
  }

// --- common rules ----------------------------------------------------------------------------------------------------
/// One output with the type of input 0.
std::vector<TensorType> same_as_input(const Call& c);
/// Broadcast shape of all inputs given.
Shape broadcast_shape(const Call& c);
/// Y = body(inputs), element by element with broadcasting.
using Body = std::function<Expr(const std::vector<Expr>&)>;
void elementwise(const Call& c, Sequence& s, const Body& body);
/// The same with f16 and bf16 operands computed in f32 and rounded once: for bodies of more than one operator.
void elementwise_wide(const Call& c, Sequence& s, const Body& body);

}  // namespace pimento::ops
