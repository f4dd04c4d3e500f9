#include "isa/peers/load.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "isa/peers/binary_form.hpp"
#include "isa/support/error.hpp"

namespace pimento::isa::peers {
namespace fs = std::filesystem;

FileKind file_kind(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return fs::exists(fs::path(path) / "config.json", ignored) ? FileKind::peer_directory : FileKind::unknown;
  ByteSource source(path);
  std::array<char, 4096> head{};
  const std::string_view text(head.data(), source.read(head.data(), head.size()));
  if (text.starts_with(std::string_view("PIMENTO\0", 8))) return FileKind::program;
  if (text.starts_with(magic)) return FileKind::peer_core;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return FileKind::unknown;
  if (text[begin] != '{') return text.find("core:") != std::string_view::npos ? FileKind::chip : FileKind::unknown;
  const bool is_chip = text.find("\"chip_config\"") != std::string_view::npos;
  return is_chip ? FileKind::peer_chip : FileKind::peer_json;
}

Program load_peer_program(const std::string& path, const Chip& chip, std::vector<std::string>& warnings,
                          const LoadOptions& options) {
  Assembly assembly(path, chip, warnings, options);
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? load_directory(path, assembly, chip, warnings)
                                         : load_json(path, assembly, chip, warnings);
}

Program load_any_program(const std::string& path, const Chip& chip, std::vector<std::string>& warnings,
                         bool& timing_only, const LoadOptions& options) {
  switch (file_kind(path)) {
    case FileKind::program:
      return read_program(path);
    case FileKind::peer_json:
    case FileKind::peer_directory:
      timing_only = true;
      return load_peer_program(path, chip, warnings, options);
    case FileKind::peer_core:
      throw UserError(Place{.file = path}, "one core of a program; give the folder that holds it and config.json");
    case FileKind::peer_chip:
    case FileKind::chip:
      throw UserError(Place{.file = path}, "expected a program, got a chip description");
    case FileKind::unknown:
      break;
  }
  throw UserError(Place{.file = path},
                  "expected a program: a .pim of 'pimento compile', or pimsim-nn's JSON (plain, gzip) or folder");
}

}  // namespace pimento::isa::peers
