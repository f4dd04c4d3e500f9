#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/ir/interpreter.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

class GraphRun {
 public:
  GraphRun(const Graph& g, const KernelsOf& kernels_of, const RunOptions& options)
      : g_(g),
        kernels_of_(kernels_of),
        options_(options),
        content_(g.values.size()),
        last_reader_(g.values.size(), -1) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n) {
      for (const ValueId v : g.nodes[n].inputs) {
        if (v != no_value) last_reader_[to_index(v)] = static_cast<std::int64_t>(n);
      }
    }
    const auto never_freed = static_cast<std::int64_t>(g.nodes.size());
    for (const ValueId v : g.outputs) last_reader_[to_index(v)] = never_freed;
    for (const ValueId v : options.keep) last_reader_[to_index(v)] = never_freed;
    for (const GraphState& s : g.states) last_reader_[to_index(s.next)] = never_freed;
  }

  RunResult run(const std::vector<Tensor>& inputs) {
    bind_inputs(inputs);
    bind_states();
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
      execute(g_.nodes[n]);
      for (const ValueId v : g_.nodes[n].inputs) release(v, n);
      for (const ValueId v : g_.nodes[n].outputs) release(v, n);
    }
    RunResult result;
    for (const ValueId v : g_.outputs) result.outputs.push_back(get(v));
    for (const ValueId v : options_.keep) result.kept.push_back(get(v));
    if (options_.states != nullptr) {
      std::vector<Tensor> next;
      for (const GraphState& s : g_.states) next.push_back(get(s.next));
      *options_.states = std::move(next);
    }
    return result;
  }

 private:
  void bind_inputs(const std::vector<Tensor>& inputs) {
    if (inputs.size() != g_.inputs.size()) {
      throw UserError(
          fmt::format("graph '{}' has {} inputs, got {} tensors", g_.name, g_.inputs.size(), inputs.size()));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ValueId v = g_.inputs[i];
      if (inputs[i].empty_handle() || inputs[i].type() != g_.type(v)) {
        throw UserError(fmt::format("input '{}': expected {}, got {}", g_.value(v).name, to_string(g_.type(v)),
                                    inputs[i].empty_handle() ? "nothing" : to_string(inputs[i].type())));
      }
      set(v, inputs[i]);
    }
  }

  void bind_states() {
    if (g_.states.empty()) return;
    std::vector<Tensor> content = options_.states != nullptr ? *options_.states : initial_states(g_);
    if (content.size() != g_.states.size()) {
      throw UserError(
          fmt::format("graph '{}' has {} states, got {} tensors", g_.name, g_.states.size(), content.size()));
    }
    for (std::size_t i = 0; i < content.size(); ++i) {
      const ValueId v = g_.states[i].current;
      if (content[i].type() != g_.type(v)) {
        throw UserError(fmt::format("state '{}': expected {}, got {}", g_.value(v).name, to_string(g_.type(v)),
                                    to_string(content[i].type())));
      }
      set(v, std::move(content[i]));
    }
  }

  const Tensor& get(ValueId v) const {
    const Tensor& t = content_[to_index(v)];
    if (!t.empty_handle()) return t;
    PIMENTO_CHECK(g_.value(v).constant.has_value(),
                  fmt::format("value '{}' is read before it is made", g_.value(v).name));
    return *g_.value(v).constant;
  }
  Tensor get_optional(ValueId v) const { return v == no_value ? Tensor() : get(v); }

  void set(ValueId v, Tensor t) {
    if (v == no_value) return;
    PIMENTO_CHECK(t.type() == g_.type(v), fmt::format("value '{}' is {}, its node made {}", g_.value(v).name,
                                                      to_string(g_.type(v)), to_string(t.type())));
    if (options_.observer) options_.observer(g_, v, t);
    content_[to_index(v)] = std::move(t);
  }
  void release(ValueId v, std::size_t node) {
    if (v != no_value && last_reader_[to_index(v)] <= static_cast<std::int64_t>(node)) content_[to_index(v)] = Tensor();
  }

  void execute(const Node& n) {
    std::vector<Tensor> arguments;
    for (const ValueId v : n.inputs) arguments.push_back(get_optional(v));
    std::vector<Tensor> made;
    if (n.op == "loop") {
      made = loop(n, arguments);
    } else if (n.op == "group") {
      RunOptions inner;
      inner.observer = options_.observer;
      made = interpret(*n.body, arguments, kernels_of_, inner).outputs;
    } else {
      std::vector<TensorType> types;
      for (const ValueId v : n.outputs) types.push_back(v == no_value ? TensorType{} : g_.type(v));
      made = interpret(kernels_of_(g_, n), arguments, types);
    }
    PIMENTO_CHECK(made.size() >= n.outputs.size(),
                  fmt::format("node '{}' ({}) made {} of {} outputs", n.source, n.op, made.size(), n.outputs.size()));
    for (std::size_t i = 0; i < n.outputs.size(); ++i) set(n.outputs[i], std::move(made[i]));
  }

  static Tensor slice(const Tensor& t, std::int64_t at) {
    TensorType type = t.type();
    type.shape.erase(type.shape.begin());
    const auto size = static_cast<std::size_t>(type.bytes());
    return Tensor::copy(type, t.byte_span().subspan(static_cast<std::size_t>(at) * size, size));
  }

  std::vector<Tensor> loop(const Node& n, const std::vector<Tensor>& arguments) {
    const auto trips = integer_attribute(n, "trip_count", 0);
    const auto carried = static_cast<std::size_t>(integer_attribute(n, "carried", 0));
    const auto scans = static_cast<std::size_t>(integer_attribute(n, "scan_inputs", 0));
    const auto stacks = static_cast<std::size_t>(integer_attribute(n, "scan_outputs", 0));
    auto reverse = integers_attribute(n, "reverse", {});
    reverse.resize(scans + stacks, 0);
    std::vector<Tensor> values(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(carried));
    std::vector<Tensor> stacked;
    for (std::size_t k = 0; k < stacks; ++k) {
      TensorType type = n.body->type(n.body->outputs[carried + k]);
      type.shape.insert(type.shape.begin(), trips);
      stacked.push_back(Tensor::zeros(type));
    }
    RunOptions inner;
    inner.observer = options_.observer;
    for (std::int64_t i = 0; i < trips; ++i) {
      std::vector<Tensor> in = {Tensor::scalar(Scalar::of(ElementType::i64, i))};
      in.insert(in.end(), values.begin(), values.end());
      const auto place = [&](std::size_t k) { return reverse[k] != 0 ? trips - 1 - i : i; };
      for (std::size_t s = 0; s < scans; ++s) in.push_back(slice(arguments[carried + s], place(s)));
      in.insert(in.end(), arguments.begin() + static_cast<std::ptrdiff_t>(carried + scans), arguments.end());
      std::vector<Tensor> out = interpret(*n.body, in, kernels_of_, inner).outputs;
      for (std::size_t k = 0; k < stacks; ++k) {
        const auto bytes = out[carried + k].byte_span();
        if (bytes.empty()) continue;
        std::memcpy(stacked[k].mutable_bytes() + static_cast<std::size_t>(place(scans + k)) * bytes.size(),
                    bytes.data(), bytes.size());
      }
      out.resize(carried);
      values = std::move(out);
    }
    values.insert(values.end(), stacked.begin(), stacked.end());
    return values;
  }

  const Graph& g_;
  const KernelsOf& kernels_of_;
  const RunOptions& options_;
  std::vector<Tensor> content_;
  std::vector<std::int64_t> last_reader_;
};

}  // namespace

std::vector<Tensor> initial_states(const Graph& g) {
  std::vector<Tensor> content;
  for (const GraphState& s : g.states) {
    content.push_back(s.initial ? *s.initial : Tensor::zeros(g.type(s.current)));
  }
  return content;
}

RunResult interpret(const Graph& g, const std::vector<Tensor>& inputs, const KernelsOf& kernels_of,
                    const RunOptions& options) {
  return GraphRun(g, kernels_of, options).run(inputs);
}

}  // namespace pimento::ir
