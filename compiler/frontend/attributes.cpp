#include "compiler/frontend/attributes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace pimento::frontend {

namespace {
/// The shortest decimal that is this float, so that a written 1e-5 equals the default 1e-5.
double decimal(float value) {
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  double result = static_cast<double>(value);
  std::from_chars(text, end, result);
  return result;
}

/// A number that is none, or infinite, is a fault of the exporter, but where it bounds or fills.
void expect_finite(const onnx::NodeProto& node, float value, const Place& at) {
  const std::string& op = node.op_type();
  const bool may_be =
      op == "Constant" || op == "ConstantOfShape" || op == "Pad" || (op == "Clip" && !std::isnan(value));
  if (!std::isfinite(value) && !may_be) throw UserError(at, fmt::format("expected a finite number, got {}", value));
}
}  // namespace

ir::Attributes take_attributes(onnx::NodeProto& node, ExternalData& external, const Place& place) {
  ir::Attributes attributes;
  for (auto& a : *node.mutable_attribute()) {
    const auto at = Place{.file = place.file, .node = fmt::format("{}, attribute '{}'", place.node, a.name())};
    if (!a.ref_attr_name().empty())
      throw UserError(at, fmt::format("refers to '{}' of a function, and stands in none", a.ref_attr_name()));
    ir::Attribute value;
    switch (a.type()) {
      case onnx::AttributeProto::INT:
        value = a.i();
        break;
      case onnx::AttributeProto::FLOAT:
        expect_finite(node, a.f(), at);
        value = decimal(a.f());
        break;
      case onnx::AttributeProto::STRING:
        value = a.s();
        break;
      case onnx::AttributeProto::INTS:
        value = std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
        break;
      case onnx::AttributeProto::FLOATS: {
        std::vector<double> values;
        for (const float f : a.floats()) {
          expect_finite(node, f, at);
          values.push_back(decimal(f));
        }
        value = std::move(values);
      } break;
      case onnx::AttributeProto::STRINGS: {
        std::string joined;
        for (const auto& s : a.strings()) joined += (joined.empty() ? "" : ",") + s;
        value = joined;
        break;
      }
      case onnx::AttributeProto::TENSOR:
        value = take_tensor(*a.mutable_t(), &external, at);
        break;
      default:
        throw UserError(at, fmt::format("attributes of type {} are not supported",
                                        onnx::AttributeProto::AttributeType_Name(a.type())));
    }
    if (!attributes.emplace(a.name(), std::move(value)).second) throw UserError(at, "is given twice");
  }
  return attributes;
}

}  // namespace pimento::frontend
