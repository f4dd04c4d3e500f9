#include "compiler/ops/call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/ops/define.hpp"

namespace pimento::ops {

std::string to_string(const ir::Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }
std::string to_string(const Finding& f) {
  if (f.expected.empty()) return fmt::format("{}: {}", f.place, f.got);
  return fmt::format("{}: expected {}, got {}", f.place, f.expected, f.got);
}

bool Call::has(int input) const {
  return input < inputs() && node_.inputs[static_cast<std::size_t>(input)] != ir::no_value;
}
const ir::TensorType& Call::type(int input) const {
  if (!has(input)) refuse("input '" + input_name(input) + "'", "none");
  return graph_.type(node_.inputs[static_cast<std::size_t>(input)]);
}
std::int64_t Call::dim(int input, int d) const {
  const ir::Shape& extents = shape(input);
  if (static_cast<std::size_t>(d) >= extents.size()) require_rank_at_least(input, d + 1);
  return extents[static_cast<std::size_t>(d)];
}
const ir::Tensor* Call::constant(int input) const {
  if (!has(input)) return nullptr;
  const auto& content = graph_.value(node_.inputs[static_cast<std::size_t>(input)]).constant;
  return content ? &*content : nullptr;
}
std::string Call::input_name(int input) const {
  const auto& specs = op_.inputs;
  const auto at = static_cast<std::size_t>(input);
  if (!specs.empty() && specs.back().variadic && at + 1 >= specs.size())
    return fmt::format("{}[{}]", specs.back().name, at + 1 - specs.size());
  return at < specs.size() ? specs[at].name : fmt::format("#{}", input);
}

bool Call::wants(int output) const {
  return output < outputs() && node_.outputs[static_cast<std::size_t>(output)] != ir::no_value;
}
ir::TensorType Call::output(int output) const { return op_.infer(*this).at(static_cast<std::size_t>(output)); }

bool Call::given(std::string_view name) const { return node_.attributes.find(name) != node_.attributes.end(); }
const ir::Attribute& Call::attribute(std::string_view name) const {
  if (const auto it = node_.attributes.find(name); it != node_.attributes.end()) return it->second;
  const auto spec = std::find_if(op_.attributes.begin(), op_.attributes.end(),
                                 [&](const AttributeSpec& s) { return s.name == name; });
  if (spec != op_.attributes.end() && spec->fallback) return *spec->fallback;
  refuse(name, "a value", "none");
}
std::int64_t Call::integer(std::string_view name) const { return std::get<std::int64_t>(attribute(name)); }
double Call::real(std::string_view name) const { return std::get<double>(attribute(name)); }
const std::string& Call::text(std::string_view name) const { return std::get<std::string>(attribute(name)); }
const std::vector<std::int64_t>& Call::integers(std::string_view name) const {
  static const std::vector<std::int64_t> none;
  const auto& value = attribute(name);
  const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
  return list ? *list : none;  // an empty list may have come as floats
}
const std::vector<double>& Call::reals(std::string_view name) const {
  return std::get<std::vector<double>>(attribute(name));
}
const ir::Tensor& Call::tensor(std::string_view name) const { return std::get<ir::Tensor>(attribute(name)); }

std::string Call::place() const {
  if (node_.source.empty()) return fmt::format("node of '{}'", op_.name);
  return fmt::format("node '{}' ({})", node_.source, op_.name);
}
std::string Call::place(int input) const {
  std::string result = fmt::format("{}, input '{}'", place(), input_name(input));
  if (has(input)) result += " " + ir::to_string(type(input));
  return result;
}
std::string Call::place(std::string_view attribute) const {
  return fmt::format("{}, attribute '{}'", place(), attribute);
}
void Call::refuse(const std::string& expected, const std::string& got) const {
  throw RuleError({place(), expected, got});
}
void Call::refuse(int input, const std::string& expected, const std::string& got) const {
  throw RuleError({place(input), expected, got});
}
void Call::refuse(std::string_view attribute, const std::string& expected, const std::string& got) const {
  throw RuleError({place(attribute), expected, got});
}
void Call::require_rank(int input, int expected, const std::string& why) const {
  if (rank(input) == expected) return;
  refuse(input, fmt::format("rank {}{}{}", expected, why.empty() ? "" : ", ", why),
         fmt::format("rank {}", rank(input)));
}
void Call::require_rank_at_least(int input, int expected) const {
  if (rank(input) < expected)
    refuse(input, fmt::format("rank {} or more", expected), fmt::format("rank {}", rank(input)));
}
int Call::axis(std::string_view name, int rank) const {
  const auto value = integer(name);
  if (value < 0 || value >= rank) refuse(name, fmt::format("an axis in [0, {}]", rank - 1), std::to_string(value));
  return static_cast<int>(value);
}

}  // namespace pimento::ops
