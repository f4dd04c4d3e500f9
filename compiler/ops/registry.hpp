#pragma once
// The operators: each is defined once, as kernels. An entry holds all that is known of an operator: its ONNX forms, its
// operands and attributes with their checks, its shape rule and its kernels. Everything else (is it a contraction,
// which inputs does row 3 need) is a question to the kernels. Adding one: README.md.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.hpp"
#include "isa/support/error.hpp"

namespace pimento::ops {

struct OpDef;
struct OnnxForm;

/// What does not hold, as a record: "node 'Conv_7', input 'W' f32[64,3,7]: expected rank 4, as X has, got rank 3".
struct Finding {
  std::string place;
  std::string expected;  ///< empty: `got` is a reason by itself
  std::string got;
};
std::string to_string(const Finding& finding);
/// Thrown by the rules of an operator, and by `kernels_of` and `infer_or_throw`.
class RuleError : public UserError {
 public:
  explicit RuleError(Finding finding) : UserError(to_string(finding)), finding_(std::move(finding)) {}
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

// --- finding an operator -------------------------------------------------------------------------------------------
/// The operator of a graph node, or null ("group" and "loop" are structure, not operators).
const OpDef* find(std::string_view graph_name);
/// Every operator, ordered by graph name.
std::vector<const OpDef*> all();

/// An ONNX operator at an opset: the operator and the form it is written in, or the reason why there is none.
struct OnnxMatch {
  const OpDef* op = nullptr;
  const OnnxForm* form = nullptr;
  std::string refusal;  ///< "the output's shape depends on data"; "unknown operator; nearest: 'Gelu'"
  explicit operator bool() const { return op != nullptr; }
};
/// `domain` "" and "ai.onnx" are the same.
OnnxMatch find_onnx(std::string_view domain, std::string_view onnx_name, int opset);
/// Newest opset of the domain "" whose forms are known.
inline constexpr int newest_opset = 21;

// --- from ONNX to a graph node ---------------------------------------------------------------------------------------
/// Turns `node`, which carries the inputs, outputs and attributes of an ONNX node of the given name, into a graph node:
/// `op` becomes the graph name and the attributes take their one canonical form (explicit pads, axes counted from 0,
/// attribute-like inputs as attributes, defaults filled in). Outputs of `node` are values of `g` without a type yet
/// (no_value where absent); their types are set. Helper nodes (a reshaped operand) are appended to `g`; `node` itself
/// is not. Where the node is known at compile time (Constant, Shape), its outputs become constants and `op` is left
/// empty.
std::optional<Finding> normalise(ir::Graph& g, ir::Node& node, std::string_view domain, std::string_view onnx_name,
                                 int opset);

// --- questions about a graph node ------------------------------------------------------------------------------------
struct Inference {
  std::vector<ir::TensorType> outputs;  ///< one per output of the node; unspecified for an absent one
  std::optional<Finding> finding;
  explicit operator bool() const { return !finding.has_value(); }
};
/// Types and shapes of the node's outputs from its inputs and attributes. Works for "group" and "loop" as well.
Inference infer(const ir::Graph& g, const ir::Node& node);
std::vector<ir::TensorType> infer_or_throw(const ir::Graph& g, const ir::Node& node);
/// What the node means. A "group" is its body's kernels in order. InternalError for "loop", which is structure.
ir::KernelSequence kernels_of(const ir::Graph& g, const ir::Node& node);
/// Every operand that the kernels read is a constant, so the node can be computed at compile time.
bool is_foldable(const ir::Graph& g, const ir::Node& node);
/// The node's outputs, computed through the interpreter; it must be foldable.
std::vector<ir::Tensor> fold(const ir::Graph& g, const ir::Node& node);
/// Checks every node of the graph (bodies included): operator known, attributes legal, output types as inferred.
std::vector<Finding> check(const ir::Graph& g);

/// The page OP_MATRIX.md: every ONNX operator with its opsets, graph name, operands, attributes, or its refusal.
std::string op_matrix();

}  // namespace pimento::ops
