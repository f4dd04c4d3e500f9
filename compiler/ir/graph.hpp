#pragma once
// The tensor program in SSA form. Values have static type and shape; nodes stand in a topological order and name their
// values by id. A graph is a plain value: copying shares constants and bodies, so a rewrite works on a copy.
//
// Two nodes own a body (an isolated graph: it sees only its inputs):
//   group  inputs and outputs are the body's; what fusion joined. The body is straight-line.
//   loop   trip_count (int), carried = C, scan_inputs = S, scan_outputs = K; optional reverse (ints, one per scan input
//   and
//          scan output, 1 = from the last slice to the first).
//          node inputs:  C initial values, S scan inputs (sliced on dimension 0), then invariants.
//          body inputs:  iteration (i64[]), C carried values, S slices (dimension 0 removed), then the invariants.
//          body outputs: C next values, K slices.   node outputs: C final values, K stacks (trip_count on dimension 0).
// A state (key/value cache) is a value that keeps its content from run to run: `current` is read, `next` replaces it in
// place.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/library.hpp"

namespace pimento::ir {

/// Index into Graph::values. An absent optional input is `no_value`.
enum class ValueId : std::int32_t {};
inline constexpr ValueId no_value{-1};
constexpr std::size_t to_index(ValueId v) { return static_cast<std::size_t>(v); }

struct Value {
  std::string name;  ///< a label: printing makes it unique, fingerprints ignore it
  TensorType type;
  std::optional<Tensor> constant;  ///< its content when it is known at compile time
};

class Graph;
struct Node {
  std::string op;  ///< lower-case snake: "conv", "max_pool"
  Attributes attributes;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::string source;                 ///< name of the ONNX node it came from; several: joined by '+'
  std::shared_ptr<const Graph> body;  ///< of loop and group nodes
};
/// Typed access; `fallback` when absent; InternalError when the attribute has another kind.
std::int64_t integer_attribute(const Node& n, std::string_view name, std::int64_t fallback);
double real_attribute(const Node& n, std::string_view name, double fallback);
std::string text_attribute(const Node& n, std::string_view name, const std::string& fallback);
std::vector<std::int64_t> integers_attribute(const Node& n, std::string_view name,
                                             const std::vector<std::int64_t>& fallback);
std::vector<double> reals_attribute(const Node& n, std::string_view name, const std::vector<double>& fallback);
/// Null when absent.
const Tensor* tensor_attribute(const Node& n, std::string_view name);

struct GraphState {
  ValueId current = no_value;
  ValueId next = no_value;
  std::optional<Tensor> initial = {};  ///< content before the first run; zeros when absent
};

class Graph {
 public:
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< topological order
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<GraphState> states;  ///< values that live from run to run
  std::map<std::string, std::string> metadata;

  ValueId add_value(std::string value_name, TensorType type);
  ValueId add_input(std::string value_name, TensorType type);
  ValueId add_constant(std::string value_name, Tensor tensor);
  /// Appends a node with one new output value and returns that.
  ValueId add_node(std::string op, std::vector<ValueId> node_inputs, TensorType output, Attributes attributes = {},
                   std::string output_name = "");
  Node& append(Node node) { return nodes.emplace_back(std::move(node)); }

  Value& value(ValueId v) { return values[to_index(v)]; }
  const Value& value(ValueId v) const { return values[to_index(v)]; }
  const TensorType& type(ValueId v) const { return values[to_index(v)].type; }
  bool is_constant(ValueId v) const { return v != no_value && value(v).constant.has_value(); }
  std::optional<ValueId> find(std::string_view value_name) const;  ///< first value of that name
};

// --- rewriting
// ---------------------------------------------------------------------------------------------------------
struct Use {
  int node;   ///< index into Graph::nodes
  int input;  ///< position among the node's inputs
  bool operator==(const Use&) const = default;
};
/// Who makes and who reads each value; a snapshot, built in one pass.
class Uses {
 public:
  explicit Uses(const Graph& g);
  /// Node index, or -1 for inputs, constants and states.
  int producer(ValueId v) const { return producer_[to_index(v)]; }
  const std::vector<Use>& of(ValueId v) const { return uses_[to_index(v)]; }
  /// A graph output, or the next value of a state.
  bool leaves(ValueId v) const { return leaves_[to_index(v)]; }
  /// Exactly one node input reads it and it does not leave.
  bool single(ValueId v) const { return of(v).size() == 1 && !leaves(v); }

 private:
  std::vector<int> producer_;
  std::vector<std::vector<Use>> uses_;
  std::vector<bool> leaves_;
};
/// Makes every reader of `from` (nodes, outputs, states) read `to`.
void replace_uses(Graph& g, ValueId from, ValueId to);
/// Removes nodes none of whose outputs is read or leaves; returns how many. Values stay (ids are stable).
int erase_dead_nodes(Graph& g);
/// Restores topological order, stable: a node keeps its place unless an operand is made later. InternalError on a
/// cycle.
void sort_topologically(Graph& g);
/// Drops values that nothing mentions and renumbers the rest; returns the new id of each old one (no_value if dropped).
std::vector<ValueId> compact(Graph& g);
/// Copies `inner`'s nodes into `g` at node position `at`, binding inner's inputs to `arguments`; returns the ids of
/// inner's outputs.
std::vector<ValueId> inline_graph(Graph& g, const Graph& inner, const std::vector<ValueId>& arguments, std::size_t at);

}  // namespace pimento::ir
