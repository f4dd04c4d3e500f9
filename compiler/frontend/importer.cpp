#include "compiler/frontend/importer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "compiler/frontend/attributes.hpp"
#include "compiler/frontend/cycle.hpp"
#include "compiler/frontend/recurrence.hpp"
#include "compiler/frontend/versions.hpp"
#include "compiler/ir/verify.hpp"
#include "isa/support/json.hpp"
#include "isa/support/printable.hpp"

namespace pimento::frontend {
namespace {
constexpr int deepest_nesting = 64;

std::string canonical_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

template <class Sets>
std::map<std::string, int> opset_map(const Sets& sets) {
  std::map<std::string, int> result;
  for (const auto& set : sets) result[canonical_domain(set.domain())] = static_cast<int>(set.version());
  return result;
}

/// Weights stay quantised: folding would trade i8 constants for f32 ones, and the scale would be lost.
bool stays_unfolded(const ir::Node& node) { return node.op == "dequantize_linear"; }

/// Replaces references to a function's attributes by what the call gives; one that it does not give falls away, and the
/// node's own default holds.
void bind_attributes(onnx::NodeProto& node, const onnx::NodeProto& call) {
  auto& attributes = *node.mutable_attribute();
  for (int a = 0; a < attributes.size();) {
    auto& attribute = *attributes.Mutable(a);
    const std::string wanted = attribute.ref_attr_name();
    const onnx::AttributeProto* given = nullptr;
    for (const auto& candidate : call.attribute())
      if (candidate.name() == wanted) given = &candidate;
    if (!wanted.empty() && given == nullptr) {
      attributes.DeleteSubrange(a, 1);
      continue;
    }
    if (given != nullptr) {
      const std::string own_name = attribute.name();
      attribute = *given;
      attribute.set_name(own_name);
    }
    ++a;
  }
}
double points(const ir::KernelSequence& sequence) {
  double sum = 0;
  for (const auto& call : sequence.calls)
    if (const auto* kernel = std::get_if<ir::Kernel>(&call.kernel)) {
      double all = 1;
      for (const auto& axis : kernel->axes) all *= static_cast<double>(axis.extent);
      sum += all;
    }
  return sum;
}
}  // namespace

void Importer::append_or_fold(ir::Graph& graph, ir::Node node) {
  if (node.op.empty()) return;  // dissolved: its outputs are constants already
  if (stays_unfolded(node) || !ops::is_foldable(graph, node)) {
    graph.append(std::move(node));
    return;
  }
  computed_ += points(ops::kernels_of(graph, node));
  if (computed_ > static_cast<double>(options_.most_computed))
    throw UserError(
        fmt::format("values known at compile time take {:.2g} scalar operations up to here, expected at most {:.2g}",
                    computed_, static_cast<double>(options_.most_computed)));
  auto contents = ops::fold(graph, node);
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i] != ir::no_value) graph.value(node.outputs[i]).constant = std::move(contents[i]);
}

onnx::GraphProto& Importer::body_of(onnx::NodeProto& node, const std::string& name) {
  for (auto& attribute : *node.mutable_attribute())
    if (attribute.name() == name && attribute.has_g()) return *attribute.mutable_g();
  throw UserError(fmt::format("has no '{}'", name));
}

Importer::Importer(onnx::ModelProto& model, std::string path, ExternalData external, const ImportOptions& options)
    : model_(model), path_(std::move(path)), external_(std::move(external)), options_(options) {}

ir::Graph Importer::run() {
  check_versions(model_, path_);
  opsets_ = opset_map(model_.opset_import());
  for (const auto& f : model_.functions()) functions_[{canonical_domain(f.domain()), f.name()}] = &f;
  auto& graph = *model_.mutable_graph();
  graph_.name = printable(graph.name());
  if (const std::string cycle = find_cycle(graph); !cycle.empty())
    throw UserError({.file = path_}, fmt::format("the graph has a cycle: {}", cycle));
  read_metadata();
  Scope scope{.graph = &graph_, .opsets = &opsets_};
  add_inputs(graph, scope);
  add_initialisers(graph, scope);
  walk(graph, scope);
  add_outputs(graph, scope);
  problems_.raise(path_);
  ir::erase_dead_nodes(graph_);
  ir::compact(graph_);
  ir::require_valid(graph_, fmt::format("import of '{}'", path_));
  return std::move(graph_);
}

