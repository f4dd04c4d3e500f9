#pragma once
// What a family's file needs to state its operators. One function per operator, registered beside it:
//   REFERENCE("relu", [](const Call& c) { return c.map([](double x) { return larger(x, 0); }); });
#include <cmath>
#include <functional>
#include <memory>

#include "isa/support/document.hpp"
#include "validation/reference/reference.hpp"

namespace pimento::reference {

using Shared = std::shared_ptr<const Value>;

/// One node with its operands.
struct Call {
  const ir::Graph& graph;
  const ir::Node& node;
  std::vector<Shared> inputs;  ///< null where absent

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const Value& in(std::size_t i) const { return *inputs[i]; }
  const ir::Shape& shape(std::size_t i = 0) const { return inputs[i]->shape; }
  std::size_t rank(std::size_t i = 0) const { return inputs[i]->shape.size(); }
  bool given(std::string_view name) const { return node.attributes.find(name) != node.attributes.end(); }
  std::int64_t integer(std::string_view name, std::int64_t otherwise = 0) const;
  double real(std::string_view name, double otherwise = 0) const;
  std::string text(std::string_view name, const std::string& otherwise = "") const;
  ir::Shape integers(std::string_view name, const ir::Shape& otherwise = {}) const;

  /// A zero-filled value with the declared type and shape of an output.
  Value output(std::size_t i = 0) const;
  bool wants(std::size_t i) const { return i < node.outputs.size() && node.outputs[i] != ir::no_value; }
  /// f of every element of input 0, under output 0's type.
  std::vector<Value> map(const std::function<double(double)>& f) const;
  [[noreturn]] void refuse(const std::string& reason) const;
};
using Operator = std::vector<Value> (*)(const Call&);

struct Registration {
  Registration(const char* name, Operator op);
};
#define REFERENCE(...) \
  static const ::pimento::reference::Registration PIMENTO_JOIN(reference_at_line_, __LINE__) { __VA_ARGS__ }
/// Null when there is none.
Operator find(const std::string& name);
/// Runs a graph on shared values: for operators that own a body.
std::vector<Shared> run_body(const ir::Graph& graph, const std::vector<Shared>& inputs);

// --- positions -------------------------------------------------------------------------------------------------------
std::int64_t count(const ir::Shape& shape);
std::vector<std::int64_t> strides(const ir::Shape& shape);
/// Steps a position through a shape, last dimension fastest; false after the last.
bool advance(std::vector<std::int64_t>& at, const ir::Shape& shape);
std::int64_t flat(const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& strides);
/// Strides with which an operand of `shape` is read at positions of the broadcast shape `result`.
std::vector<std::int64_t> broadcast_strides(const ir::Shape& shape, const ir::Shape& result);
/// A number as the type holds it: integers wrap, bool is "not zero", floats stay doubles.
double fit(ElementType type, double x);
/// A NaN wins, as in ONNX and numpy: it cannot be lost in a maximum.
inline double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }

}  // namespace pimento::reference
