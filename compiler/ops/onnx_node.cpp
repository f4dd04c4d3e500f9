#include "compiler/ops/onnx_node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/define.hpp"

namespace pimento::ops {

void OnnxNode::erase(std::string_view name) {
  if (const auto it = node_.attributes.find(name); it != node_.attributes.end()) node_.attributes.erase(it);
}
std::optional<ir::Attribute> OnnxNode::take(std::string_view name) {
  const auto it = node_.attributes.find(name);
  if (it == node_.attributes.end()) return {};
  ir::Attribute value = std::move(it->second);
  node_.attributes.erase(it);
  return value;
}

namespace {
template <class T>
const T* kind_checked(const Call& c, std::string_view name, const std::optional<ir::Attribute>& value,
                      const char* expected) {
  if (!value) return nullptr;
  const T* typed = std::get_if<T>(&*value);
  if (!typed) c.refuse(name, expected, "another kind of attribute");
  return typed;
}
}  // namespace

std::int64_t OnnxNode::take_integer(std::string_view name, std::int64_t fallback) {
  const auto value = take(name);
  const auto* typed = kind_checked<std::int64_t>(*this, name, value, "an integer");
  return typed ? *typed : fallback;
}
double OnnxNode::take_real(std::string_view name, double fallback) {
  const auto value = take(name);
  const auto* typed = kind_checked<double>(*this, name, value, "a float");
  return typed ? *typed : fallback;
}
std::string OnnxNode::take_text(std::string_view name, const std::string& fallback) {
  const auto value = take(name);
  const auto* typed = kind_checked<std::string>(*this, name, value, "a string");
  return typed ? *typed : fallback;
}
/// Positions and steps, which need no more than 32 bits: beyond them "to the end" is all that is meant, and sums and
/// products of two stay numbers of 64 bits.
std::vector<std::int64_t> within_reach(std::vector<std::int64_t> values) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  for (auto& value : values) value = std::clamp(value, -most, most);
  return values;
}
std::optional<std::vector<std::int64_t>> OnnxNode::take_integers(std::string_view name) {
  auto value = take(name);
  if (!value) return {};
  if (const auto* none = std::get_if<std::vector<double>>(&*value); none && none->empty())
    return std::vector<std::int64_t>{};
  auto list = *kind_checked<std::vector<std::int64_t>>(*this, name, value, "a list of integers");
  const bool is_exact = name == "value_ints" || name == "shape";  // data, and extents
  return is_exact ? list : within_reach(std::move(list));
}
std::optional<std::vector<double>> OnnxNode::take_reals(std::string_view name) {
  auto value = take(name);
  if (!value) return {};
  if (const auto* none = std::get_if<std::vector<std::int64_t>>(&*value); none && none->empty())
    return std::vector<double>{};
  return *kind_checked<std::vector<double>>(*this, name, value, "a list of floats");
}
std::optional<ir::Tensor> OnnxNode::take_tensor(std::string_view name) {
  const auto value = take(name);
  if (!value) return {};
  return *kind_checked<ir::Tensor>(*this, name, value, "a tensor");
}

std::optional<std::vector<std::int64_t>> OnnxNode::known_integers(int input) {
  if (!has(input)) return {};
  const auto* content = constant(input);
  if (!content) refuse(input, "a value known at compile time", "one that is computed");
  if (is_float(content->element_type())) refuse(input, "integers", "floats");
  return content->to_integers();
}
std::optional<std::vector<std::int64_t>> OnnxNode::known_positions(int input) {
  auto list = known_integers(input);
  return list ? within_reach(std::move(*list)) : list;
}
std::optional<std::vector<double>> OnnxNode::known_reals(int input) {
  if (!has(input)) return {};
  const auto* content = constant(input);
  if (!content) refuse(input, "a value known at compile time", "one that is computed");
  return content->to_doubles();
}
std::optional<std::vector<std::int64_t>> OnnxNode::integers_from(std::string_view name, int input) {
  if (auto list = take_integers(name)) return list;
  return known_positions(input);
}
void OnnxNode::keep_inputs(int count) {
  if (inputs() > count) node_.inputs.resize(static_cast<std::size_t>(count));
}
void OnnxNode::set_input(int input, ir::ValueId value) {
  if (inputs() <= input) node_.inputs.resize(static_cast<std::size_t>(input) + 1, ir::no_value);
  node_.inputs[static_cast<std::size_t>(input)] = value;
}

