#include <fmt/format.h>

#include <cmath>
#include <map>

#include "isa/support/error.hpp"
#include "validation/reference/operator.hpp"

namespace pimento::reference {
namespace {

std::map<std::string, Operator>& table() {
  static std::map<std::string, Operator> all;
  return all;
}

template <class T>
double wrapped(double x) {
  // Beyond 2^63 a double is no integer of ours any more; such a value saturates first.
  if (!(x > -9.2e18)) return static_cast<double>(static_cast<T>(std::numeric_limits<std::int64_t>::min()));
  if (!(x < 9.2e18)) return static_cast<double>(static_cast<T>(std::numeric_limits<std::int64_t>::max()));
  return static_cast<double>(static_cast<T>(static_cast<std::int64_t>(x)));
}

/// Every reader of a value in a graph, so that a value is dropped after its last one.
std::vector<int> readers(const ir::Graph& graph) {
  std::vector<int> count(graph.values.size(), 0);
  const auto add = [&](ir::ValueId v) {
    if (v != ir::no_value) ++count[ir::to_index(v)];
  };
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId v : node.inputs) add(v);
  for (const ir::ValueId v : graph.outputs) add(v);
  for (const ir::GraphState& s : graph.states) add(s.next);
  return count;
}

class Run {
 public:
  Run(const ir::Graph& graph, const Options& options)
      : graph_(graph), options_(options), values_(graph.values.size()), waiting_(readers(graph)) {}

  void set(ir::ValueId v, Shared value) { values_[ir::to_index(v)] = std::move(value); }

  Shared take(ir::ValueId v) {
    if (v == ir::no_value) return nullptr;
    const std::size_t i = ir::to_index(v);
    if (const auto& constant = graph_.value(v).constant; constant && values_[i] == nullptr)
      return std::make_shared<const Value>(to_value(*constant));  // not kept: weights are large
    PIMENTO_CHECK(values_[i] != nullptr, fmt::format("value '{}' is read before it is made", graph_.value(v).name));
    Shared value = values_[i];
    if (--waiting_[i] == 0) values_[i].reset();
    return value;
  }

  void execute(const ir::Node& node) {
    const Operator op = find(node.op);
    if (op == nullptr)
      throw UserError(fmt::format("node '{}' ({}): the reference has no such operator", node.source, node.op));
    Call call{graph_, node, {}};
    for (const ir::ValueId v : node.inputs) call.inputs.push_back(take(v));
    std::vector<Value> results = op(call);
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const ir::ValueId v = node.outputs[o];
      if (v == ir::no_value) continue;
      PIMENTO_CHECK(
          o < results.size() && results[o].shape == graph_.type(v).shape,
          fmt::format("node '{}' ({}): output {} has another shape than the graph says", node.source, node.op, o));
      results[o].type = graph_.type(v).type;
      const Shared made = std::make_shared<const Value>(std::move(results[o]));
      if (options_.observer) options_.observer(v, *made);
      if (waiting_[ir::to_index(v)] > 0) set(v, made);
    }
  }

 private:
  const ir::Graph& graph_;
  const Options& options_;
  std::vector<Shared> values_;
  std::vector<int> waiting_;
};

std::string& repeated() {
  static std::string name;
  return name;
}

}  // namespace

Registration::Registration(const char* name, Operator op) {
  // Not thrown here: this runs while a library is loaded, and who loads it has more to say.
  if (!table().emplace(name, op).second) repeated() = name;
}
Operator find(const std::string& name) {
  PIMENTO_CHECK(repeated().empty(), fmt::format("reference operator '{}' is registered twice", repeated()));
  const auto at = table().find(name);
  return at == table().end() ? nullptr : at->second;
}
std::vector<std::string> operators() {
  std::vector<std::string> names;
  for (const auto& [name, op] : table()) names.push_back(name);
  return names;
}

double fit(ElementType type, double x) {
  switch (type) {
    case ElementType::u8:
      return wrapped<std::uint8_t>(x);
    case ElementType::i8:
      return wrapped<std::int8_t>(x);
    case ElementType::u16:
      return wrapped<std::uint16_t>(x);
    case ElementType::i16:
      return wrapped<std::int16_t>(x);
    case ElementType::u32:
      return wrapped<std::uint32_t>(x);
    case ElementType::i32:
      return wrapped<std::int32_t>(x);
    case ElementType::i64:
      return wrapped<std::int64_t>(x);
    case ElementType::boolean:
      return x != 0 ? 1 : 0;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::f32:
      return x;
  }
  throw InternalError("an element type that the reference does not know");
}

