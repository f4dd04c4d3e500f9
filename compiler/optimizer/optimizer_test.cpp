#include "compiler/optimizer/optimizer.hpp"

#include <algorithm>
#include <filesystem>

#include "compiler/optimizer/cost.hpp"
#include "compiler/optimizer/pass.hpp"
#include "compiler/optimizer/pass_for_tests.hpp"
#include "isa/support/error.hpp"

using namespace pimento;
using namespace pimento::optimizer;

namespace {

const char* const residual_block = R"(graph g (%x : f32[1,2,3,3]) {
  @w : f32[2,2,1,1] = [1.0, 2.0, 3.0, 4.0]
  @scale : f32[2] = [2.0, 0.5]
  @shift : f32[2] = [1.0, -1.0]
  @mean : f32[2] = [0.25, 4.0]
  @var : f32[2] = [1.0, 3.0]
  %i = identity %x : f32[1,2,3,3] from "i"
  %c = conv %i, @w {dilations = [1, 1], group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : f32[1,2,3,3] from "c"
  %n = batch_norm %c, @scale, @shift, @mean, @var {epsilon = 0.00001} : f32[1,2,3,3] from "n"
  %s = add %n, %x : f32[1,2,3,3] from "s"
  %y = clip %s {min = 0.0} : f32[1,2,3,3] from "y"
  return %y
})";

}  // namespace

TEST_CASE("optimizer: does a residual block become one node, with the same values?") {
  Trial trial("dead-code", residual_block);
  std::vector<std::string> seen;
  const auto reports = optimise(trial.after, [&](const std::string& pass, const ir::Graph&) { seen.push_back(pass); });
  CHECK(seen == pipeline());
  REQUIRE(trial.after.nodes.size() == 1);
  CHECK(trial.after.nodes[0].source == "c+n+s+y");
  CHECK(trial.difference() <= 1e-5);
  CHECK(reports.size() == pipeline().size());
}
TEST_CASE("optimizer: does every file of passes/ register one pass, with a sentence, a precondition and a reason?") {
  const char* source = std::getenv("PIMENTO_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(source) + "/compiler/optimizer/passes")) {
    const std::string name = entry.path().filename().string();
    files += name.ends_with(".cpp") && !name.ends_with("_test.cpp") ? 1 : 0;
  }
  CHECK(files == passes().size());
  for (const Pass& pass : passes()) {
    CAPTURE(pass.name);
    CHECK(!pass.summary.empty());
    CHECK(!pass.precondition.empty());
    CHECK(!pass.reason.empty());
    CHECK((pass.function != nullptr));
  }
}
TEST_CASE("optimizer: what is said to a pass that does not exist?") {
  ir::Graph g;
  try {
    run_pass("fold-constant", g);
    FAIL("accepted");
  } catch (const UserError& fault) {
    CHECK(std::string(fault.what()) == "unknown pass 'fold-constant'; nearest: 'fold-constants'");
  }
}
TEST_CASE("optimizer: is a rewrite that costs more kept back?") {
  ir::Graph g = ir::parse_graph(R"(graph g (%x : f32[2]) {
  %y = add %x, %x : f32[2] from "y"
  return %y
})");
  CHECK(weighted_cost(g) == 3);  // two additions, one node
  Pass wasteful;
  wasteful.name = "wasteful";
  wasteful.function = [](ir::Graph& graph) {
    graph.add_node("relu", {graph.inputs[0]}, graph.type(graph.inputs[0]));
    return std::int64_t{1};
  };
  std::optional<std::int64_t> cost;
  const Applied applied = apply_guarded(wasteful, g, cost);
  CHECK(applied.changed == 0);
  CHECK(applied.kept_back == 1);
  CHECK(cost == 3);
  CHECK(g.nodes.size() == 1);
}
