#include "models/zoo/zoo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "compiler/frontend/export.hpp"
#include "isa/support/error.hpp"
#include "isa/support/folder.hpp"
#include "models/zoo/builder.hpp"

namespace pimento::zoo {
namespace fs = std::filesystem;
namespace {
std::vector<Network>& registered() {
  static std::vector<Network> all;
  return all;
}

std::string cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? fs::path(value) : fs::path{};
  };
  if (const auto base = variable("XDG_CACHE_HOME"); !base.empty()) return base / "pimento";
  if (const auto base = variable("PIMENTO_BINARY_DIR"); !base.empty()) return base / "zoo";
  if (const auto base = variable("HOME"); !base.empty()) return base / ".cache" / "pimento";
  throw UserError("no place for the zoo's cache: XDG_CACHE_HOME, PIMENTO_BINARY_DIR and HOME are not set");
}
}  // namespace

Registration::Registration(Network network) { registered().push_back(std::move(network)); }

std::vector<Network> networks() {
  auto all = registered();
  std::sort(all.begin(), all.end(), [](const Network& a, const Network& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < all.size(); ++i)
    PIMENTO_CHECK(all[i - 1].name != all[i].name, fmt::format("network '{}' is registered twice", all[i].name));
  return all;
}
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& n : networks()) result.push_back(n.name);
  return result;
}

Model build(const std::string& name, std::uint64_t seed) {
  for (const auto& network : networks()) {
    if (network.name != name) continue;
    Builder builder(name, seed);
    network.build(builder);
    return builder.finish();
  }
  throw UserError(fmt::format("unknown network '{}'{}", name, suggestion(name, names())));
}

std::optional<std::string> name_in(const std::string& text) {
  constexpr std::string_view prefix = "zoo:";
  return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

std::string generate(const std::string& name, const std::string& folder, std::uint64_t seed) {
  const auto model = build(name, seed);
  write_folder(folder, [&](const std::string& draft) {
    frontend::write_data_set((fs::path(draft) / "test_data_set_0").string(), model.data);
    frontend::export_onnx(model.graph, (fs::path(draft) / "model.onnx").string());
  });
  return folder;
}

std::string cache_place(const std::string& name, std::uint64_t seed) {
  return (fs::path(cache_folder()) / fmt::format("{}-seed{}-v{}", name, seed, generator_version)).string();
}

std::string cached(const std::string& name, std::uint64_t seed) {
  const fs::path folder = cache_place(name, seed);
  if (fs::exists(folder / "model.onnx")) return folder.string();
  try {
    generate(name, folder.string(), seed);
  } catch (const UserError&) {
    if (!fs::exists(folder / "model.onnx")) throw;  // another process has made it meanwhile: either result serves both
  }
  return folder.string();
}

}  // namespace pimento::zoo
