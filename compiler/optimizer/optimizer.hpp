#pragma once
// Layer 1: rewrites of the graph that hold on every backend. The pass manager verifies, dumps what changed and times.
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace pimento::optimizer {

struct PassReport {
  std::string name;
  double wall_s = 0, cpu_s = 0;
  std::int64_t changed = 0, kept_back = 0;
};
/// Runs the default pipeline in its documented order; `after` is called with each pass's name and the graph after it.
std::vector<PassReport> optimise(ir::Graph& graph,
                                 const std::function<void(const std::string&, const ir::Graph&)>& after = {});
/// Names in pipeline order.
std::vector<std::string> pipeline();
/// One pass by name (tests, --dump-after). UserError with the nearest name.
std::int64_t run_pass(const std::string& name, ir::Graph& graph);
/// The page PASSES.md.
std::string passes_page();

}  // namespace pimento::optimizer
