// One operator for each form of kernel, built by hand and run on all paths of the interpreter.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "compiler/ir/interpreter.hpp"
#include "compiler/ir/kernel_builder.hpp"
#include "compiler/ir/path_check.hpp"
#include "isa/support/error.hpp"
#include "isa/support/math.hpp"

using namespace pimento;
using namespace pimento::ir;

namespace {

constexpr auto f32 = ElementType::f32;
constexpr auto i64 = ElementType::i64;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("interpreter: what is a padded convolution with bias? (affine maps, outside value, epilogue)") {
  KernelBuilder k("conv");
  const auto m = k.parallel("m", 1), y = k.parallel("y", 3), x = k.parallel("x", 3);
  const auto c = k.reduction("c", 1), ky = k.reduction("ky", 3), kx = k.reduction("kx", 3);
  const auto in = k.input("X", {f32, {1, 3, 3}}), w = k.input("W", {f32, {1, 1, 3, 3}}), b = k.input("B", {f32, {1}});
  const auto out = k.output("Y", {f32, {1, 3, 3}});
  const auto acc = k.sum(in.at({c, y + ky - 1, x + kx - 1}, 0) * w.at({m, c, ky, kx}));
  k.write(out, {m, y, x}, acc + b.at({m}));
  const auto r = on_all_paths(
      k.build(), {Tensor::of({f32, {1, 3, 3}}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                  Tensor::of({f32, {1, 1, 3, 3}}, {1, 1, 1, 1, 1, 1, 1, 1, 1}), Tensor::of({f32, {1}}, {10})});
  // sums of the 2x2, 2x3 or 3x3 neighbourhood inside the image, plus 10: corner (0,0) is 1 + 2 + 4 + 5 = 12, centre 45
  CHECK(r[0].to_doubles() == Doubles{22, 31, 26, 37, 55, 43, 34, 49, 38});
}

TEST_CASE("interpreter: what is softmax? (a sequence of kernels with temporaries)") {
  const TensorType type{f32, {2, 3}}, row{f32, {2}};
  KernelSequence s;
  s.temporaries = {row, type, row};
  {
    KernelBuilder k("row_max");
    const auto i = k.parallel("i", 2), j = k.reduction("j", 3);
    const auto in = k.input("x", type), out = k.output("m", row);
    k.write(out, {i}, k.maximum(in.at({i, j})));
    s.calls.push_back({k.build(), {{SlotKind::input, 0}, {SlotKind::temporary, 0}}});
  }
  {
    KernelBuilder k("exponent");
    const auto i = k.parallel("i", 2), j = k.parallel("j", 3);
    const auto in = k.input("x", type), max = k.input("m", row), out = k.output("e", type);
    k.write(out, {i, j}, unary(UnaryOp::exp, in.at({i, j}) - max.at({i})));
    s.calls.push_back({k.build(), {{SlotKind::input, 0}, {SlotKind::temporary, 0}, {SlotKind::temporary, 1}}});
  }
  {
    KernelBuilder k("row_sum");
    const auto i = k.parallel("i", 2), j = k.reduction("j", 3);
    const auto in = k.input("e", type), out = k.output("s", row);
    k.write(out, {i}, k.sum(in.at({i, j})));
    s.calls.push_back({k.build(), {{SlotKind::temporary, 1}, {SlotKind::temporary, 2}}});
  }
  {
    KernelBuilder k("divide");
    const auto i = k.parallel("i", 2), j = k.parallel("j", 3);
    const auto e = k.input("e", type), sum = k.input("s", row), out = k.output("y", type);
    k.write(out, {i, j}, e.at({i, j}) / sum.at({i}));
    s.calls.push_back({k.build(), {{SlotKind::temporary, 1}, {SlotKind::temporary, 2}, {SlotKind::output, 0}}});
  }
  CHECK(verify(s, {type}, {type}).empty());
  const auto r =
      interpret(s, {Tensor::of(type, {0, 0, 0, 1000, 1000, -std::numeric_limits<double>::infinity()})}, {type});
  // row 0: three equal parts; row 1: shifted by 1000, two halves and nothing
  const float third = 1.0f / 3.0f;
  CHECK(r[0].to_doubles() == Doubles{third, third, third, 0.5, 0.5, 0});
}

TEST_CASE("interpreter: what is a cumulative sum? (carried axis, state)") {
  KernelBuilder k("cum_sum");
  const auto i = k.parallel("i", 2), t = k.carried("t", 4);
  const auto in = k.input("x", {f32, {2, 4}}), out = k.output("y", {f32, {2, 4}}), last = k.output("last", {f32, {2}});
  const auto s = k.state("s", constant(f32, 0));
  const auto sum = s + in.at({i, t});
  k.advance(s, sum);
  k.write(out, {i, t}, sum);
  k.write(last, {i}, sum);
  const auto r = on_all_paths(k.build(), {Tensor::of({f32, {2, 4}}, {1, 2, 3, 4, 10, 20, 30, 40})});
  CHECK(r[0].to_doubles() == Doubles{1, 3, 6, 10, 10, 30, 60, 100});
  CHECK(r[1].to_doubles() == Doubles{10, 100});  // the last step's write stays
}

TEST_CASE("interpreter: are two carried states exchanged at once?") {
  KernelBuilder k("fibonacci");
  const auto t = k.carried("t", 8);
  const auto out = k.output("y", {i64, {8}});
  const auto a = k.state("a", index(0)), b = k.state("b", index(1));
  k.advance(a, b);
  k.advance(b, a + b);
  k.write(out, {t}, a);
  CHECK(on_all_paths(k.build(), {})[0].to_integers() == Integers{0, 1, 1, 2, 3, 5, 8, 13});
}

TEST_CASE("interpreter: where is the maximum? (tuple combiner, first and last of equals, many and few rows)") {
  for (const bool last : {false, true}) {
    for (const std::int64_t rows : {1, 20}) {
      KernelBuilder k("arg_max");
      const auto i = k.parallel("i", rows), j = k.reduction("j", 5);
      const auto in = k.input("x", {f32, {rows, 5}}), at = k.output("at", {i64, {rows}}),
                 best = k.output("best", {f32, {rows}});
      const auto [value, place] = k.arg_best(BinaryOp::gt, in.at({i, j}), j, last);
      k.write(at, {i}, place);
      k.write(best, {i}, value);
      Doubles data;
      for (std::int64_t r = 0; r < rows; ++r) data.insert(data.end(), {3, 7, -1, 7, 2});
      const auto r = on_all_paths(k.build(), {Tensor::of({f32, {rows, 5}}, data)});
      CHECK(r[0].to_integers() == Integers(static_cast<std::size_t>(rows), last ? 3 : 1));
      CHECK(r[1].to_doubles() == Doubles(static_cast<std::size_t>(rows), 7));
    }
  }
}

TEST_CASE("interpreter: is the index of a row of minus infinities its first?") {
  KernelBuilder k("arg_max");
  const auto j = k.reduction("j", 3);
  const auto in = k.input("x", {f32, {3}}), at = k.output("at", {i64, {}});
  k.write(at, {}, k.arg_best(BinaryOp::gt, in.at({j}), j).second);
  const double low = -std::numeric_limits<double>::infinity();
  CHECK(on_all_paths(k.build(), {Tensor::of({f32, {3}}, {low, low, low})})[0].to_integers() == Integers{0});
}

namespace {
Kernel scatter_elements(WriteRule rule) {
  KernelBuilder k("scatter_elements");
  const auto i = k.parallel("i", 3), j = k.parallel("j", 2);
  const auto data = k.input("data", {f32, {3, 2}}), indices = k.input("indices", {i64, {3, 2}}),
             updates = k.input("updates", {f32, {3, 2}});
  const auto out = k.output("y", {f32, {3, 2}});
  const auto at = indices.at({i, j});
  KernelBuilder::WriteOptions options;
  options.rule = rule;
  options.starts_from = data.operand();
  // negative indices count from the end
  k.write(out, {select(binary(BinaryOp::lt, at, index(0)), at + 3, at), j}, updates.at({i, j}), options);
  return k.build();
}
}  // namespace

TEST_CASE("interpreter: what stays where scattered elements collide? (data-dependent ordered writes)") {
  const auto data = Tensor::of({f32, {3, 2}}, {1, 2, 3, 4, 5, 6});
  const auto indices = Tensor::of_integers({i64, {3, 2}}, {0, 2, 0, -1, 1, 0});
  const auto updates = Tensor::of({f32, {3, 2}}, {10, 20, 30, 40, 50, 60});
  // column 0: 10 and then 30 to row 0, 50 to row 1; column 1: 20 and then 40 to row 2, 60 to row 0
  CHECK(on_all_paths(scatter_elements(WriteRule::assign), {data, indices, updates})[0].to_doubles() ==
        Doubles{30, 60, 50, 4, 5, 40});
  CHECK(on_all_paths(scatter_elements(WriteRule::add), {data, indices, updates})[0].to_doubles() ==
        Doubles{41, 62, 53, 4, 5, 66});
  CHECK(on_all_paths(scatter_elements(WriteRule::max), {data, indices, updates})[0].to_doubles() ==
        Doubles{30, 60, 50, 4, 5, 40});
  CHECK(data.to_doubles() == Doubles{1, 2, 3, 4, 5, 6});  // the tensor that the output starts from is not written
}

TEST_CASE("interpreter: is a scattered index outside the tensor refused by name on every path?") {
  const auto data = Tensor::of({f32, {3, 2}}, {1, 2, 3, 4, 5, 6});
  const auto indices = Tensor::of_integers({i64, {3, 2}}, {0, 2, 0, 3, 1, 0});
  for (const Path path : {Path::plain, Path::blocked, Path::automatic}) {
    CHECK_THROWS_WITH_AS(interpret(scatter_elements(WriteRule::assign), {data, indices, data}, path),
                         "kernel 'scatter_elements': index 3 of dimension 0 of 'y', which has extent 3: f32[3,2]",
                         UserError);
  }
}

TEST_CASE("interpreter: what is a linear resize to twice the width? (constant tables)") {
  KernelBuilder k("resize");
  const auto x = k.parallel("x", 4);
  const auto in = k.input("x_in", {f32, {2}}), out = k.output("y", {f32, {4}});
  // half-pixel centres: (x + 0.5) / 2 - 0.5 = -0.25, 0.25, 0.75, 1.25
  const auto low = Lookup::make(Tensor::of_integers({i64, {4}}, {-1, 0, 0, 1}), x);
  const auto part = Lookup::make(Tensor::of({f32, {4}}, {0.75, 0.25, 0.75, 0.25}), x);
  k.write(out, {x}, in.clamped({low}) * (1 - part) + in.clamped({low + 1}) * part);
  const Kernel resize = k.build();
  const auto r = on_all_paths(resize, {Tensor::of({f32, {2}}, {10, 20})});
  CHECK(r[0].to_doubles() == Doubles{10, 12.5, 17.5, 20});  // the ends repeat the edge
  CHECK(needed(resize, "x_in", {{0, 1}}) == Box{{0, 1}});   // output 0 reads -1 and 0, both clamped to 0
  CHECK(needed(resize, "x_in", {{1, 3}}) == Box{{0, 2}});
}

TEST_CASE("interpreter: do guards skip points? (average pool that does not count padding)") {
  KernelBuilder k("average_pool");
  const auto x = k.parallel("x", 4), kx = k.reduction("kx", 3);
  const auto in = k.input("x_in", {f32, {4}}), out = k.output("y", {f32, {4}});
  const auto at = x + kx - 1;
  const auto inside = binary(BinaryOp::bit_and, binary(BinaryOp::ge, at, index(0)), binary(BinaryOp::lt, at, index(4)));
  const auto sum = k.sum(in.at({at}), inside);
  const auto count = k.sum(constant(f32, 1), inside);
  k.write(out, {x}, sum / count);
  const auto r = on_all_paths(k.build(), {Tensor::of({f32, {4}}, {2, 4, 6, 8})});
  CHECK(r[0].to_doubles() == Doubles{3, 4, 6, 7});  // (2+4)/2, (2+4+6)/3, (4+6+8)/3, (6+8)/2
}

TEST_CASE("interpreter: does select keep the other side from being read? (concatenation)") {
  KernelBuilder k("concat");
  const auto i = k.parallel("i", 5);
  const auto a = k.input("a", {f32, {2}}), b = k.input("b", {f32, {3}}), out = k.output("y", {f32, {5}});
  k.write(out, {i}, select(binary(BinaryOp::lt, i, index(2)), a.at({i}), b.at({i - 2})));
  const auto r = on_all_paths(k.build(), {Tensor::of({f32, {2}}, {1, 2}), Tensor::of({f32, {3}}, {3, 4, 5})});
  CHECK(r[0].to_doubles() == Doubles{1, 2, 3, 4, 5});
}

TEST_CASE("interpreter: what is gather with an index outside? (data-dependent map)") {
  KernelBuilder k("gather");
  const auto i = k.parallel("i", 3), j = k.parallel("j", 2);
  const auto data = k.input("data", {f32, {4, 2}}), at = k.input("at", {i64, {3}}), out = k.output("y", {f32, {3, 2}});
  k.write(out, {i, j}, data.at({at.at({i}), j}));
  const Kernel gather = k.build();
  CHECK(has_data_dependent_map(gather));
  const auto table = Tensor::of({f32, {4, 2}}, {0, 1, 10, 11, 20, 21, 30, 31});
  CHECK(on_all_paths(gather, {table, Tensor::of_integers({i64, {3}}, {3, 0, 2})})[0].to_doubles() ==
        Doubles{30, 31, 0, 1, 20, 21});
  for (const Path path : {Path::plain, Path::blocked}) {
    CHECK_THROWS_WITH_AS(interpret(gather, {table, Tensor::of_integers({i64, {3}}, {3, 4, 2})}, path),
                         "kernel 'gather': index 4 of dimension 0 of 'data', which has extent 4: f32[4,2]", UserError);
  }
}

TEST_CASE("interpreter: what does an RNN cell in a loop compute, forwards and backwards?") {
  for (const bool backwards : {false, true}) {
    Graph body;
    body.add_input("i", {i64, {}});
    const auto h = body.add_input("h", {f32, {2}}), x = body.add_input("x", {f32, {2}}),
               r = body.add_input("R", {f32, {2, 2}});
    const auto next = body.add_node("cell", {h, x, r}, {f32, {2}});
    body.outputs = {next, next};
    Graph g;
    const auto h0 = g.add_input("h0", {f32, {2}}), xs = g.add_input("xs", {f32, {3, 2}}),
               matrix = g.add_input("R", {f32, {2, 2}});
    const auto last = g.add_value("last", {f32, {2}}), all = g.add_value("all", {f32, {3, 2}});
    Node loop{"loop", {}, {h0, xs, matrix}, {last, all}, "", std::make_shared<const Graph>(body)};
    loop.attributes = {{"trip_count", std::int64_t{3}},
                       {"carried", std::int64_t{1}},
                       {"scan_inputs", std::int64_t{1}},
                       {"scan_outputs", std::int64_t{1}}};
    if (backwards) loop.attributes["reverse"] = Integers{1, 1};
    g.append(loop);
    g.outputs = {last, all};
    REQUIRE(verify(g).empty());
    const KernelsOf kernels = [](const Graph&, const Node&) {
      KernelBuilder k("cell");  // relu keeps the numbers simple: h' = relu(x + R h)
      const auto i = k.parallel("i", 2), j = k.reduction("j", 2);
      const auto hidden = k.input("h", {f32, {2}}), in = k.input("x", {f32, {2}}), rec = k.input("R", {f32, {2, 2}});
      const auto out = k.output("y", {f32, {2}});
      k.write(out, {i}, unary(UnaryOp::relu, in.at({i}) + k.sum(rec.at({i, j}) * hidden.at({j}))));
      KernelSequence s;
      s.calls.push_back(
          {k.build(), {{SlotKind::input, 0}, {SlotKind::input, 1}, {SlotKind::input, 2}, {SlotKind::output, 0}}});
      return s;
    };
    int observed = 0;
    RunOptions options;
    options.observer = [&](const Graph&, ValueId, const Tensor&) { ++observed; };
    const auto run = interpret(g,
                               {Tensor::of({f32, {2}}, {1, 0}), Tensor::of({f32, {3, 2}}, {1, 0, 0, 1, 0, -5}),
                                Tensor::of({f32, {2, 2}}, {0, 1, 1, 1})},
                               kernels, options);
    // forwards, h = (1,0): x (1,0): (1+0, 0+1) = (1,1); x (0,1): (1, 3); x (0,-5): (3, max(0, 4-5)) = (3,0)
    // backwards: x (0,-5): (0, max(0, -4)) = (0,0); x (0,1): (0,1); x (1,0): (2,1); slices stand where their x stood
    CHECK(run.outputs[0].to_doubles() == (backwards ? Doubles{2, 1} : Doubles{3, 0}));
    CHECK(run.outputs[1].to_doubles() == (backwards ? Doubles{2, 1, 0, 1, 0, 0} : Doubles{1, 1, 1, 3, 3, 0}));
    CHECK(observed == 3 + 2 + 3 * 5);  // graph inputs, loop outputs, and in each trip four inputs and the cell
  }
}

TEST_CASE("interpreter: what are the two largest, and which of equals comes first? (library kernel)") {
  LibraryKernel k{"topk",
                  {{"axis", std::int64_t{1}}, {"k", std::int64_t{2}}},
                  {{"x", {f32, {2, 4}}, OperandRole::input},
                   {"v", {f32, {2, 2}}, OperandRole::output},
                   {"i", {i64, {2, 2}}, OperandRole::output}}};
  REQUIRE(verify(k).empty());
  auto r = interpret(k, {Tensor::of({f32, {2, 4}}, {1, 9, 9, 4, -1, -2, -3, -4})});
  CHECK(r[0].to_doubles() == Doubles{9, 9, -1, -2});
  CHECK(r[1].to_integers() == Integers{1, 2, 0, 1});
  k.attributes["largest"] = std::int64_t{0};
  r = interpret(k, {Tensor::of({f32, {2, 4}}, {1, 9, 9, 4, -1, -2, -3, -4})});
  CHECK(r[1].to_integers() == Integers{0, 3, 3, 2});
  CHECK(needed(k, 0, {{1, 2}, {0, 1}}) == Box{{1, 2}, {0, 4}});  // one row, the whole of it
  k.attributes["k"] = std::int64_t{5};
  CHECK(verify(k)[0].message == "library kernel 'topk': k is 5, dimension 1 has extent 4");
}

TEST_CASE("interpreter: do states keep their content from run to run?") {
  Graph g;
  const auto x = g.add_input("x", {f32, {2}});
  const auto sum = g.add_value("sum", {f32, {2}});
  const auto next = g.add_node("add", {sum, x}, {f32, {2}});
  g.states = {{sum, next}};
  g.outputs = {next};
  REQUIRE(verify(g).empty());
  const KernelsOf kernels = [](const Graph&, const Node&) {
    KernelBuilder k("add");
    const auto i = k.parallel("i", 2);
    const auto a = k.input("a", {f32, {2}}), b = k.input("b", {f32, {2}}), out = k.output("y", {f32, {2}});
    k.write(out, {i}, a.at({i}) + b.at({i}));
    return KernelSequence{{{k.build(), {{SlotKind::input, 0}, {SlotKind::input, 1}, {SlotKind::output, 0}}}}, {}, {}};
  };
  auto states = initial_states(g);
  RunOptions options;
  options.states = &states;
  const auto one = Tensor::of({f32, {2}}, {1, 10});
  CHECK(interpret(g, {one}, kernels, options).outputs[0].to_doubles() == Doubles{1, 10});
  CHECK(interpret(g, {one}, kernels, options).outputs[0].to_doubles() == Doubles{2, 20});
  CHECK(interpret(g, {one}, kernels).outputs[0].to_doubles() ==
        Doubles{1, 10});  // without states: from the initial content
}
