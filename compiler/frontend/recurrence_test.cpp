// LSTM, GRU and RNN against the specification's formulas, written apart and plainly: for (t) for (b) for (h) ...
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/frontend/comparison.hpp"
#include "compiler/frontend/import.hpp"
#include "compiler/frontend/test_support.hpp"
#include "compiler/ir/interpreter.hpp"
#include "compiler/ops/registry.hpp"

using namespace pimento;
using namespace pimento::frontend;

namespace {
constexpr int steps = 5, batch = 2, inputs = 3, hidden = 4;
using Values = std::vector<double>;

/// Values without pattern in [-1, 1].
ir::Tensor noise(ir::Shape shape, unsigned seed) {
  Values v;
  for (std::int64_t i = 0; i < ir::element_count(shape); ++i) {
    seed = seed * 1664525U + 1013904223U;
    v.push_back(static_cast<double>(seed >> 8) / double(1 << 23) - 1);
  }
  return ir::Tensor::of({ElementType::f32, std::move(shape)}, v);
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// One direction of a cell: weights of direction `d`, time running forward or backward.
struct Cell {
  Values X, W, R, B, P;
  int gates, d;
  double x(int t, int b, int i) const { return X[static_cast<std::size_t>((t * batch + b) * inputs + i)]; }
  /// X W^T + Wb of gate row g.
  double in(int t, int b, int g) const {
    double sum = B[static_cast<std::size_t>(d * 2 * gates * hidden + g)];
    for (int i = 0; i < inputs; ++i)
      sum += x(t, b, i) * W[static_cast<std::size_t>((d * gates * hidden + g) * inputs + i)];
    return sum;
  }
  /// h R^T (+ Rb) of gate row g.
  double back(const Values& h, int g) const {
    double sum = B[static_cast<std::size_t>((d * 2 + 1) * gates * hidden + g)];
    for (int i = 0; i < hidden; ++i)
      sum += h[static_cast<std::size_t>(i)] * R[static_cast<std::size_t>((d * gates * hidden + g) * hidden + i)];
    return sum;
  }
  double peephole(int which, int k) const {
    return P.empty() ? 0 : P[static_cast<std::size_t>((d * 3 + which) * hidden + k)];
  }
};

/// Y of one direction, [steps, batch, hidden].
Values lstm(const Cell& cell, bool backwards, double clip = 1e9) {
  Values y(steps * batch * hidden);
  const auto clipped = [&](double v) { return std::clamp(v, -clip, clip); };
  for (int b = 0; b < batch; ++b) {
    Values h(hidden, 0), c(hidden, 0);
    for (int s = 0; s < steps; ++s) {
      const int t = backwards ? steps - 1 - s : s;
      Values next(hidden);
      for (int k = 0; k < hidden; ++k) {
        const auto gate = [&](int g) { return cell.in(t, b, g * hidden + k) + cell.back(h, g * hidden + k); };
        const auto at = static_cast<std::size_t>(k);
        const double i = sigmoid(clipped(gate(0) + cell.peephole(0, k) * c[at]));
        const double f = sigmoid(clipped(gate(2) + cell.peephole(2, k) * c[at]));
        c[at] = f * c[at] + i * std::tanh(clipped(gate(3)));
        const double o = sigmoid(clipped(gate(1) + cell.peephole(1, k) * c[at]));
        next[at] = o * std::tanh(clipped(c[at]));
        y[static_cast<std::size_t>((t * batch + b) * hidden + k)] = next[at];
      }
      h = next;
    }
  }
  return y;
}

Values gru(const Cell& cell, bool backwards, bool late_reset) {
  Values y(steps * batch * hidden);
  for (int b = 0; b < batch; ++b) {
    Values h(hidden, 0);
    for (int s = 0; s < steps; ++s) {
      const int t = backwards ? steps - 1 - s : s;
      Values z(hidden), r(hidden), rh(hidden), next(hidden);
      for (int k = 0; k < hidden; ++k) {
        const auto at = static_cast<std::size_t>(k);
        z[at] = sigmoid(cell.in(t, b, k) + cell.back(h, k));
        r[at] = sigmoid(cell.in(t, b, hidden + k) + cell.back(h, hidden + k));
        rh[at] = r[at] * h[at];
      }
      for (int k = 0; k < hidden; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const double recurrent = late_reset ? r[at] * cell.back(h, 2 * hidden + k) : cell.back(rh, 2 * hidden + k);
        const double g = std::tanh(cell.in(t, b, 2 * hidden + k) + recurrent);
        next[at] = (1 - z[at]) * g + z[at] * h[at];
        y[static_cast<std::size_t>((t * batch + b) * hidden + k)] = next[at];
      }
      h = next;
    }
  }
  return y;
}

struct Run {
  ir::Graph graph;
  std::vector<ir::Tensor> outputs;
};
Run run(const std::string& op, int gates, int directions, const std::string& attributes, bool peepholes, Cell& cell) {
  const int rows = gates * hidden;
  const auto model = fmt::format(
      "g (float[{},{},{}] X, float[{},{},{}] W, float[{},{},{}] R, float[{},{}] B, float[{},{}] P) => (float Y, float "
      "Y_h) "
      "{{ Y, Y_h = {} <hidden_size = {}{}> (X, W, R, B{}) }}",
      steps, batch, inputs, directions, rows, inputs, directions, rows, hidden, directions, 2 * rows, directions,
      3 * hidden, op, hidden, attributes, peepholes ? ", , , , P" : "");
  ImportOptions options;
  const auto X = noise({steps, batch, inputs}, 1);
  options.constant_inputs = {{"W", noise({directions, rows, inputs}, 2)},
                             {"R", noise({directions, rows, hidden}, 3)},
                             {"B", noise({directions, 2 * rows}, 4)},
                             {"P", noise({directions, 3 * hidden}, 5)}};
  cell = {X.to_doubles(),
          options.constant_inputs["W"].to_doubles(),
          options.constant_inputs["R"].to_doubles(),
          options.constant_inputs["B"].to_doubles(),
          {},
          gates,
          0};
  if (peepholes) cell.P = options.constant_inputs["P"].to_doubles();
  Run r{import_text(model, options), {}};
  r.outputs = ir::interpret(r.graph, {X}, ops::kernels_of).outputs;
  return r;
}
/// Y [steps, directions, batch, hidden] from its directions.
ir::Tensor stack(const std::vector<Values>& directions) {
  Values y;
  for (std::size_t t = 0; t < steps; ++t)
    for (const auto& d : directions)
      y.insert(y.end(), d.begin() + static_cast<std::ptrdiff_t>(t * batch * hidden),
               d.begin() + static_cast<std::ptrdiff_t>((t + 1) * batch * hidden));
  return ir::Tensor::of({ElementType::f32, {steps, static_cast<std::int64_t>(directions.size()), batch, hidden}}, y);
}
}  // namespace

TEST_CASE("recurrence: does an LSTM follow its formulas, in each direction?") {
  Cell cell;
  const auto forward = run("LSTM", 4, 1, "", false, cell);
  CHECK(difference(forward.outputs[0], stack({lstm(cell, false)})) == "");
  const auto reverse = run("LSTM", 4, 1, ", direction = \"reverse\"", false, cell);
  CHECK(difference(reverse.outputs[0], stack({lstm(cell, true)})) == "");
  const auto both = run("LSTM", 4, 2, ", direction = \"bidirectional\"", false, cell);
  auto second = cell;
  second.d = 1;
  CHECK(difference(both.outputs[0], stack({lstm(cell, false), lstm(second, true)})) == "");
}

TEST_CASE("recurrence: do peepholes and clipping act?") {
  Cell cell;
  const auto peep = run("LSTM", 4, 1, "", true, cell);
  CHECK(difference(peep.outputs[0], stack({lstm(cell, false)})) == "");
  const auto clipped = run("LSTM", 4, 1, ", clip = 0.25", false, cell);
  const auto expected = stack({lstm(cell, false, 0.25)});
  CHECK(difference(clipped.outputs[0], expected) == "");
  CHECK(difference(stack({lstm(cell, false)}), expected) != "");
}

TEST_CASE("recurrence: does a GRU follow its formulas, with the reset early and late?") {
  Cell cell;
  const auto early = run("GRU", 3, 1, "", false, cell);
  CHECK(difference(early.outputs[0], stack({gru(cell, false, false)})) == "");
  const auto late = run("GRU", 3, 1, ", linear_before_reset = 1", false, cell);
  CHECK(difference(late.outputs[0], stack({gru(cell, false, true)})) == "");
  CHECK(difference(late.outputs[0], stack({gru(cell, false, false)})) != "");
}

TEST_CASE("recurrence: is it one loop, whose input products stand before it?") {
  Cell cell;
  const auto g = run("LSTM", 4, 1, "", false, cell).graph;
  int loops = 0;
  bool product_before = false;
  for (const auto& node : g.nodes) {
    loops += node.op == "loop";
    if (loops == 0 && node.op == "matmul") product_before = true;
    if (node.op != "loop") continue;
    CHECK(ir::integer_attribute(node, "trip_count", 0) == steps);
    CHECK(ir::integer_attribute(node, "carried", 0) == 2);
  }
  CHECK(loops == 1);
  CHECK(product_before);
}

TEST_CASE("recurrence: what is said about an activation that is none, and about ragged sequences?") {
  Cell cell;
  CHECK(message_of([&] { run("LSTM", 4, 1, ", activations = [\"Sigmoid\", \"Tanj\", \"Tanh\"]", false, cell); }) ==
        "ONNX text: node 'LSTM_0' (LSTM): activation 'Tanj' is not supported; nearest: 'Tanh'");
  const auto ragged = R"(g (float[2,1,1] X, float[1,1,1] W, float[1,1,1] R) => (float Y) {
      lengths = Constant <value = int32[1] {1}> ()
      Y = RNN <hidden_size = 1> (X, W, R, , lengths) })";
  CHECK(message_of([&] { import_text(ragged); }) ==
        "ONNX text: node 'RNN_0' (RNN): expected sequence lengths of 2, the number of steps, got 1");
}
