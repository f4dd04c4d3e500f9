#include "compiler/ir/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

template <class T>
const T* find_attribute(const Node& n, std::string_view name, const char* kind) {
  const auto found = n.attributes.find(name);
  if (found == n.attributes.end()) return nullptr;
  const T* value = std::get_if<T>(&found->second);
  PIMENTO_CHECK(value != nullptr, fmt::format("attribute '{}' of node '{}' ({}) is no {}", name, n.source, n.op, kind));
  return value;
}

void replace(ValueId& v, ValueId from, ValueId to) {
  if (v == from) v = to;
}

}  // namespace

std::int64_t integer_attribute(const Node& n, std::string_view name, std::int64_t fallback) {
  const auto* v = find_attribute<std::int64_t>(n, name, "integer");
  return v != nullptr ? *v : fallback;
}
double real_attribute(const Node& n, std::string_view name, double fallback) {
  const auto* v = find_attribute<double>(n, name, "real number");
  return v != nullptr ? *v : fallback;
}
std::string text_attribute(const Node& n, std::string_view name, const std::string& fallback) {
  const auto* v = find_attribute<std::string>(n, name, "text");
  return v != nullptr ? *v : fallback;
}
std::vector<std::int64_t> integers_attribute(const Node& n, std::string_view name,
                                             const std::vector<std::int64_t>& fallback) {
  const auto* v = find_attribute<std::vector<std::int64_t>>(n, name, "list of integers");
  return v != nullptr ? *v : fallback;
}
std::vector<double> reals_attribute(const Node& n, std::string_view name, const std::vector<double>& fallback) {
  const auto* v = find_attribute<std::vector<double>>(n, name, "list of real numbers");
  return v != nullptr ? *v : fallback;
}
const Tensor* tensor_attribute(const Node& n, std::string_view name) {
  return find_attribute<Tensor>(n, name, "tensor");
}

ValueId Graph::add_value(std::string value_name, TensorType type) {
  values.push_back({std::move(value_name), std::move(type), std::nullopt});
  return ValueId{static_cast<std::int32_t>(values.size() - 1)};
}
ValueId Graph::add_input(std::string value_name, TensorType type) {
  return inputs.emplace_back(add_value(std::move(value_name), std::move(type)));
}
ValueId Graph::add_constant(std::string value_name, Tensor tensor) {
  const ValueId v = add_value(std::move(value_name), tensor.type());
  value(v).constant = std::move(tensor);
  return v;
}
ValueId Graph::add_node(std::string op, std::vector<ValueId> node_inputs, TensorType output, Attributes attributes,
                        std::string output_name) {
  const ValueId v = add_value(std::move(output_name), std::move(output));
  nodes.push_back({std::move(op), std::move(attributes), std::move(node_inputs), {v}, "", nullptr});
  return v;
}
std::optional<ValueId> Graph::find(std::string_view value_name) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].name == value_name) return ValueId{static_cast<std::int32_t>(i)};
  }
  return std::nullopt;
}

Uses::Uses(const Graph& g) : producer_(g.values.size(), -1), uses_(g.values.size()), leaves_(g.values.size(), false) {
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const Node& node = g.nodes[n];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != no_value)
        uses_[to_index(node.inputs[i])].push_back({static_cast<int>(n), static_cast<int>(i)});
    }
    for (const ValueId v : node.outputs) {
      if (v != no_value) producer_[to_index(v)] = static_cast<int>(n);
    }
  }
  for (const ValueId v : g.outputs) leaves_[to_index(v)] = true;
  for (const GraphState& s : g.states) leaves_[to_index(s.next)] = true;
}

void replace_uses(Graph& g, ValueId from, ValueId to) {
  for (Node& n : g.nodes) {
    for (ValueId& v : n.inputs) replace(v, from, to);
  }
  for (ValueId& v : g.outputs) replace(v, from, to);
  for (GraphState& s : g.states) replace(s.next, from, to);
}

