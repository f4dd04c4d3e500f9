#pragma once
// The walk over a model: one ONNX node after the other becomes a graph node, a constant, or a problem. Internal to the
// frontend: it includes ONNX headers.
#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>

#include "compiler/frontend/import.hpp"
#include "compiler/frontend/inputs.hpp"
#include "compiler/frontend/problems.hpp"
#include "compiler/frontend/tensor_proto.hpp"
#include "compiler/ops/registry.hpp"

namespace pimento::frontend {

/// A value that could not be made; what reads it is left out silently, since the cause is reported already.
inline constexpr ir::ValueId poisoned{-2};

class Importer {
 public:
  /// `path` names the model in messages; `external` says where its external data may lie. Tensors are taken out of
  /// `model`.
  Importer(onnx::ModelProto& model, std::string path, ExternalData external, const ImportOptions& options);
  ir::Graph run();

 private:
  /// Names of one graph or function body; a branch of an If and the body of a loop see those around it.
  struct Scope {
    Scope* around = nullptr;
    ir::Graph* graph = nullptr;  ///< what is being written; a loop's body is a graph of its own
    std::string prefix{};        ///< of node names: "call/"
    const std::map<std::string, int>* opsets = nullptr;
    std::map<std::string, ir::ValueId> names{};
    std::map<std::string, int> unnamed{};  ///< nodes without a name, by operator
    std::vector<ir::ValueId> captured{};   ///< values of the graph around that a loop's body reads, in order
  };
  /// A node with what is known of it before it is translated.
  struct Site {
    onnx::NodeProto& proto;
    Scope& scope;
    std::string name;   ///< "block/conv1"
    std::string label;  ///< "node 'block/conv1' (Conv)"
    std::vector<ir::ValueId> inputs;
  };

  void add_initialisers(onnx::GraphProto& graph, Scope& scope);
  void add_inputs(const onnx::GraphProto& graph, Scope& scope);
  void add_outputs(const onnx::GraphProto& graph, Scope& scope);
  ir::ValueId named_output(const std::string& name, ir::ValueId v);
  void walk(onnx::GraphProto& graph, Scope& scope);
  void translate(onnx::NodeProto& node, Scope& scope);
  void translate_operator(Site& site);
  /// Appends a normalised node, or computes it where all that it reads is known.
  void append_or_fold(ir::Graph& graph, ir::Node node);
  /// An If whose condition is known: its branch takes its place.
  void choose_branch(Site& site);
  /// A call of a function: the body takes its place.
  void expand(Site& site, const onnx::FunctionProto& function);

  void expand_recurrence(Site& site);

  // loops.cpp: nodes that become a loop of the graph.
  void translate_loop(Site& site);
  void translate_scan(Site& site);
  struct LoopPlan {
    std::int64_t trip_count = 0;
    std::vector<ir::ValueId> carried{};   ///< initial values
    std::vector<ir::ValueId> scanned{};   ///< sliced on dimension 0
    std::vector<std::int64_t> reverse{};  ///< one per scan input and scan output
    std::vector<std::string> names{};     ///< of carried values and slices inside the body
    std::string iteration{};              ///< its name inside the body
    std::string condition{};              ///< name of a body input that is always true; "" when there is none
    bool has_condition_output = false;    ///< output 0 of the body says whether to go on, and must be known to be true
  };
  /// Appends the loop around `body`; final values and stacks, or nothing when a problem inside was reported.
  std::vector<ir::ValueId> make_loop(Site& site, onnx::GraphProto& body, const LoopPlan& plan);
  /// One operator of opset 13 with one output, on values of the scope's graph.
  ir::ValueId emit(Site& site, const std::string& op_type, std::vector<ir::ValueId> inputs, ir::Attributes attributes);

  std::optional<ir::ValueId> find(Scope& scope, const std::string& name);
  bool define(Scope& scope, const std::string& name, ir::ValueId value, const std::string& label);
  /// The graph attribute of that name; UserError when there is none.
  static onnx::GraphProto& body_of(onnx::NodeProto& node, const std::string& name);
  /// Marks the outputs of a node that did not translate, so that its readers are not reported as well.
  static void poison(const onnx::NodeProto& node, Scope& scope);
  void read_metadata();
  void note_narrowing(int onnx_type);
  void note(const std::string& text) const;

  onnx::ModelProto& model_;
  std::string path_;
  ExternalData external_;
  const ImportOptions& options_;
  Problems problems_;
  ir::Graph graph_;
  std::map<std::string, int> opsets_;
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions_;
  int depth_ = 0;
  double computed_ = 0;  ///< scalar operations for values known at compile time
  bool narrowing_noted_ = false;
  std::set<std::string> missing_;  ///< values that a node reads and no node before it makes
  bool outputs_missing_ = false;   ///< a node above named none: values that nobody makes may be its
};

}  // namespace pimento::frontend
