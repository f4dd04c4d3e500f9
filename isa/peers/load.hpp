#pragma once
// What the JSON and the directory form share: a program is put together core by core, and checked as a whole once its
// last core has been read.
#include <map>
#include <optional>

#include "isa/peers/json_reader.hpp"
#include "isa/peers/peers.hpp"
#include "isa/peers/translate.hpp"

namespace pimento::isa::peers {

/// The object "config" of a program.
struct Config {
  std::int32_t core_count = 0;
  std::vector<std::vector<std::int32_t>> groups;  ///< of each core: crossbars of each array group
};
/// Reads the object and checks it against the chip. Differences that change times become warnings.
Config read_config(JsonReader& reader, const Chip& chip, std::vector<std::string>& warnings);

/// 17 of "core17"; nothing when the text is something else.
std::optional<CoreId> core_number(std::string_view name, std::string_view prefix);

class Assembly {
 public:
  Assembly(const std::string& path, const Chip& chip, std::vector<std::string>& warnings, const LoadOptions& options);

  /// Takes what a core's translation found.
  void add_core(CoreId core, CoreTranslator&& translated, const std::string& file);
  bool has_core(CoreId core) const { return cores_.contains(core); }
  Program finish(const Config& config);

 private:
  struct Core {
    std::vector<Instruction> instructions;
    std::vector<FirstUse> cores_used, groups_used;
    std::string file;
  };
  [[noreturn]] void refuse(CoreId core, const Core& mine, const FirstUse& use, const std::string& message) const;
  std::uint32_t tile_of(Program& program, std::int32_t crossbars);

  std::string path_;
  const Chip& chip_;
  std::vector<std::string>& warnings_;
  LoadOptions options_;
  std::map<CoreId, Core> cores_;
  std::map<std::int32_t, std::uint32_t> tiles_;  ///< by crossbars
};

/// "core 3, instruction 17 (byte 1234)".
std::string place_text(CoreId core, std::size_t instruction, std::int64_t byte);

Program load_json(const std::string& path, Assembly& assembly, const Chip& chip, std::vector<std::string>& warnings);
Program load_directory(const std::string& path, Assembly& assembly, const Chip& chip,
                       std::vector<std::string>& warnings);

}  // namespace pimento::isa::peers