int erase_dead_nodes(Graph& g) {
  std::vector<bool> live(g.values.size(), false);
  for (const ValueId v : g.outputs) live[to_index(v)] = true;
  for (const GraphState& s : g.states) live[to_index(s.next)] = true;
  std::vector<bool> keep(g.nodes.size(), false);
  for (std::size_t n = g.nodes.size(); n-- > 0;) {
    const Node& node = g.nodes[n];
    keep[n] = std::any_of(node.outputs.begin(), node.outputs.end(),
                          [&](ValueId v) { return v != no_value && live[to_index(v)]; });
    if (!keep[n]) continue;
    for (const ValueId v : node.inputs) {
      if (v != no_value) live[to_index(v)] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    if (!keep[n]) continue;
    if (kept != n) g.nodes[kept] = std::move(g.nodes[n]);
    ++kept;
  }
  const int erased = static_cast<int>(g.nodes.size() - kept);
  g.nodes.resize(kept);
  return erased;
}

void sort_topologically(Graph& g) {
  const Uses uses(g);
  std::vector<int> missing(g.nodes.size(), 0);
  std::set<std::size_t> ready;  // ordered: the earliest node that may go, goes
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    for (const ValueId v : g.nodes[n].inputs) missing[n] += v != no_value && uses.producer(v) >= 0 ? 1 : 0;
    if (missing[n] == 0) ready.insert(n);
  }
  std::vector<Node> sorted;
  sorted.reserve(g.nodes.size());
  while (!ready.empty()) {
    const std::size_t n = *ready.begin();
    ready.erase(ready.begin());
    for (const ValueId v : g.nodes[n].outputs) {
      if (v == no_value) continue;
      for (const Use& use : uses.of(v)) {
        if (--missing[static_cast<std::size_t>(use.node)] == 0) ready.insert(static_cast<std::size_t>(use.node));
      }
    }
    sorted.push_back(g.nodes[n]);
  }
  PIMENTO_CHECK(sorted.size() == g.nodes.size(), fmt::format("graph '{}': {} of {} nodes form a cycle", g.name,
                                                             g.nodes.size() - sorted.size(), g.nodes.size()));
  g.nodes = std::move(sorted);
}

namespace {
template <class F>
void for_each_mention(Graph& g, const F& f) {
  for (ValueId& v : g.inputs) f(v);
  for (GraphState& s : g.states) {
    f(s.current);
    f(s.next);
  }
  for (Node& n : g.nodes) {
    for (ValueId& v : n.inputs) f(v);
    for (ValueId& v : n.outputs) f(v);
  }
  for (ValueId& v : g.outputs) f(v);
}
}  // namespace

std::vector<ValueId> compact(Graph& g) {
  std::vector<bool> used(g.values.size(), false);
  for_each_mention(g, [&](ValueId& v) {
    if (v != no_value) used[to_index(v)] = true;
  });
  std::vector<ValueId> renumbered(g.values.size(), no_value);
  std::vector<Value> kept;
  for (std::size_t i = 0; i < g.values.size(); ++i) {
    if (!used[i]) continue;
    renumbered[i] = ValueId{static_cast<std::int32_t>(kept.size())};
    kept.push_back(std::move(g.values[i]));
  }
  g.values = std::move(kept);
  for_each_mention(g, [&](ValueId& v) {
    if (v != no_value) v = renumbered[to_index(v)];
  });
  return renumbered;
}

std::vector<ValueId> inline_graph(Graph& g, const Graph& inner, const std::vector<ValueId>& arguments, std::size_t at) {
  PIMENTO_CHECK(arguments.size() == inner.inputs.size(),
                fmt::format("graph '{}' takes {} inputs, got {}", inner.name, inner.inputs.size(), arguments.size()));
  PIMENTO_CHECK(inner.states.empty(), fmt::format("graph '{}' has states and cannot be inlined", inner.name));
  std::vector<ValueId> id(inner.values.size(), no_value);
  for (std::size_t i = 0; i < arguments.size(); ++i) id[to_index(inner.inputs[i])] = arguments[i];
  const auto translate = [&](ValueId v) {
    if (v == no_value) return no_value;
    ValueId& to = id[to_index(v)];
    const bool is_input = std::find(inner.inputs.begin(), inner.inputs.end(), v) != inner.inputs.end();
    if (to == no_value && !is_input) {
      to = g.add_value(inner.value(v).name, inner.type(v));
      g.value(to).constant = inner.value(v).constant;
    }
    return to;
  };
  std::vector<Node> copies;
  for (Node n : inner.nodes) {
    for (ValueId& v : n.inputs) v = translate(v);
    for (ValueId& v : n.outputs) v = translate(v);
    copies.push_back(std::move(n));
  }
  g.nodes.insert(g.nodes.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(copies.begin()),
                 std::make_move_iterator(copies.end()));
  std::vector<ValueId> results;
  for (const ValueId v : inner.outputs) results.push_back(translate(v));
  return results;
}

}  // namespace pimento::ir
