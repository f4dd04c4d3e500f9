#pragma once
// What an attribute or operand of an operator may be, as data: checked, filled in and documented from one description.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/library.hpp"

namespace pimento::ops {

enum class AttributeKind : std::uint8_t { integer, real, text, integers, reals, tensor };
struct AttributeSpec {
  std::string name;
  AttributeKind kind = AttributeKind::integer;
  std::optional<ir::Attribute> fallback{};  ///< absent: the attribute is required, unless `optional`
  bool is_optional = false;
  std::optional<std::int64_t> least{};  ///< of an integer and of each of integers
  std::optional<std::int64_t> most{};   ///< of an integer
  std::vector<std::string> choices{};   ///< of a text

  AttributeSpec at_least(std::int64_t bound) && {
    least = bound;
    return std::move(*this);
  }
  AttributeSpec maybe() && {
    is_optional = true;
    return std::move(*this);
  }
};
AttributeSpec integer(std::string name, std::optional<std::int64_t> fallback = {});
AttributeSpec flag(std::string name, bool fallback);
AttributeSpec real(std::string name, std::optional<double> fallback = {});
/// One of `choices`; the first is the default unless `required`.
AttributeSpec text(std::string name, std::vector<std::string> choices);
AttributeSpec integers(std::string name);
AttributeSpec reals(std::string name);
AttributeSpec tensor(std::string name);

/// Empty when `value` satisfies `spec`, else what was expected.
std::string expectation(const AttributeSpec& spec, const ir::Attribute& value);
/// "ints >= 1, default 1".
std::string describe(const AttributeSpec& spec);

/// Sets of element types that an operand may have.
enum class Types : std::uint8_t { any, real, numeric, integer, index, logic, boolean };
bool accepts(Types types, ElementType type);
/// "a float", "i32 or i64".
std::string_view describe(Types types);

struct OperandSpec {
  std::string name;
  Types types = Types::any;
  bool as_first = false;  ///< must have the element type of input 0
  bool optional = false;
  bool variadic = false;  ///< last only: one or more
};
OperandSpec in(std::string name, Types types = Types::any);
/// Of the element type of input 0.
OperandSpec like(std::string name);
OperandSpec maybe(OperandSpec spec);
OperandSpec many(OperandSpec spec);

}  // namespace pimento::ops
