// Where the shipped chips stand, and chips by name.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "isa/chip/chip.hpp"
#include "isa/chip/shipped.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

namespace pimento::isa {
namespace fs = std::filesystem;
namespace {

/// "share/pimento/configs/chips" of the prefix that the running executable was installed under, if it was.
fs::path beside_executable() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : executable.parent_path().parent_path() / "share/pimento/configs/chips";
}

}  // namespace

std::string chips_folder() {
  if (const char* configs = std::getenv("PIMENTO_CONFIGS")) {
    const fs::path folder = fs::path(configs) / "chips";
    if (!fs::is_directory(folder))
      throw UserError("PIMENTO_CONFIGS: expected a folder with chips/ in it, got '" + std::string(configs) + "'");
    return folder.string();
  }
  for (const fs::path& folder :
       {fs::path(PIMENTO_SOURCE_CONFIGS) / "chips", beside_executable(), fs::path(PIMENTO_INSTALLED_CONFIGS) / "chips"})
    if (std::error_code error; !folder.empty() && fs::is_directory(folder, error)) return folder.string();
  throw UserError("the shipped chips were not found; set PIMENTO_CONFIGS to the folder that holds chips/");
}

std::vector<std::string> shipped_chips() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(chips_folder()))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {
bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".yml");
}
}  // namespace

std::string chip_file(const std::string& name_or_path) {
  return is_path(name_or_path) ? name_or_path : (fs::path(chips_folder()) / (name_or_path + ".yaml")).string();
}

Chip load_chip(const std::string& name_or_path) {
  const std::string file = chip_file(name_or_path);
  if (is_path(name_or_path)) return parse_chip(read_file(file), file);
  const std::vector<std::string> names = shipped_chips();
  if (std::find(names.begin(), names.end(), name_or_path) == names.end())
    throw UserError("unknown chip '" + name_or_path + "'" + suggestion(name_or_path, names) +
                    " (a file is named with its .yaml)");
  return parse_chip(read_file(file), file);
}

}  // namespace pimento::isa
