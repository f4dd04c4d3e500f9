#include "compiler/ops/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "compiler/ops/entries.hpp"
#include "compiler/ops/registry.hpp"
#include "isa/support/error.hpp"

void pimento_operators_0_1() {}

namespace pimento::ops {

void load_plugin(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& why) {
    throw UserError(fmt::format("plug-in '{}': {}", file.string(), why));
  };
  std::error_code error;
  if (fs::is_directory(file, error)) refuse("expected a shared library, got a folder");
  if (!fs::is_regular_file(file, error)) refuse("expected a shared library, there is no such file");
  const std::size_t before = all().size();
  // An absolute path: a bare name would be searched for in the system's folders.
  if (dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    const std::string why = dlerror();
    if (why.find("undefined symbol: pimento_operators_") != std::string::npos)
      refuse("it was built for another version of Pimento than " PIMENTO_VERSION);
    refuse(why);
  }
  if (const auto twice = take_repeated_names(); !twice.empty())
    refuse(fmt::format("operator '{}' is defined already", twice.front()));
  if (all().size() == before) refuse("it defines no operator");
}

}  // namespace pimento::ops
