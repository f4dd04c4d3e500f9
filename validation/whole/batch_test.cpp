// Several images at once: are their values right, and do they share the weights on the chip?
#include <doctest/doctest.h>

#include <fmt/format.h>

#include "compiler/frontend/import.hpp"
#include "isa/support/math.hpp"
#include "models/zoo/builder.hpp"
#include "validation/whole/whole.hpp"

using namespace pimento;
using namespace pimento::validation;

namespace {

using Integers = std::vector<std::int64_t>;

/// Windows that leave the image, windows that do not, a stride that skips the last rows, a flattened end.
ir::Graph convolutional(std::int64_t images) {
  zoo::Builder b("convolutional", 0);
  auto x = b.input("image", {images, 2, 11, 11});
  x = b.relu("relu1", b.conv("same", x, 6, {.kernel = 3, .pad = 1}));
  x = b.relu("relu2", b.conv("valid", x, 8, {.kernel = 4, .stride = 2, .bias = true}));
  x = b.max_pool("pool", x, {.kernel = 2, .stride = 2});
  x = b.flatten("flatten", x);
  x = b.relu("relu3", b.linear("fc1", x, 20));
  b.output(b.linear("fc2", x, 10));
  return b.finish().graph;
}

ir::Graph fully_connected(std::int64_t images) {
  zoo::Builder b("fully_connected", 0);
  auto x = b.flatten("flatten", b.input("image", {images, 1, 8, 8}));
  x = b.relu("relu", b.linear("fc1", x, 24));
  b.output(b.linear("fc2", x, 10));
  return b.finish().graph;
}

/// One block of attention with two heads, whose output projection reads what a reshape renames.
ir::Graph attention(std::int64_t images) {
  constexpr std::int64_t positions = 6, width = 16, heads = 2;
  zoo::Builder b("attention", 0);
  const auto dense = [&](const std::string& name, ir::ValueId x) {
    return b.op("MatMul", name, {x, b.weights(name + ".weight", {width, width}, 0.25F)});
  };
  const auto shaped = [&](const std::string& name, ir::ValueId x, const Integers& shape) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto to = b.constant(name + ".shape", ir::Tensor::of_integers({ElementType::i64, {rank}}, shape));
    return b.op("Reshape", name, {x, to});
  };
  const auto head = [&](const std::string& name, ir::ValueId x, const Integers& order) {
    return b.op("Transpose", name, {shaped(name + ".split", dense(name + ".dense", x), {images, positions, heads, -1})},
                {{"perm", order}});
  };
  const auto x = b.input("tokens", {images, positions, width});
  const auto q = head("q", x, {0, 2, 1, 3}), k = head("k", x, {0, 2, 3, 1}), v = head("v", x, {0, 2, 1, 3});
  const auto scores = b.op("Softmax", "weights", {b.op("MatMul", "scores", {q, k})}, {{"axis", std::int64_t{-1}}});
  const auto mixed =
      b.op("Transpose", "joined", {b.op("MatMul", "mixed", {scores, v})}, {{"perm", Integers{0, 2, 1, 3}}});
  b.output(b.op("Add", "residual", {x, dense("projection", shaped("merged", mixed, {images, positions, width}))}));
  return b.finish().graph;
}

using Network = ir::Graph (*)(std::int64_t images);
constexpr std::pair<const char*, Network> networks[] = {
    {"convolutional", convolutional}, {"fully_connected", fully_connected}, {"attention", attention}};

CompileResult compiled(const ir::Graph& graph, const isa::Chip& chip, bool replicate) {
  CompileOptions options;
  options.ablations.no_replicate = !replicate;
  options.windows_per_mvm = 1;  // how many pay depends on the images: they are other tiles
  return compile_graph(graph, chip, options);
}

}  // namespace

TEST_CASE("batch: are the values of one image and of several right, on three chips?") {
  for (const auto& [its_name, network] : networks)
    for (const std::int64_t images : {1, 2, 5})
      for (const char* chip_name : {"tiny-4", "pimsim-nn-64", "pimcomp-144"})
        for (const Numerics numerics : {Numerics::exact, Numerics::quantised}) {
          const auto& name = its_name;
          CAPTURE(name);
          CAPTURE(images);
          CAPTURE(chip_name);
          CAPTURE(to_string(numerics));
          const isa::Chip chip = isa::load_chip(chip_name);
          const Whole whole = make_whole(network(images), chip, numerics);
          const sim::Result result = simulate(whole, chip);
          REQUIRE(result.stop == sim::StopReason::finished);
          const NumericalCheck values = check(whole, result);
          CHECK_MESSAGE(values.passed, to_text(values));
        }
}

TEST_CASE("batch: do several images use the weight tiles of one, and no others?") {
  for (const auto& [its_name, network] : networks)
    for (const char* chip_name : {"tiny-4", "pimsim-nn-64"}) {
      const auto& name = its_name;
      CAPTURE(name);
      CAPTURE(chip_name);
      const isa::Chip chip = isa::load_chip(chip_name);
      const CompileResult one = compiled(network(1), chip, false), five = compiled(network(5), chip, false);
      CHECK(five.program.tiles.size() == one.program.tiles.size());
      for (const char* figure : {"crossbars_used", "classes", "weight_bytes"}) {
        CAPTURE(figure);
        CHECK(five.record.figures.at(figure) == one.record.figures.at(figure));
      }
      CHECK(five.record.figures.at("mvms") == 5 * one.record.figures.at("mvms"));
      // copies for the sake of time stay within the same tiles
      CHECK(compiled(network(5), chip, true).program.tiles.size() == one.program.tiles.size());
    }
}

TEST_CASE("batch: is every product with constant weights done by crossbars, however many images there are?") {
  const isa::Chip chip = isa::load_chip("pimsim-nn-64");
  for (const auto& [its_name, network] : networks) {
    const auto& name = its_name;
    CAPTURE(name);
    CHECK(compiled(network(4), chip, false).record.figures.at("vmms") ==
          4 * compiled(network(1), chip, false).record.figures.at("vmms"));
  }
}

TEST_CASE("batch: is a dynamic batch the extent that was asked for?") {
  frontend::ImportOptions options;
  options.dimensions = {{"N", 3}};
  const ir::Graph graph = frontend::import_text(
      "g (float[N,1,4,4] x) => (float[N,2] y) <float[16,2] w = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,"
      "17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32}> { f = Flatten (x)  y = MatMul (f, w) }",
      options);
  CHECK(graph.type(graph.outputs[0]).shape == ir::Shape{3, 2});
  const isa::Chip chip = isa::load_chip("tiny-4");
  const Whole whole = make_whole(graph, chip, Numerics::exact);
  const NumericalCheck values = check(whole, simulate(whole, chip));
  CHECK_MESSAGE(values.passed, to_text(values));
  CHECK(compiled(graph, chip, false).record.figures.at("mvms") == 3);
}