std::int64_t OnnxNode::positive_axis(std::int64_t axis, int rank, std::string_view attribute) const {
  if (axis < -rank || axis >= rank)
    refuse(attribute, fmt::format("an axis in [{}, {}]", -rank, rank - 1), std::to_string(axis));
  return axis < 0 ? axis + rank : axis;
}
std::vector<std::int64_t> OnnxNode::positive_axes(std::vector<std::int64_t> axes, int rank,
                                                  std::string_view attribute) const {
  for (auto& axis : axes) axis = positive_axis(axis, rank, attribute);
  auto sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    refuse(attribute, "each axis once", fmt::format("{} twice", *twice));
  return axes;
}
void OnnxNode::put_axis(std::string_view name, std::int64_t fallback, int rank) {
  const auto axis = take_integer(name, fallback);
  put(std::string(name), positive_axis(axis, rank, name));
}

ir::ValueId OnnxNode::reshaped(ir::ValueId value, ir::Shape shape) {
  const auto old = graph_.value(value);
  if (old.type.shape == shape) return value;
  if (old.constant) return graph_.add_constant(old.name, old.constant->reshaped(std::move(shape)));
  const auto id =
      graph_.add_node("reshape", {value}, {old.type.type, shape}, {{"shape", shape}}, old.name + "_reshaped");
  graph_.nodes.back().source = node_.source;
  return id;
}
void OnnxNode::legacy_broadcast() {
  const bool broadcast = take_integer("broadcast", 0) != 0;
  const auto axis = take_integer("axis", -1);
  drop("consumed_inputs");
  if (!broadcast || opset_ >= 7 || axis == -1 || !has(1)) return;
  const auto first = positive_axis(axis, rank(0), "axis");
  const auto trailing = rank(0) - rank(1) - first;
  if (trailing < 0) refuse("axis", fmt::format("an axis that leaves room for rank {}", rank(1)), std::to_string(axis));
  auto wide = shape(1);
  wide.insert(wide.end(), static_cast<std::size_t>(trailing), 1);
  set_input(1, reshaped(node_.inputs[1], std::move(wide)));
}
void OnnxNode::define(int output, ir::Tensor content) {
  if (!wants(output)) return;
  auto& value = graph_.value(node_.outputs[static_cast<std::size_t>(output)]);
  value.type = content.type();
  value.constant = std::move(content);
}
void OnnxNode::keep_outputs(int count, const std::string& reason) {
  for (int i = count; i < outputs(); ++i)
    if (wants(i))
      refuse(fmt::format("at most {} output{}, since {}", count, count == 1 ? "" : "s", reason), std::to_string(i + 1));
  if (outputs() > count) node_.outputs.resize(static_cast<std::size_t>(count));
}

std::optional<ElementType> element_type_of_onnx(std::int64_t number) {
  switch (number) {
    case 1:
    case 11:
      return ElementType::f32;
    case 2:
      return ElementType::u8;
    case 3:
      return ElementType::i8;
    case 4:
      return ElementType::u16;
    case 5:
      return ElementType::i16;
    case 6:
      return ElementType::i32;
    case 7:
      return ElementType::i64;
    case 9:
      return ElementType::boolean;
    case 10:
      return ElementType::f16;
    case 12:
      return ElementType::u32;
    case 16:
      return ElementType::bf16;
    default:
      return std::nullopt;
  }
}

}  // namespace pimento::ops
