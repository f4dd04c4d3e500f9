// A program as text, one directive or instruction per line; assemble.cpp reads every line back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>

#include "isa/instruction/form.hpp"
#include "isa/instruction/text.hpp"
#include "isa/program/program.hpp"

namespace pimento::isa {
namespace {
constexpr std::size_t bytes_per_line = 32;

class Disassembler {
 public:
  Disassembler(const Program& program, bool with_data) : program_(program), with_data_(with_data) {}

  std::string run() {
    if (!with_data_) out_ += "# without data: weights, constants and real values assemble to zeros\n";
    header();
    for (std::size_t t = 0; t < program_.tiles.size(); ++t) tile(t);
    for (const GlobalConstant& constant : program_.global_constants)
      constant_lines(fmt::format(".global_constant address {}", constant.address), constant);
    for (std::size_t c = 0; c < program_.cores.size(); ++c) core(c);
    return std::move(out_);
  }

 private:
  template <class... A>
  void line(fmt::format_string<A...> format, A&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<A>(arguments)...);
    out_ += '\n';
  }
  void quoted_line(std::string_view directive, std::string_view text) {
    (out_ += directive) += ' ';
    print_quoted(out_, text);
    out_ += '\n';
  }
  /// Long text: one line of the directive per line of the text, joined again by the assembler.
  void text_lines(std::string_view directive, std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      quoted_line(directive, text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  void header() {
    quoted_line(".producer", program_.producer);
    quoted_line(".model", program_.model);
    quoted_line(".model_fingerprint", program_.model_fingerprint);
    line(".numerics {}", to_string(program_.numerics));
    quoted_line(".chip", program_.chip_name);
    line(".fingerprints 0x{:016x} 0x{:016x} 0x{:016x}", program_.chip.legality, program_.chip.cost,
         program_.chip.physics);
    text_lines(".chip_yaml", program_.chip_yaml);
    for (const std::string& key : program_.schedule_cost_keys) quoted_line(".cost_key", key);
    text_lines(".settings", program_.settings_json);
    line(".global_memory_used {}", program_.global_memory_used);
    if (program_.images != 1) line(".images {}", program_.images);
    for (const std::string& node : program_.nodes) quoted_line(".node", node);
    for (const auto& set : program_.core_sets) line(".core_set {}", fmt::join(set, " "));
    for (const Port& port : program_.inputs) port_line(".input", port);
    for (const Port& port : program_.outputs) port_line(".output", port);
  }

  void port_line(std::string_view directive, const Port& port) {
    (out_ += directive) += ' ';
    print_quoted(out_, port.name);
    line(" {} shape {} layout {} type {} scale {} zero {} address {}", to_string(port.model_type), list(port.shape),
         list(port.layout), to_string(port.type), port.scale, port.zero_point, port.address);
  }
  template <class T>
  static std::string list(const std::vector<T>& values) {
    return fmt::format("[{}]", fmt::join(values, " "));
  }

  void hex_lines(std::string_view directive, const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    for (std::size_t at = 0; at < size; at += bytes_per_line)
      line("{} {:02x}", directive, fmt::join(bytes + at, bytes + std::min(size, at + bytes_per_line), ""));
  }
  void data_lines(const Blob<std::uint8_t>& bytes, const Blob<float>& real) {
    if (!with_data_) return;
    hex_lines(".bytes", bytes.data.data(), bytes.data.size_bytes());
    hex_lines(".reals", real.data.data(), real.data.size_bytes());
  }

  void tile(std::size_t index) {
    const Tile& t = program_.tiles[index];
    line(".tile rows {} cols {} crossbars {} {} type {} bytes {} reals {}  # tile {}", t.rows, t.cols, t.crossbar_rows,
         t.crossbar_cols, to_string(t.type), t.weights.size(), t.real.size(), index);
    data_lines(t.weights, t.real);
  }
  template <class C>
  void constant_lines(const std::string& head, const C& constant) {
    line("{} type {} bytes {} reals {}", head, to_string(constant.type), constant.bytes.size(), constant.real.size());
    data_lines(constant.bytes, constant.real);
  }

  void core(std::size_t index) {
    const CoreProgram& mine = program_.cores[index];
    line(".core {}", index);
    line(".local_memory_used {}", mine.local_memory_used);
    for (std::size_t g = 0; g < mine.groups.size(); ++g) {
      const Group& group = mine.groups[g];
      line(".group crossbars {} {} tile {}  # group {}", group.crossbar_rows, group.crossbar_cols,
           group.tile == no_tile ? "none" : std::to_string(group.tile), g);
    }
    for (const Constant& constant : mine.constants)
      constant_lines(fmt::format(".constant address {}", constant.address), constant);
    for (const NodeRange& range : mine.nodes) line(".range {} {} node {}", range.begin, range.end, range.node);
    instructions(mine);
  }

  void instructions(const CoreProgram& mine) {
    std::vector<std::size_t> ends;  // of the open loops
    auto range = mine.nodes.begin();
    for (std::size_t k = 0; k < mine.instructions.size(); ++k) {
      const Instruction& i = mine.instructions.data[k];
      while (!ends.empty() && ends.back() <= k) ends.pop_back();
      for (; range != mine.nodes.end() && range->begin <= k; ++range)
        if (range->node < program_.nodes.size()) {
          out_ += "# ";
          print_quoted(out_, program_.nodes[range->node]);
          out_ += '\n';
        }
      out_.append(2 * (ends.size() + 1), ' ');
      print_to(out_, i);
      out_ += '\n';
      if (i.opcode == Opcode::loop && ends.size() < max_loop_levels) ends.push_back(k + 1 + i.target);
    }
  }

  const Program& program_;
  bool with_data_;
  std::string out_;
};
}  // namespace

std::string disassemble(const Program& program, bool with_data) { return Disassembler(program, with_data).run(); }

}  // namespace pimento::isa