Value to_value(const ir::Tensor& tensor) {
  Value value{tensor.element_type(), tensor.shape(), {}};
  if (tensor.element_type() == ElementType::f32)
    value.data.assign(tensor.data<float>(), tensor.data<float>() + tensor.elements());
  else
    value.data = tensor.to_doubles();
  return value;
}
ir::Tensor to_tensor(const Value& value) {
  std::vector<double> data = value.data;
  for (double& x : data) x = fit(value.type, x);
  return ir::Tensor::of({value.type, value.shape}, data);
}

std::int64_t Call::integer(std::string_view name, std::int64_t otherwise) const {
  return ir::integer_attribute(node, name, otherwise);
}
double Call::real(std::string_view name, double otherwise) const { return ir::real_attribute(node, name, otherwise); }
std::string Call::text(std::string_view name, const std::string& otherwise) const {
  return ir::text_attribute(node, name, otherwise);
}
ir::Shape Call::integers(std::string_view name, const ir::Shape& otherwise) const {
  return ir::integers_attribute(node, name, otherwise);
}
Value Call::output(std::size_t i) const {
  const ir::TensorType& type = graph.type(node.outputs[i]);
  return {type.type, type.shape, std::vector<double>(static_cast<std::size_t>(count(type.shape)), 0.0)};
}
std::vector<Value> Call::map(const std::function<double(double)>& f) const {
  Value result = output();
  const std::vector<double>& x = in(0).data;
  for (std::size_t i = 0; i < x.size(); ++i) result.data[i] = fit(result.type, f(x[i]));
  return {result};
}
void Call::refuse(const std::string& reason) const {
  throw UserError(fmt::format("node '{}' ({}): {}", node.source, node.op, reason));
}

std::int64_t count(const ir::Shape& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}
std::vector<std::int64_t> strides(const ir::Shape& shape) {
  std::vector<std::int64_t> result(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) result[d - 1] = result[d] * shape[d];
  return result;
}
bool advance(std::vector<std::int64_t>& at, const ir::Shape& shape) {
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (++at[d] < shape[d]) return true;
    at[d] = 0;
  }
  return false;
}
std::int64_t flat(const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& by) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d < at.size(); ++d) position += at[d] * by[d];
  return position;
}
std::vector<std::int64_t> broadcast_strides(const ir::Shape& shape, const ir::Shape& result) {
  const std::vector<std::int64_t> own = strides(shape);
  std::vector<std::int64_t> by(result.size(), 0);
  const std::size_t missing = result.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1) by[missing + d] = own[d];
  return by;
}

std::vector<Shared> run_body(const ir::Graph& graph, const std::vector<Shared>& inputs) {
  const Options none;
  Run run(graph, none);
  for (std::size_t i = 0; i < inputs.size(); ++i) run.set(graph.inputs[i], inputs[i]);
  for (const ir::Node& node : graph.nodes) run.execute(node);
  std::vector<Shared> outputs;
  for (const ir::ValueId v : graph.outputs) outputs.push_back(run.take(v));
  return outputs;
}

std::vector<ir::Tensor> run(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs, const Options& options) {
  if (inputs.size() != graph.inputs.size())
    throw UserError(fmt::format("expected {} inputs, got {}", graph.inputs.size(), inputs.size()));
  Run run(graph, options);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ir::Value& declared = graph.value(graph.inputs[i]);
    if (inputs[i].type() != declared.type)
      throw UserError(fmt::format("input '{}': expected {}, got {}", declared.name, ir::to_string(declared.type),
                                  ir::to_string(inputs[i].type())));
    run.set(graph.inputs[i], std::make_shared<const Value>(to_value(inputs[i])));
  }
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    const ir::ValueId current = graph.states[s].current;
    const ir::Tensor initial = options.states != nullptr    ? (*options.states)[s]
                               : graph.is_constant(current) ? *graph.value(current).constant
                                                            : ir::Tensor::zeros(graph.type(current));
    run.set(current, std::make_shared<const Value>(to_value(initial)));
  }
  for (const ir::Node& node : graph.nodes) run.execute(node);
  std::vector<ir::Tensor> outputs;
  for (const ir::ValueId v : graph.outputs) outputs.push_back(to_tensor(*run.take(v)));
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    const Shared next = run.take(graph.states[s].next);
    if (options.states != nullptr) (*options.states)[s] = to_tensor(*next);
  }
  return outputs;
}

}  // namespace pimento::reference