void Importer::read_metadata() {
  for (const auto& property : model_.metadata_props()) {
    if (property.key() != recorded_ranges) continue;
    const auto ranges = parse_json_or_discard(property.value());
    bool good = ranges.is_object();
    if (good)
      for (const auto& [name, range] : ranges.items())
        good = good && range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number() &&
               range[0].get<double>() <= range[1].get<double>();
    if (!good)
      throw UserError({.file = path_, .node = fmt::format("property '{}'", recorded_ranges)},
                      "expected JSON, an object of value name -> [min, max]");
    graph_.metadata[property.key()] = property.value();
  }
}

void Importer::note(const std::string& text) const {
  if (options_.note) options_.note(text);
}
void Importer::note_narrowing(int onnx_type) {
  if (!is_narrowed(onnx_type) || std::exchange(narrowing_noted_, true)) return;
  note(fmt::format("element type {} is taken as f32", onnx_type_name(onnx_type)));
}

std::optional<ir::ValueId> Importer::find(Scope& scope, const std::string& name) {
  if (const auto it = scope.names.find(name); it != scope.names.end()) return it->second;
  if (scope.around == nullptr) return std::nullopt;
  const auto outer = find(*scope.around, name);
  const auto& graph = *scope.around->graph;
  if (!outer || *outer == poisoned || *outer == ir::no_value || scope.graph == &graph) return outer;
  ir::ValueId inner;  // a loop's body sees only its inputs: a value from around is an invariant, a constant its own
  if (graph.is_constant(*outer)) {
    inner = scope.graph->add_constant(name, *graph.value(*outer).constant);
  } else {
    inner = scope.graph->add_input(name, graph.type(*outer));
    scope.captured.push_back(*outer);
  }
  scope.names[name] = inner;
  return inner;
}
bool Importer::define(Scope& scope, const std::string& name, ir::ValueId value, const std::string& label) {
  if (scope.names.emplace(name, value).second) return true;
  problems_.add(fmt::format("{}: value '{}' has two definitions", label, name));
  return false;
}
void Importer::poison(const onnx::NodeProto& node, Scope& scope) {
  for (const auto& output : node.output())
    if (!output.empty()) scope.names[output] = poisoned;
}

void Importer::add_inputs(const onnx::GraphProto& graph, Scope& scope) {
  std::set<std::string> initialised;
  for (const auto& i : graph.initializer()) initialised.insert(i.name());
  InputTypes types(options_, problems_);
  std::vector<std::string> names;
  for (const auto& input : graph.input()) {
    if (initialised.count(input.name()) != 0) continue;  // up to IR 3 every initialiser is an input as well
    names.push_back(input.name());
    if (const auto given = options_.constant_inputs.find(input.name()); given != options_.constant_inputs.end()) {
      const auto why = types.mismatch(input, given->second.type());
      if (!why.empty()) problems_.add(why);
      define(scope, input.name(), why.empty() ? graph_.add_constant(printable(input.name()), given->second) : poisoned,
             "inputs");
      continue;
    }
    const auto type = types.resolve(input);
    if (type) note_narrowing(input.type().tensor_type().elem_type());
    define(scope, input.name(), type ? graph_.add_input(printable(input.name()), *type) : poisoned, "inputs");
  }
  types.check_all_used();
  for (const auto& [name, value] : options_.constant_inputs)
    if (std::find(names.begin(), names.end(), name) == names.end())
      problems_.add(fmt::format("no input '{}' to hold constant{}", name, suggestion(name, names)));
}

void Importer::add_initialisers(onnx::GraphProto& graph, Scope& scope) {
  for (const auto& sparse : graph.sparse_initializer()) {
    problems_.add(fmt::format("initialiser '{}': sparse tensors are not supported", sparse.values().name()));
    scope.names[sparse.values().name()] = poisoned;
  }
  for (auto& proto : *graph.mutable_initializer()) {
    const std::string name = printable(proto.name());
    const auto label = fmt::format("initialiser '{}'", name);
    try {
      note_narrowing(proto.data_type());
      define(scope, proto.name(), scope.graph->add_constant(name, take_tensor(proto, &external_, {.node = label})),
             label);
    } catch (const UserError& e) {
      problems_.add(e.what());
      scope.names[proto.name()] = poisoned;
    }
  }
}

