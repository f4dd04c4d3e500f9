#include "compiler/frontend/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compiler/frontend/tensor_proto.hpp"

namespace pimento::frontend {
namespace {
/// Beyond any memory, and small enough that a size in bytes cannot overflow.
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

bool names_a_batch(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("batch") != std::string::npos;
}
}  // namespace

std::optional<std::int64_t> InputTypes::extent(const onnx::ValueInfoProto& input, int axis, int rank) {
  const auto& dimension = input.type().tensor_type().shape().dim(axis);
  const bool is_static = dimension.has_dim_value() && dimension.dim_value() >= 0;
  const std::string by_place = fmt::format("{}.{}", input.name(), axis);
  const std::string name = dimension.dim_param().empty() ? by_place : dimension.dim_param();
  const std::string shown = dimension.dim_param().empty() ? std::to_string(axis) : fmt::format("'{}'", name);
  known_.insert(by_place);
  if (!is_static) known_.insert(name);
  for (const auto& key : {by_place, name}) {
    const auto given = options_.dimensions.find(key);
    if (given == options_.dimensions.end() || (is_static && key != by_place)) continue;
    if (given->second >= 1) return given->second;
    problems_.add(fmt::format("input '{}': dimension {}: expected an extent of 1 or more, got --dim {}{}={}",
                              input.name(), shown, options_.dimension_prefix, key, given->second));
    return std::nullopt;
  }
  if (is_static) return dimension.dim_value();
  const std::size_t at = resolved_ - 1;
  if (at < options_.input_shapes.size() && static_cast<int>(options_.input_shapes[at].size()) == rank &&
      options_.input_shapes[at][static_cast<std::size_t>(axis)] >= 1) {
    const std::int64_t extent = options_.input_shapes[at][static_cast<std::size_t>(axis)];
    const auto note = fmt::format("input '{}': dimension {} set to {}, as the given tensor has (--dim {}{}={})",
                                  input.name(), shown, extent, options_.dimension_prefix, name, extent);
    if (options_.note && noted_.insert(note).second) options_.note(note);
    return extent;
  }
  if ((axis == 0 && rank >= 2) || names_a_batch(dimension.dim_param())) {
    const auto note = fmt::format("input '{}': dimension {} set to 1 (--dim {}{}=1)", input.name(), shown,
                                  options_.dimension_prefix, name);
    if (options_.note && noted_.insert(note).second) options_.note(note);
    return 1;
  }
  problems_.add(
      fmt::format("input '{}': dimension {} (axis {}) is dynamic, and Pimento needs static shapes; give --dim {}{}=N",
                  input.name(), shown, axis, options_.dimension_prefix, name));
  return std::nullopt;
}

std::optional<ir::TensorType> InputTypes::resolve(const onnx::ValueInfoProto& input) {
  ++resolved_;
  if (!input.type().has_tensor_type()) {
    const bool is_sequence = input.type().has_sequence_type();
    const bool has_type = input.type().value_case() != onnx::TypeProto::VALUE_NOT_SET;
    problems_.add(fmt::format("input '{}': expected a tensor, got {}", input.name(),
                              is_sequence ? "a sequence"
                              : has_type  ? "an optional, map or sparse tensor"
                                          : "no type"));
    return std::nullopt;
  }
  const auto& tensor = input.type().tensor_type();
  const auto type = element_type(tensor.elem_type());
  if (!type) {
    problems_.add(
        fmt::format("input '{}': element type {} is not supported", input.name(), onnx_type_name(tensor.elem_type())));
    return std::nullopt;
  }
  if (!tensor.has_shape()) {
    problems_.add(
        fmt::format("input '{}': has no shape, not even a rank, and Pimento needs static shapes", input.name()));
    return std::nullopt;
  }
  ir::TensorType result{*type, {}};
  bool complete = true;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    const auto e = extent(input, axis, tensor.shape().dim_size());
    complete = complete && e.has_value();
    result.shape.push_back(e.value_or(1));
  }
  if (!complete) return std::nullopt;
  std::int64_t elements = 1;
  for (const auto d : result.shape) {
    if (d > 0 && elements > most_elements / d) {
      problems_.add(
          fmt::format("input '{}': {} has more than {} elements", input.name(), to_string(result), most_elements));
      return std::nullopt;
    }
    elements *= d;
  }
  return result;
}

std::string InputTypes::mismatch(const onnx::ValueInfoProto& input, const ir::TensorType& given) {
  const auto& tensor = input.type().tensor_type();
  const auto type = element_type(tensor.elem_type());
  const auto rank = static_cast<std::size_t>(tensor.shape().dim_size());
  bool fits = type == given.type && (!tensor.has_shape() || rank == given.shape.size());
  std::string declared;
  for (int d = 0; d < tensor.shape().dim_size(); ++d) {
    const auto& dim = tensor.shape().dim(d);
    const bool is_static = dim.has_dim_value() && dim.dim_value() >= 0;
    fits = fits && (!is_static || dim.dim_value() == given.shape[static_cast<std::size_t>(d)]);
    declared += (d == 0 ? "" : ",") + (is_static ? std::to_string(dim.dim_value()) : dim.dim_param());
  }
  if (fits) return "";
  return fmt::format("input '{}': expected {}[{}], got a constant {}", input.name(),
                     type ? std::string(to_string(*type)) : onnx_type_name(tensor.elem_type()), declared,
                     to_string(given));
}

void InputTypes::check_all_used() {
  for (const auto& [name, extent] : options_.dimensions) {
    if (known_.count(name) != 0) continue;
    problems_.add(fmt::format("no dimension '{}' for --dim {}{}={}{}", name, options_.dimension_prefix, name, extent,
                              suggestion(name, {known_.begin(), known_.end()})));
  }
}

}  // namespace pimento::frontend
