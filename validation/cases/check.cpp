#include "validation/cases/check.hpp"

#include <fmt/format.h>

#include "isa/instruction/text.hpp"
#include "isa/support/error.hpp"
#include "validation/cases/ports.hpp"
#include "validation/reference/reference.hpp"

namespace pimento::validation {
namespace {

std::string writer_of(const isa::Program& program, std::size_t output, const sim::OutputData& data,
                      std::int64_t position) {
  const isa::Port& port = program.outputs[output];
  const auto byte = static_cast<std::size_t>(physical_position(port, position) * size_of(port.type));
  if (byte >= data.writers.size()) return "";
  const sim::Writer writer = data.writers[byte];
  if (writer.instruction == 0xffffffffU) return "nobody: the element was never written";
  const isa::CoreProgram& core = program.cores[writer.core];
  const std::uint32_t node = isa::node_of(core, writer.instruction);
  return fmt::format("core {} at {}: {} ({})", writer.core, writer.instruction,
                     isa::print(core.instructions.data[writer.instruction]),
                     node == isa::no_node ? "no node" : fmt::format("node '{}'", program.nodes[node]));
}

}  // namespace

bool accepts(const Comparison& c, Numerics numerics, double min_sqnr_db) {
  if (c.differing == 0) return true;
  return numerics == Numerics::quantised && is_float(c.type.type) && c.sqnr_db.value_or(0) >= min_sqnr_db;
}

NumericalCheck check_outputs(const isa::Program& program, const sim::Result& result,
                             const std::vector<ir::Tensor>& expected, const std::string& reference,
                             double min_sqnr_db) {
  NumericalCheck check;
  check.reference = reference;
  check.criterion = program.numerics == Numerics::quantised
                        ? fmt::format("SQNR of every output at least {} dB", min_sqnr_db)
                        : fmt::format("every element within {} of the output's absolute maximum", float_tolerance);
  PIMENTO_CHECK(expected.size() == program.outputs.size() && result.outputs.size() == program.outputs.size(),
                fmt::format("{} outputs are expected, the program has {}, the run gave {}", expected.size(),
                            program.outputs.size(), result.outputs.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const isa::Port& port = program.outputs[i];
    if (expected[i].type() != port_type(port))
      throw UserError(fmt::format("{}: output '{}': expected {}, got {}", reference, port.name,
                                  ir::to_string(port_type(port)), ir::to_string(expected[i].type())));
    Comparison c = compare(port.name, expected[i], decode(port, result.outputs[i]), float_tolerance);
    if (c.first) c.writer = writer_of(program, i, result.outputs[i], c.first->position);
    c.accepted = accepts(c, program.numerics, min_sqnr_db);
    check.passed = check.passed && c.accepted;
    check.outputs.push_back(std::move(c));
  }
  return check;
}

std::vector<ir::Tensor> reference_outputs(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                                          std::int64_t images) {
  const std::ptrdiff_t each = static_cast<std::ptrdiff_t>(inputs.size()) / images;
  std::vector<ir::Tensor> all;
  for (auto first = inputs.begin(); images-- > 0; first += each)
    for (ir::Tensor& output : reference::run(graph, {first, first + each})) all.push_back(std::move(output));
  return all;
}

std::string to_text(const NumericalCheck& check) {
  std::string text =
      fmt::format("against {}; {}: {}\n", check.reference, check.criterion, check.passed ? "passed" : "FAILED");
  for (const Comparison& c : check.outputs) {
    text +=
        fmt::format("  '{}' {}: max absolute error {:.3g}, relative {:.3g}, SQNR {}\n", c.output, ir::to_string(c.type),
                    c.max_absolute, c.max_relative, c.sqnr_db ? fmt::format("{:.2f} dB", *c.sqnr_db) : "without noise");
    if (!c.first || check.passed) continue;
    text += fmt::format("    first at {}: expected {:.6g}, got {:.6g}; {} of {} elements differ\n",
                        to_string(c.first->index), c.first->expected, c.first->got, c.differing, c.type.elements());
    if (!c.writer.empty()) text += fmt::format("    written by {}\n", c.writer);
  }
  if (!check.diverging.empty()) text += fmt::format("  {}\n", check.diverging);
  return text;
}

}  // namespace pimento::validation
