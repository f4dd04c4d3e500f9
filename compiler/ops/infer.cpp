#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/entries.hpp"

namespace pimento::ops {

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 40;

void check_inputs(const Call& c) {
  const auto& specs = c.op().inputs;
  const bool variadic = !specs.empty() && specs.back().variadic;
  const auto most = static_cast<int>(specs.size());
  if (!variadic && c.inputs() > most)
    c.refuse(fmt::format("at most {} input{}", most, most == 1 ? "" : "s"), std::to_string(c.inputs()));
  for (int i = 0; i < std::max(most, c.inputs()); ++i) {
    const auto& spec = specs[static_cast<std::size_t>(std::min(i, most - 1))];
    if (!c.has(i)) {
      if (spec.optional) continue;
      c.refuse(fmt::format("input '{}'", c.input_name(i)), "none");
    }
    if (spec.as_first || (spec.variadic && i >= most)) {
      if (c.element(i) != c.element(0))
        c.refuse(i, fmt::format("{}, as '{}' has", to_string(c.element(0)), c.input_name(0)),
                 std::string(to_string(c.element(i))));
    } else if (!accepts(spec.types, c.element(i))) {
      c.refuse(i, std::string(describe(spec.types)), std::string(to_string(c.element(i))));
    }
  }
}

void check_attributes(const Call& c, const ir::Node& node) {
  const auto& specs = c.op().attributes;
  std::vector<std::string> names;
  for (const auto& spec : specs) {
    names.push_back(spec.name);
    const auto it = node.attributes.find(spec.name);
    if (it == node.attributes.end()) {
      if (!spec.fallback && !spec.is_optional) c.refuse(spec.name, describe(spec), "none");
      continue;
    }
    if (const auto expected = expectation(spec, it->second); !expected.empty()) {
      const auto* t = std::get_if<std::string>(&it->second);
      const auto* i = std::get_if<std::int64_t>(&it->second);
      const auto* is = std::get_if<std::vector<std::int64_t>>(&it->second);
      c.refuse(spec.name, expected, t ? "'" + *t + "'" : i ? std::to_string(*i) : is ? to_string(*is) : "another kind");
    }
  }
  for (const auto& [name, value] : node.attributes)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw RuleError(
          {c.place(), "",
           fmt::format("unknown attribute '{}'{}", name, names.empty() ? "; it has none" : suggestion(name, names))});
}

std::vector<TensorType> infer_group(const ir::Node& node) {
  std::vector<TensorType> result;
  for (const auto v : node.body->outputs) result.push_back(node.body->type(v));
  return result;
}

std::vector<TensorType> infer_loop(const ir::Node& node) {
  const auto trips = ir::integer_attribute(node, "trip_count", 0);
  const auto carried = static_cast<std::size_t>(ir::integer_attribute(node, "carried", 0));
  auto result = infer_group(node);
  for (std::size_t i = carried; i < result.size(); ++i) result[i].shape.insert(result[i].shape.begin(), trips);
  return result;
}

void check_size(const Call& c, const TensorType& type) {
  std::int64_t elements = 1;
  for (const auto extent : type.shape) {
    const auto factor = std::max<std::int64_t>(1, extent);  // an empty tensor may not hide what overflows elsewhere
    if (extent < 0 || elements > most_elements / factor)
      c.refuse(fmt::format("outputs of at most {} elements", most_elements), ir::to_string(type));
    elements *= factor;
  }
}

}  // namespace

void require_table(const Call& c, double entries) {
  constexpr double most = 1 << 22;
  if (entries > most)
    c.refuse(fmt::format("positions that fit a table of {:.0f} entries", most), fmt::format("{:.0f}", entries));
}

void check_descriptions(const Call& c, const ir::Node& node) {
  check_inputs(c);
  check_attributes(c, node);
}

std::vector<TensorType> infer_or_throw(const ir::Graph& g, const ir::Node& node) {
  if (node.body) return node.op == "loop" ? infer_loop(node) : infer_group(node);
  const OpDef* op = find(node.op);
  if (!op) {
    std::vector<std::string> names;
    for (const OpDef* known : all()) names.push_back(known->name);
    throw RuleError({fmt::format("node '{}'", node.source), "",
                     fmt::format("unknown operator '{}'{}", node.op, suggestion(node.op, names))});
  }
  const Call call(*op, g, node);
  check_descriptions(call, node);
  auto types = op->infer(call);
  if (static_cast<int>(types.size()) < call.outputs())
    call.refuse(fmt::format("at most {} output{}", types.size(), types.size() == 1 ? "" : "s"),
                std::to_string(call.outputs()));
  types.resize(static_cast<std::size_t>(call.outputs()));
  for (const auto& type : types) check_size(call, type);
  return types;
}

Inference infer(const ir::Graph& g, const ir::Node& node) {
  try {
    return {infer_or_throw(g, node), {}};
  } catch (const RuleError& e) {
    return {{}, e.finding()};
  }
}

std::vector<Finding> check(const ir::Graph& g) {
  std::vector<Finding> findings;
  for (const auto& node : g.nodes) {
    const auto inference = infer(g, node);
    if (inference.finding) findings.push_back(*inference.finding);
    for (std::size_t i = 0; i < inference.outputs.size(); ++i) {
      if (node.outputs[i] == ir::no_value || g.type(node.outputs[i]) == inference.outputs[i]) continue;
      findings.push_back({fmt::format("node '{}' ({}), output {}", node.source, node.op, i),
                          ir::to_string(inference.outputs[i]), ir::to_string(g.type(node.outputs[i]))});
    }
    if (node.body) {
      const auto inner = check(*node.body);
      findings.insert(findings.end(), inner.begin(), inner.end());
    }
  }
  return findings;
}

}  // namespace pimento::ops
