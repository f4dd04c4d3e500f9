#pragma once
// For tests: a graph in text, through every stage of this backend, with each stage's result in hand.
#include <string>
#include <utility>

#include "compiler/drivers/pim/emit/emit.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"
#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/ir/text.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim::bench {

struct Compiled {
  ir::Graph graph;
  isa::Chip chip;
  NumericsPlan plan;
  ConstantPool pool;
  Spatial spatial;
  Schedule schedule;
  Steps steps;
  Operations operations;
  std::vector<CorePlan> plans;
  isa::Program program;

  SelectContext context() { return {graph, chip, plan, spatial.values, spatial.tiles, pool}; }
  /// `context` must live as long as what this returns.
  EmitInput input(const SelectContext& context) const { return {context, spatial, schedule, steps, operations}; }
  Selected selected(std::size_t compute) {
    const Compute& c = spatial.computes[compute];
    return select(context(), spatial.batches[index_of(c.batch)].body, c.reads, c.write, c.cls);
  }
  /// The first compute that writes a value of this name.
  std::size_t writer(const std::string& value) const {
    for (std::size_t c = 0; c < spatial.computes.size(); ++c) {
      if (spatial.values[index_of(spatial.computes[c].write.value)].name == value) return c;
    }
    throw InternalError("no compute writes '" + value + "'");
  }
};

/// Up to communicate. Every value is taken to range over [low, high].
inline Compiled scheduled(ir::Graph graph, Numerics numerics = Numerics::quantised, double low = -1, double high = 1,
                          const isa::Chip* chip = nullptr, int rounds = 1) {
  Compiled c;
  c.graph = std::move(graph);
  c.chip = chip != nullptr ? *chip : isa::load_chip("tiny-4");
  Ranges ranges;
  for (const ir::Value& v : c.graph.values) ranges[v.name] = Observed(low, high);
  c.plan = plan_numerics(c.graph, c.chip, numerics, ranges);
  c.spatial = graph_to_spatial(c.graph, c.chip, c.plan, c.pool, {.replicate = false, .rounds = rounds}).spatial;
  c.schedule = make_schedule(c.spatial, c.chip);
  c.steps = communicate(c.spatial, c.schedule, materialise(c.spatial, c.schedule, c.chip), c.chip);
  return c;
}

inline Compiled scheduled(const std::string& text, Numerics numerics = Numerics::quantised, double low = -1,
                          double high = 1, const isa::Chip* chip = nullptr, int rounds = 1) {
  return scheduled(ir::parse_graph(text), numerics, low, high, chip, rounds);
}

inline Compiled compiled(ir::Graph graph, Numerics numerics = Numerics::quantised, double low = -1, double high = 1,
                         const isa::Chip* chip = nullptr, int rounds = 1) {
  Compiled c = scheduled(std::move(graph), numerics, low, high, chip, rounds);
  const SelectContext context = c.context();
  c.operations = spatial_to_pim(context, c.spatial);
  c.plans = plan_liveness(bufferise(c.input(context)), c.input(context));
  c.program = emit_program(c.input(context), c.plans, Loops::single);
  return c;
}

inline Compiled compiled(const std::string& text, Numerics numerics = Numerics::quantised, double low = -1,
                         double high = 1, const isa::Chip* chip = nullptr, int rounds = 1) {
  return compiled(ir::parse_graph(text), numerics, low, high, chip, rounds);
}

/// "mvm vadd vrequant": the operations of a compute in order.
inline std::string opcodes(const Selected& selected) {
  std::string text;
  for (const PimOp& op : selected.ops) text += (text.empty() ? "" : " ") + std::string(isa::row(op.form.opcode).name);
  return text;
}

}  // namespace pimento::pim::bench
