#pragma once
// How one stage is run: timed, recorded, dumped when that is asked for, and held to its verifier and to the first law.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/text.hpp"
#include "compiler/optimizer/optimizer.hpp"
#include "compiler/pipeline/compile.hpp"
#include "compiler/pipeline/stage_times.hpp"
#include "isa/support/error.hpp"

namespace pimento {

class StageRunner {
 protected:
  StageRunner(const CompileOptions& options, proof::Record& record) : options_(options), record_(record) {}

  const CompileOptions& options_;
  proof::Record& record_;
  StageTimes times_;

  bool wants(const std::string& name) const { return options_.dump && options_.dump_after == name; }

  std::optional<std::string> held_dump_;  ///< of a plan that may not be made; none: dumps go out at once
  bool holds_dumps_ = false;
  void dump(const std::string& name, std::string text) {
    if (!holds_dumps_) return options_.dump(name, text);
    held_dump_ = std::move(text);
  }

  /// The passes over the graph, each a stage.
  void optimise(ir::Graph& graph) {
    std::vector<std::pair<std::size_t, std::size_t>> after;
    const auto reports = optimizer::optimise(graph, [&](const std::string& pass, const ir::Graph& g) {
      after.emplace_back(g.nodes.size(), g.values.size());
      if (wants(pass)) options_.dump(pass, ir::print(g));
    });
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const optimizer::PassReport& pass = reports[i];
      record_.stages.push_back(
          {pass.name, pass.wall_s, pass.cpu_s, {{"changed", pass.changed}, {"kept_back", pass.kept_back}}});
      sizes(after[i].first, after[i].second);
    }
    record_.know("graph_nodes", static_cast<std::int64_t>(graph.nodes.size()));
    record_.know("graph_values", static_cast<std::int64_t>(graph.values.size()));
  }

  /// Runs a stage, times it, dumps it when asked and stops on a broken rule.
  template <class Work, class Text, class Verify>
  auto stage(const std::string& name, Work&& work, Text&& text, Verify&& check) {
    const StageTimes::Span span = times_.measure(name);
    auto result = work();
    record_.stages.push_back({name, 0, 0, {}});
    if (wants(name)) dump(name, text(result));
    if (const std::string fault = check(result); !fault.empty())
      throw InternalError(fmt::format("stage {}: {}", name, fault));
    return result;
  }
  /// The first law, where it is asked for: a result that is right but not as good as what it was made from.
  template <class Law>
  void keep(const std::string& name, Law&& law) const {
    if (!options_.verify) return;
    if (const std::string broken = law(); !broken.empty())
      throw Negative(fmt::format("stage {}: forbidden trade: {}", name, broken));
  }
  void count(const std::string& figure, std::int64_t value) {
    record_.stages.back().counts[figure] = value;
    record_.know(figure, value);
  }
  /// What the last stage left: operations (nodes, computes, steps, instructions) and values (or buffers).
  void sizes(std::size_t operations, std::size_t values) {
    record_.stages.back().counts["operations"] = static_cast<std::int64_t>(operations);
    record_.stages.back().counts["values"] = static_cast<std::int64_t>(values);
  }
};

}  // namespace pimento