void Importer::add_outputs(const onnx::GraphProto& graph, Scope& scope) {
  if (graph.output().empty()) problems_.add("the model has no output");
  std::set<std::string> names;
  for (const auto& output : graph.output()) {
    if (!names.insert(output.name()).second) {
      problems_.add(fmt::format("output '{}' is named twice", printable(output.name())));
      continue;
    }
    const auto value = find(scope, output.name());
    if (!value) {
      if (!outputs_missing_) problems_.add(fmt::format("output '{}': no node makes it", printable(output.name())));
    } else if (*value != poisoned) {
      const auto& declared = output.type().tensor_type();
      const auto type = element_type(declared.elem_type());
      if (declared.elem_type() != onnx::TensorProto::UNDEFINED && type != graph_.type(*value).type)
        problems_.add(fmt::format("output '{}': declared as {}, its node makes {}", printable(output.name()),
                                  type ? std::string(to_string(*type)) : onnx_type_name(declared.elem_type()),
                                  to_string(graph_.type(*value))));
      graph_.outputs.push_back(named_output(printable(output.name()), *value));
      const auto& shape = graph_.type(*value).shape;
      bool agrees = !declared.has_shape() || declared.shape().dim_size() == static_cast<int>(shape.size());
      for (int d = 0; agrees && d < declared.shape().dim_size(); ++d)
        agrees = declared.shape().dim(d).dim_value() <= 0 ||
                 declared.shape().dim(d).dim_value() == shape[static_cast<std::size_t>(d)];
      if (!agrees)
        note(fmt::format("output '{}': its shape follows from the inputs as {}, not as the model declares it",
                         output.name(), to_string(graph_.type(*value))));
    }
  }
}

/// Values that several names reach (through Identity, a branch, a function) leave under the output's own.
ir::ValueId Importer::named_output(const std::string& name, ir::ValueId v) {
  if (graph_.value(v).name == name) return v;
  const auto among = [v](const std::vector<ir::ValueId>& values) {
    return std::find(values.begin(), values.end(), v) != values.end();
  };
  if (graph_.is_constant(v)) return graph_.add_constant(name, *graph_.value(v).constant);
  if (!among(graph_.inputs) && !among(graph_.outputs)) {
    graph_.value(v).name = name;
    return v;
  }
  const ir::TensorType type = graph_.type(v);
  const ir::ValueId copy = graph_.add_node("identity", {v}, type, {}, name);
  graph_.nodes.back().source = fmt::format("output '{}'", name);
  return copy;
}

void Importer::walk(onnx::GraphProto& graph, Scope& scope) {
  for (auto& node : *graph.mutable_node()) translate(node, scope);
}

void Importer::translate(onnx::NodeProto& node, Scope& scope) {
  const int unnamed = scope.unnamed[node.op_type()]++;
  const auto name =
      scope.prefix + printable(node.name().empty() ? fmt::format("{}_{}", node.op_type(), unnamed) : node.name());
  const auto domain = canonical_domain(node.domain());
  const auto label = fmt::format("node '{}' ({}{})", name, printable(node.op_type()),
                                 domain.empty() ? "" : fmt::format(" of domain '{}'", domain));
  std::vector<ir::ValueId> inputs;
  bool readable = true;
  for (const auto& input : node.input()) {
    const auto value = input.empty() ? ir::no_value : find(scope, input);
    // once is enough; and it may be an output that a node above names not, which is said
    if (!value && !outputs_missing_ && missing_.insert(input).second)
      problems_.add(fmt::format("{}: no value '{}' is made before it", label, printable(input)));
    readable = readable && value && *value != poisoned;
    inputs.push_back(value.value_or(poisoned));
  }
  while (!inputs.empty() && inputs.back() == ir::no_value) inputs.pop_back();
  if (std::ranges::all_of(node.output(), [](const std::string& output) { return output.empty(); })) {
    outputs_missing_ = true;
    return problems_.add(fmt::format("{}: it names no output", label));
  }

  Site site{node, scope, name, label, std::move(inputs)};
  using Translation = void (Importer::*)(Site&);
  static const std::map<std::string, Translation> structural{
      {"If", &Importer::choose_branch},       {"GRU", &Importer::expand_recurrence},
      {"LSTM", &Importer::expand_recurrence}, {"RNN", &Importer::expand_recurrence},
      {"Loop", &Importer::translate_loop},    {"Scan", &Importer::translate_scan}};
  const auto function = functions_.find({domain, node.op_type()});
  const auto structure = domain.empty() ? structural.find(node.op_type()) : structural.end();
  if (function == functions_.end() && structure == structural.end()) {
    const auto opset = scope.opsets->find(domain);
    if (opset == scope.opsets->end() && domain.empty())
      problems_.add(fmt::format("{}: no opset is imported for it", label));
    const auto match = ops::find_onnx(domain, node.op_type(), opset == scope.opsets->end() ? 1 : opset->second);
    if (!match) problems_.add(fmt::format("{}: {}", label, match.refusal));
    readable = readable && match;
  }
  if (!readable) return poison(node, scope);
  try {
    if (function != functions_.end())
      expand(site, *function->second);
    else if (structure != structural.end())
      (this->*structure->second)(site);
    else
      translate_operator(site);
  } catch (const UserError& e) {
    const std::string text = e.what();
    problems_.add(text.starts_with("node '") ? text : fmt::format("{}: {}", label, text));
    poison(node, scope);
  } catch (const std::bad_alloc&) {
    problems_.add(fmt::format("{}: its value, known at compile time, needs more memory than there is", label));
    poison(node, scope);
  }
}

