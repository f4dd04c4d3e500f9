#pragma once
// How a pass is tried: the body of a graph as text, before and after.
#include <doctest/doctest.h>

#include <string>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ops/registry.hpp"
#include "compiler/optimizer/optimizer.hpp"

namespace pimento::optimizer {

/// The pass on a graph in text form.
struct Trial {
  ir::Graph before, after;
  std::int64_t changed = 0;
  Trial(const std::string& pass, const std::string& text) : before(ir::parse_graph(text)), after(before) {
    for (const ops::Finding& finding : ops::check(before)) FAIL(ops::to_string(finding));
    changed = run_pass(pass, after);
  }
  std::string text() const { return ir::print(after); }
  /// Largest difference of any output on inputs that no rewrite can be right on by chance.
  double difference() const {
    std::vector<ir::Tensor> inputs;
    std::int64_t salt = 0;
    for (const ir::ValueId v : before.inputs) {
      ir::Tensor t = ir::Tensor::zeros(before.type(v));
      for (std::int64_t i = 0; i < t.elements(); ++i)  // -2 .. 2 in steps of 1/16, in no simple order
        t.set(i, ir::Scalar::of_real(t.element_type(), static_cast<double>((i * 37 + ++salt * 11) % 65 - 32) / 16));
      inputs.push_back(t);
    }
    const auto a = ir::interpret(before, inputs, ops::kernels_of).outputs;
    const auto b = ir::interpret(after, inputs, ops::kernels_of).outputs;
    double largest = 0;
    REQUIRE(a.size() == b.size());
    for (std::size_t o = 0; o < a.size(); ++o) {
      REQUIRE(a[o].type() == b[o].type());
      for (std::int64_t i = 0; i < a[o].elements(); ++i) {
        const double distance = a[o].at(i).as_double() - b[o].at(i).as_double();
        largest = std::max(largest, distance < 0 ? -distance : distance);
      }
    }
    return largest;
  }
};

/// It changes `times` places, a second run changes nothing, and the values are equal up to `tolerance`. Returns the new
/// text.
inline std::string changes(const std::string& pass, const std::string& text, std::int64_t times, double tolerance = 0) {
  const Trial trial(pass, text);
  CHECK(trial.changed == times);
  ir::Graph again = trial.after;
  CHECK(run_pass(pass, again) == 0);
  CHECK(ir::print(again) == trial.text());
  CHECK(trial.difference() <= tolerance);
  return trial.text();
}
/// The pass finds nothing.
inline void unchanged(const std::string& pass, const std::string& text) {
  const Trial trial(pass, text);
  CHECK(trial.changed == 0);
  CHECK(trial.text() == ir::print(trial.before));
}

}  // namespace pimento::optimizer
