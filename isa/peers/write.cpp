// A program of ours in the peer's forms. The JSON streams: no more than one piece of text is held.
#include <fmt/format.h>

#include <cmath>

#include "isa/peers/back_translate.hpp"
#include "isa/peers/binary_form.hpp"
#include "isa/peers/byte_source.hpp"
#include "isa/peers/peers.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"
#include "isa/support/folder.hpp"

namespace pimento::isa::peers {
namespace {

std::string config_text(const Program& program, const Chip& chip) {
  const Crossbar& x = chip.core.crossbar;
  std::string map;
  for (std::size_t core = 0; core < program.cores.size(); ++core) {
    std::string groups;
    for (std::size_t g = 0; g < program.cores[core].groups.size(); ++g) {
      const Group& group = program.cores[core].groups[g];
      if (group.crossbar_rows != 1)
        throw UserError(fmt::format("core {}, array group {}: {} rows of crossbars, pimsim-nn has 1", core, g,
                                    group.crossbar_rows));
      groups += fmt::format("{}{}", g == 0 ? "" : ", ", group.crossbar_cols);
    }
    map += fmt::format("{}\"core{}\": [{}]", core == 0 ? "" : ", ", core, groups);
  }
  return fmt::format(
      "{{\"adc_count\": {}, \"array_group_map\": {{{}}}, \"cell_precision\": {}, \"core_cnt\": {}, "
      "\"xbar_array_count\": {}, \"xbar_size\": [{}, {}]}}",
      x.adc.per_crossbar, map, x.cell_bits, program.cores.size(), chip.core.crossbars, x.rows, x.cols);
}

void append(std::string& text, const PeerInstruction& peer) {
  fmt::format_to(std::back_inserter(text), "{{\"op\": \"{}\"", operation(peer.op).name);
  for (int n = 0; n < field_count; ++n) {
    const auto field = static_cast<Field>(n);
    if (!peer.has(field)) continue;
    if (field == Field::imm && peer.imm != peer[field])
      fmt::format_to(std::back_inserter(text), ", \"imm\": {}", peer.imm);
    else
      fmt::format_to(std::back_inserter(text), ", \"{}\": {}", to_string(field), peer[field]);
  }
  text += '}';
}

/// Text on its way to a file, packed or not.
class TextFile {
 public:
  TextFile(Output& out, bool packs) : out_(out) {
    if (packs) packer_.emplace();
  }
  std::string& text() { return text_; }
  void give(bool last) {
    if (!last && text_.size() < piece) return;
    packer_ ? packer_->write(text_.data(), text_.size(), last, out_) : out_.write(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 18;
  Output& out_;
  std::optional<GzipPacker> packer_;
  std::string text_;
};

void add(WriteReport& all, const WriteReport& one) {
  if (all.times_only == 0) all.first_times_only = one.first_times_only;
  all.times_only += one.times_only;
}

bool has_loops(const Program& program) {
  for (const CoreProgram& core : program.cores)
    for (const Instruction& i : core.instructions.data)
      if (i.opcode == Opcode::loop || i.opcode == Opcode::addr) return true;
  return false;
}

}  // namespace

WriteReport write_peer_json(const Program& given, const Chip& chip, const std::string& path,
                            const WriteOptions& options) {
  WriteReport report;
  const Program program = has_loops(given) ? unroll(given) : given;
  write_atomically(path, [&](Output& output) {
    TextFile file(output, path.ends_with(".gz"));
    file.text() = fmt::format("{{\"config\": {}", config_text(program, chip));
    for (CoreId core = 0; core < program.cores.size(); ++core) {
      if (program.cores[core].instructions.size() == 0) continue;  // an absent core is an empty one
      file.text() += fmt::format(", \"core{}\": [", core);
      bool first = true;
      BackTranslator translator(program, chip, core, options, [&](const PeerInstruction& peer) {
        if (!first) file.text() += ", ";
        first = false;
        append(file.text(), peer);
        file.give(false);
      });
      translator.run();
      add(report, translator.report());
      file.text() += ']';
    }
    file.text() += "}";
    file.give(true);
  });
  return report;
}

WriteReport write_peer_directory(const Program& given, const Chip& chip, const std::string& path,
                                 const WriteOptions& options) {
  WriteReport report;
  const Program program = has_loops(given) ? unroll(given) : given;
  const std::string config = config_text(program, chip);
  write_folder(path, [&](const std::string& draft) {
    for (CoreId core = 0; core < program.cores.size(); ++core) {
      std::vector<Record> records;
      BackTranslator translator(program, chip, core, options,
                                [&](const PeerInstruction& peer) { records.push_back(pack(peer)); });
      translator.run();
      add(report, translator.report());
      write_atomically(fmt::format("{}/core_{}.pim", draft, core), [&](Output& output) {
        output.write(magic);
        output.put(binary_version);
        output.put(static_cast<std::uint32_t>(records.size()));
        for (const Record& record : records) output.put(record);
      });
    }
    write_atomically(draft + "/config.json", config + "\n");
  });
  return report;
}

}  // namespace pimento::isa::peers
