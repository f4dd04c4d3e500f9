#include <fmt/format.h>

#include <map>

#include "compiler/drivers/pim/emit/parts.hpp"
#include "compiler/drivers/pim/laws/laws.hpp"
#include "isa/chip/canonical.hpp"
#include "isa/program/executions.hpp"

namespace pimento::pim {
namespace {
using isa::Opcode;

std::int64_t executions_of(const PimOp& op) {
  std::int64_t times = 1;
  for (std::int32_t level = 0; level < op.depth; ++level) times *= op.trips[static_cast<std::size_t>(level)];
  return times;
}
bool is_copy(Opcode o) { return o == Opcode::vmov || o == Opcode::move; }

struct Counts {
  std::int64_t products = 0, copies = 0, executed = 0;
};
Counts count(const Selected& selected) {
  Counts c;
  for (const PimOp& op : selected.ops) {
    const std::int64_t times = executions_of(op);
    c.executed += times;
    if (op.form.opcode == Opcode::mvm) c.products += times;
    if (is_copy(op.form.opcode)) c.copies += times;
  }
  return c;
}

/// What a compute whose operations take longer than selected ones has more than they.
std::string name_of_loss(const Selected& is, const Selected& would_be) {
  const Counts a = count(would_be), b = count(is);
  if (b.copies > a.copies) return fmt::format("added copies: {} instead of {}", b.copies, a.copies);
  if (b.executed > a.executed)
    return fmt::format("a sequential loop in place of independent work: {} instructions executed instead of {}",
                       b.executed, a.executed);
  return "more instructions: slower ones";
}

/// Executed by one core, by opcode: what was selected for its steps, at most.
std::map<Opcode, std::int64_t> selected_on(CoreId core, const EmitInput& input) {
  std::map<Opcode, std::int64_t> counts;
  for (const Step& step : input.steps.cores[core])
    if (step.kind == Step::Kind::compute)
      for (const PimOp& op : input.operations[static_cast<std::size_t>(step.index)].ops)
        counts[op.form.opcode] += executions_of(op);
  for (const Step& step : input.steps.cores[core]) counts[Opcode::write] += step.kind == Step::Kind::write ? 1 : 0;
  return counts;
}
std::map<Opcode, std::int64_t> executed_on(const isa::CoreProgram& core) {
  const std::vector<std::int64_t> times = isa::executions(core);
  std::map<Opcode, std::int64_t> counts;
  for (std::size_t k = 0; k < times.size(); ++k) counts[core.instructions.data[k].opcode] += times[k];
  return counts;
}

std::string check_executed(CoreId core, const isa::CoreProgram& program, const EmitInput& input) {
  const std::map<Opcode, std::int64_t> selected = selected_on(core, input);
  for (const auto& [opcode, times] : executed_on(program)) {
    const isa::Row& row = isa::row(opcode);
    const bool counts = row.unit == isa::Unit::matrix || row.unit == isa::Unit::vector || opcode == Opcode::move;
    if (!counts || opcode == Opcode::vfill) continue;  // padding is zeroed where buffers are born
    const auto at = selected.find(opcode);
    const std::int64_t expected = at == selected.end() ? 0 : at->second * input.steps.images;
    if (times <= expected) continue;
    const char* trade = is_copy(opcode)                 ? "added copies"
                        : row.unit == isa::Unit::matrix ? "recomputation"
                                                        : "more instructions";
    return fmt::format("{}: core {} executes {} '{}', {} were selected", trade, core, times, row.name, expected);
  }
  return "";
}

std::string check_ports(const char* what, const std::vector<isa::Port>& ports, const std::vector<ir::ValueId>& values,
                        const ir::Graph& graph, std::int64_t images) {
  if (ports.size() != values.size() * static_cast<std::size_t>(images))
    return fmt::format("work moved to the host: {} {} of the model, {} of the program", values.size(), what,
                       ports.size());
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const ir::Value& v = graph.value(values[i % values.size()]);
    const auto image = static_cast<std::int64_t>(i / values.size());
    if (ports[i].name != port_name(v.name, image, images) || ports[i].shape != v.type.shape)
      return fmt::format("work moved to the host: {} '{}' of the program, '{}' {} of the model", what, ports[i].name,
                         v.name, ir::to_string(v.type));
  }
  return "";
}

}  // namespace

std::string law_of_selection(const Operations& operations, const SelectContext& context, const Spatial& spatial) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Compute& c = spatial.computes[i];
    const Body& body = spatial.batches[index_of(c.batch)].body;
    const PBox& box = c.write.box;
    const std::int64_t products = c.cls == no_class
                                      ? 0
                                      : std::int64_t{box.rows()} * body.tile_count *
                                            spatial.tiles[static_cast<std::size_t>(body.tile)].mvms(box.positions());
    if (const std::int64_t made = count(operations[i]).products; made > products)
      return fmt::format("recomputation: compute {} makes {} products, expected at most {}", i, made, products);
    const Cycles cycles = predicted_cycles(context, operations[i]);
    if (cycles <= c.cycles) continue;
    // the schedule was told the cycles of another compute of this shape, which may differ a little
    const Selected selected = select(context, body, c.reads, c.write, c.cls);
    if (const Cycles expected = predicted_cycles(context, selected); cycles > expected)
      return fmt::format("{}; compute {} takes {} cycles, expected {}", name_of_loss(operations[i], selected), i,
                         cycles, expected);
  }
  return "";
}

std::string law_of_emission(const isa::Program& program, const EmitInput& input) {
  for (std::size_t core = 0; core < program.cores.size(); ++core)
    if (std::string broken = check_executed(static_cast<CoreId>(core), program.cores[core], input); !broken.empty())
      return broken;
  const ir::Graph& graph = input.context.graph;
  if (std::string broken = check_ports("inputs", program.inputs, graph.inputs, graph, program.images); !broken.empty())
    return broken;
  return check_ports("outputs", program.outputs, graph.outputs, graph, program.images);
}

std::string law_of_hardware(const isa::Program& program, const isa::Chip& chip) {
  if (program.chip == chip.fingerprints && program.chip_yaml == chip.yaml) return "";
  const isa::Chip named = isa::read_canonical(program.chip_yaml, "chip of the program");
  for (const isa::KeyClass of : {isa::KeyClass::legality, isa::KeyClass::cost})
    for (const std::string& key : isa::differing_keys(named, chip, of))
      return fmt::format("changed hardware parameters: {} {} in the program, {} on the chip", key,
                         isa::key_value(named, key), isa::key_value(chip, key));
  return "changed hardware parameters: the program names another chip";
}

}  // namespace pimento::pim
