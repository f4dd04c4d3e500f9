// The pass manager: order, verification, dumps, times, and the rule that no pass may raise the cost.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/verify.hpp"
#include "compiler/ops/registry.hpp"
#include "compiler/optimizer/cost.hpp"
#include "compiler/optimizer/optimizer.hpp"
#include "compiler/optimizer/pass.hpp"
#include "isa/support/error.hpp"
#include "isa/support/stopwatch.hpp"

namespace pimento::optimizer {
namespace {

std::vector<Pass>& registered() {
  static std::vector<Pass> all;
  return all;
}

void require_valid(const ir::Graph& graph, const std::string& pass) {
  ir::require_valid(graph, fmt::format("graph '{}' after pass '{}'", graph.name, pass));
  const std::vector<ops::Finding> findings = ops::check(graph);
  if (findings.empty()) return;
  std::string message = fmt::format("graph '{}' after pass '{}'", graph.name, pass);
  for (const ops::Finding& finding : findings) message += "\n  " + ops::to_string(finding);
  throw InternalError(message);
}

/// The pass on the graph and on the bodies of its loops. A group is closed: what fusion joined stays as it is.
std::int64_t apply(const Pass& pass, ir::Graph& graph) {
  std::int64_t changed = 0;
  for (ir::Node& node : graph.nodes) {
    if (node.op != "loop") continue;
    ir::Graph body = *node.body;
    const std::int64_t inside = apply(pass, body);
    if (inside > 0) node.body = std::make_shared<const ir::Graph>(std::move(body));
    changed += inside;
  }
  return changed + pass.function(graph);
}

}  // namespace

Applied apply_guarded(const Pass& pass, ir::Graph& graph, std::optional<std::int64_t>& cost) {
  ir::Graph candidate = graph;
  const std::int64_t changed = apply(pass, candidate);
  if (changed == 0) return {};
  require_valid(candidate, pass.name);
  if (!cost) cost = weighted_cost(graph);
  const std::int64_t now = weighted_cost(candidate);
  if (now > *cost) return {0, changed};
  cost = now;
  graph = std::move(candidate);
  return {changed, 0};
}

bool PassBuilder::run(std::int64_t (*function)(ir::Graph&)) {
  pass_.function = function;
  registered().push_back(pass_);
  return true;
}

const std::vector<Pass>& passes() {
  static const std::vector<Pass> ordered = [] {
    std::vector<Pass> all = registered();
    std::sort(all.begin(), all.end(), [](const Pass& a, const Pass& b) { return a.position < b.position; });
    for (std::size_t i = 1; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        PIMENTO_CHECK(all[i].name != all[j].name, fmt::format("pass '{}' is registered twice", all[i].name));
        PIMENTO_CHECK(all[i].position != all[j].position,
                      fmt::format("passes '{}' and '{}' share position {}", all[j].name, all[i].name, all[i].position));
      }
    }
    return all;
  }();
  return ordered;
}

std::vector<PassReport> optimise(ir::Graph& graph,
                                 const std::function<void(const std::string&, const ir::Graph&)>& after) {
  std::vector<PassReport> reports;
  std::optional<std::int64_t> cost;
  for (const Pass& pass : passes()) {
    const Stopwatch watch;
    const Applied applied = apply_guarded(pass, graph, cost);
    reports.push_back({pass.name, watch.wall_s(), watch.cpu_s(), applied.changed, applied.kept_back});
    if (after) after(pass.name, graph);
  }
  return reports;
}

std::vector<std::string> pipeline() {
  std::vector<std::string> names;
  for (const Pass& pass : passes()) names.push_back(pass.name);
  return names;
}

std::int64_t run_pass(const std::string& name, ir::Graph& graph) {
  std::optional<std::int64_t> cost;
  for (const Pass& pass : passes())
    if (pass.name == name) return apply_guarded(pass, graph, cost).changed;
  throw UserError(fmt::format("unknown pass '{}'{}", name, suggestion(name, pipeline())));
}

std::string passes_page() {
  std::string text =
      "# Passes of layer 1\n\nIn the order in which they run. A pass changes the form of what is computed, never its "
      "meaning, and is kept\n"
      "only if the graph's weighted cost does not rise.\n";
  for (const Pass& pass : passes())
    text += fmt::format("\n## {}\n\n{}\n\n- Precondition: {}\n- Place: {}\n", pass.name, pass.summary,
                        pass.precondition, pass.reason);
  return text;
}

DOCUMENT("compiler/optimizer/passes/PASSES.md", passes_page);

}  // namespace pimento::optimizer