void Importer::translate_operator(Site& site) {
  auto& [proto, scope, name, label, inputs] = site;
  auto& graph = *scope.graph;
  const auto domain = canonical_domain(proto.domain());
  const auto opset = scope.opsets->find(domain);
  const int version = opset == scope.opsets->end() ? 1 : opset->second;
  if (domain.empty() && proto.op_type() == "Identity" && inputs.size() == 1 && proto.output_size() == 1 &&
      graph.is_constant(inputs[0])) {  // exporters share initialisers through it
    define(scope, proto.output(0), inputs[0], label);
    return;
  }
  for (const auto& a : proto.attribute())
    if (a.has_t()) note_narrowing(a.t().data_type());
  ir::Node node;
  node.source = name;
  node.inputs = inputs;
  node.attributes = take_attributes(proto, external_, {.node = fmt::format("node '{}'", name)});
  for (const auto& output : proto.output())
    node.outputs.push_back(output.empty() ? ir::no_value : graph.add_value(printable(output), {}));
  while (!node.outputs.empty() && node.outputs.back() == ir::no_value) node.outputs.pop_back();
  const auto outputs = node.outputs;  // normalising may drop those that nothing needs
  if (const auto finding = ops::normalise(graph, node, domain, proto.op_type(), version))
    throw UserError(ops::to_string(*finding));
  append_or_fold(graph, std::move(node));
  for (int i = 0; i < static_cast<int>(outputs.size()); ++i)
    if (const auto v = outputs[static_cast<std::size_t>(i)]; v != ir::no_value)
      define(scope, proto.output(i), v, label);
}

void Importer::choose_branch(Site& site) {
  auto& [node, scope, name, label, inputs] = site;
  if (inputs.empty() || inputs[0] == ir::no_value) throw UserError("has no condition");
  if (!scope.graph->is_constant(inputs[0]))
    throw UserError("its condition depends on data; Pimento needs one that is known at compile time");
  const auto& known = *scope.graph->value(inputs[0]).constant;
  if (known.elements() != 1) throw UserError(fmt::format("expected one condition, got {}", to_string(known.type())));
  const std::string wanted = known.at(0).as_double() != 0 ? "then_branch" : "else_branch";
  auto& branch = body_of(node, wanted);
  Scope inner{.around = &scope, .graph = scope.graph, .prefix = name + "/", .opsets = scope.opsets};
  add_initialisers(branch, inner);
  walk(branch, inner);
  for (int i = 0; i < node.output_size(); ++i) {
    const auto value = i < branch.output_size() ? find(inner, branch.output(i).name()) : std::nullopt;
    if (!value) throw UserError(fmt::format("'{}' does not make output {}", wanted, i));
    if (!node.output(i).empty()) define(scope, node.output(i), *value, label);
  }
}

void Importer::expand_recurrence(Site& site) {
  expand(site, recurrent_function(site.proto, *site.scope.graph, site.inputs));
}

void Importer::expand(Site& site, const onnx::FunctionProto& function) {
  auto& [call, scope, name, label, inputs] = site;
  if (depth_ == deepest_nesting)
    throw UserError(fmt::format("functions call each other more than {} deep", deepest_nesting));
  ++depth_;
  const auto opsets = opset_map(function.opset_import());
  Scope inner{.graph = scope.graph, .prefix = name + "/", .opsets = opsets.empty() ? scope.opsets : &opsets};
  for (int i = 0; i < function.input_size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    inner.names[function.input(i)] = at < inputs.size() ? inputs[at] : ir::no_value;
  }
  for (onnx::NodeProto node : function.node()) {
    bind_attributes(node, call);
    translate(node, inner);
  }
  --depth_;
  for (int i = 0; i < call.output_size(); ++i) {
    if (call.output(i).empty()) continue;
    const auto value = i < function.output_size() ? find(inner, function.output(i)) : std::nullopt;
    if (!value) throw UserError(fmt::format("the function does not make output {}", i));
    define(scope, call.output(i), *value, label);
  }
}

}  // namespace pimento::frontend
