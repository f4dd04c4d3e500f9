#include "compiler/ops/attribute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/support/error.hpp"

namespace pimento::ops {

AttributeSpec integer(std::string name, std::optional<std::int64_t> fallback) {
  AttributeSpec spec{.name = std::move(name), .kind = AttributeKind::integer};
  if (fallback) spec.fallback = *fallback;
  return spec;
}
AttributeSpec flag(std::string name, bool fallback) {
  AttributeSpec spec = integer(std::move(name), fallback ? 1 : 0);
  spec.least = 0;
  spec.most = 1;
  return spec;
}
AttributeSpec real(std::string name, std::optional<double> fallback) {
  AttributeSpec spec{.name = std::move(name), .kind = AttributeKind::real};
  if (fallback) spec.fallback = *fallback;
  return spec;
}
AttributeSpec text(std::string name, std::vector<std::string> choices) {
  AttributeSpec spec{.name = std::move(name), .kind = AttributeKind::text};
  if (!choices.empty()) spec.fallback = choices.front();
  spec.choices = std::move(choices);
  return spec;
}
AttributeSpec integers(std::string name) { return {.name = std::move(name), .kind = AttributeKind::integers}; }
AttributeSpec reals(std::string name) { return {.name = std::move(name), .kind = AttributeKind::reals}; }
AttributeSpec tensor(std::string name) { return {.name = std::move(name), .kind = AttributeKind::tensor}; }

namespace {

std::string kind_name(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::integer:
      return "int";
    case AttributeKind::real:
      return "float";
    case AttributeKind::text:
      return "string";
    case AttributeKind::integers:
      return "ints";
    case AttributeKind::reals:
      return "floats";
    case AttributeKind::tensor:
      return "tensor";
  }
  throw InternalError("an attribute kind without a name");
}
AttributeKind kind_of(const ir::Attribute& value) {
  struct Visitor {
    AttributeKind operator()(std::int64_t) const { return AttributeKind::integer; }
    AttributeKind operator()(double) const { return AttributeKind::real; }
    AttributeKind operator()(const std::string&) const { return AttributeKind::text; }
    AttributeKind operator()(const std::vector<std::int64_t>&) const { return AttributeKind::integers; }
    AttributeKind operator()(const std::vector<double>&) const { return AttributeKind::reals; }
    AttributeKind operator()(const ir::Tensor&) const { return AttributeKind::tensor; }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace

std::string expectation(const AttributeSpec& spec, const ir::Attribute& value) {
  // An empty list prints alike for ints and floats, so either kind may stand for it.
  const auto* no_reals = std::get_if<std::vector<double>>(&value);
  if (spec.kind == AttributeKind::integers && no_reals && no_reals->empty()) return "";
  if (kind_of(value) != spec.kind) return fmt::format("{}, as the operator says", kind_name(spec.kind));
  if (const auto* i = std::get_if<std::int64_t>(&value); i && spec.least && *i < *spec.least)
    return fmt::format("at least {}", *spec.least);
  if (const auto* i = std::get_if<std::int64_t>(&value); i && spec.most && *i > *spec.most)
    return fmt::format("at most {}", *spec.most);
  if (const auto* is = std::get_if<std::vector<std::int64_t>>(&value); is && spec.least)
    if (std::any_of(is->begin(), is->end(), [&](std::int64_t i) { return i < *spec.least; }))
      return fmt::format("each at least {}", *spec.least);
  if (const auto* t = std::get_if<std::string>(&value); t && !spec.choices.empty())
    if (std::find(spec.choices.begin(), spec.choices.end(), *t) == spec.choices.end())
      return fmt::format("one of {}", fmt::join(spec.choices, ", "));
  return "";
}

std::string describe(const AttributeSpec& spec) {
  std::string result = spec.choices.empty() ? kind_name(spec.kind) : fmt::format("{}", fmt::join(spec.choices, " or "));
  if (spec.least == 0 && spec.most == 1) {
    result = "0 or 1";
  } else if (spec.least)
    result += fmt::format(" >= {}", *spec.least);
  if (spec.is_optional) result += ", may be absent";
  if (!spec.fallback) return result;
  if (const auto* i = std::get_if<std::int64_t>(&*spec.fallback)) result += fmt::format(", default {}", *i);
  if (const auto* r = std::get_if<double>(&*spec.fallback)) result += fmt::format(", default {}", *r);
  if (const auto* t = std::get_if<std::string>(&*spec.fallback); t && spec.choices.size() > 1)
    result += fmt::format(", default {}", *t);
  return result;
}

bool accepts(Types types, ElementType type) {
  switch (types) {
    case Types::any:
      return true;
    case Types::real:
      return is_float(type);
    case Types::numeric:
      return type != ElementType::boolean;
    case Types::integer:
      return type != ElementType::boolean && !is_float(type);
    case Types::index:
      return type == ElementType::i32 || type == ElementType::i64;
    case Types::logic:
      return !is_float(type);
    case Types::boolean:
      return type == ElementType::boolean;
  }
  return false;
}
std::string_view describe(Types types) {
  switch (types) {
    case Types::any:
      return "any type";
    case Types::real:
      return "a float";
    case Types::numeric:
      return "a number";
    case Types::integer:
      return "an integer";
    case Types::index:
      return "i32 or i64";
    case Types::logic:
      return "bool or an integer";
    case Types::boolean:
      return "bool";
  }
  return "";
}

OperandSpec in(std::string name, Types types) { return {.name = std::move(name), .types = types}; }
OperandSpec like(std::string name) { return {.name = std::move(name), .as_first = true}; }
OperandSpec maybe(OperandSpec spec) {
  spec.optional = true;
  return spec;
}
OperandSpec many(OperandSpec spec) {
  spec.variadic = true;
  return spec;
}

}  // namespace pimento::ops
