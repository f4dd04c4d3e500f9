#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "isa/peers/load.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa::peers {

std::string place_text(CoreId core, std::size_t instruction, std::int64_t byte) {
  return fmt::format("core {}, instruction {} (byte {})", core, instruction, byte);
}

std::optional<CoreId> core_number(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  CoreId core = 0;
  const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), core);
  const bool plain = digits.size() == 1 || (digits.size() > 1 && digits.front() != '0');
  if (fault != std::errc{} || stop != digits.data() + digits.size() || !plain) return std::nullopt;
  return core;
}

Assembly::Assembly(const std::string& path, const Chip& chip, std::vector<std::string>& warnings,
                   const LoadOptions& options)
    : path_(path), chip_(chip), warnings_(warnings), options_(options) {
  if (chip.core.scalar.address_registers < register_count)
    throw UserError(Place{.file = path}, fmt::format("the instruction set has {} registers, a core of chip '{}' has {}",
                                                     register_count, chip.name, chip.core.scalar.address_registers));
}

void Assembly::refuse(CoreId core, const Core& mine, const FirstUse& use, const std::string& message) const {
  throw UserError(Place{.file = mine.file, .node = place_text(core, use.instruction, use.byte)}, message);
}

void Assembly::add_core(CoreId core, CoreTranslator&& translated, const std::string& file) {
  Core mine{std::move(translated.instructions()), translated.cores_used(), translated.groups_used(), file};
  mine.instructions.shrink_to_fit();
  if (const auto& unset = translated.width_unset()) {
    const std::string message = fmt::format(
        "a width is used before 'setbw' sets it; {} bits are assumed, pimsim-nn computes with 0", assumed_bits);
    if (options_.strict) refuse(core, mine, *unset, message);
    warnings_.push_back(fmt::format("{}: {}: {}", file, place_text(core, unset->instruction, unset->byte), message));
  }
  cores_.emplace(core, std::move(mine));
}

std::uint32_t Assembly::tile_of(Program& program, std::int32_t crossbars) {
  const auto [found, is_new] = tiles_.emplace(crossbars, static_cast<std::uint32_t>(program.tiles.size()));
  if (!is_new) return found->second;
  Tile tile;
  tile.rows = chip_.core.crossbar.rows;
  tile.cols = crossbars * chip_.weights_per_crossbar_row();
  tile.crossbar_cols = crossbars;
  tile.type = chip_.numerics.weight_bits > 8 ? ElementType::i16 : ElementType::i8;
  const auto bytes = static_cast<std::size_t>(tile.rows) * static_cast<std::size_t>(tile.cols) *
                     static_cast<std::size_t>(size_of(tile.type));
  tile.weights = Blob<std::uint8_t>::own(std::vector<std::uint8_t>(bytes));
  program.tiles.push_back(std::move(tile));
  return found->second;
}

Program Assembly::finish(const Config& config) {
  Program program;
  program.producer = "pimsim-nn";
  program.model = std::filesystem::path(path_).filename().string();
  program.chip_name = chip_.name;
  program.chip_yaml = chip_.yaml;
  program.chip = chip_.fingerprints;
  program.settings_json = R"({"form": "pimsim-nn"})";
  const auto count = static_cast<CoreId>(config.core_count);
  program.cores.resize(count);
  std::set<CoreId> at_work;
  for (const auto& [core, mine] : cores_)
    if (!mine.instructions.empty()) at_work.insert(core);
  for (auto& [core, mine] : cores_) {
    if (core >= count) throw UserError(Place{.file = mine.file}, fmt::format("core {}: core_cnt is {}", core, count));
    const auto& groups = config.groups[core];
    for (const FirstUse& use : mine.groups_used)
      if (use.number >= groups.size())
        refuse(core, mine, use, fmt::format("array group {}, core has {}", use.number, groups.size()));
    for (const FirstUse& use : mine.cores_used) {
      if (use.number >= count) refuse(core, mine, use, fmt::format("core {}, program has {}", use.number, count));
      if (!at_work.contains(use.number))
        refuse(core, mine, use, fmt::format("core {} has no instructions in this program", use.number));
    }
    CoreProgram& made = program.cores[core];
    made.instructions = Blob<Instruction>::own(std::move(mine.instructions));
    for (const std::int32_t crossbars : groups) made.groups.push_back({tile_of(program, crossbars), 1, crossbars});
  }
  return program;
}

}  // namespace pimento::isa::peers
