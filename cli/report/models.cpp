// Finding the models that a command line names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "cli/report/session.hpp"
#include "models/zoo/zoo.hpp"

namespace pimento::cli {
namespace fs = std::filesystem;

std::string model_file(const std::string& name) {
  const std::optional<std::string> network = zoo::name_in(name);
  return network ? (fs::path(zoo::cache_place(*network)) / "model.onnx").string() : name;
}

Model find_model(const std::string& name) {
  const std::optional<std::string> network = zoo::name_in(name);
  if (!network) return {name, fs::path(name).filename().string(), {}};
  const fs::path folder = zoo::cached(*network);
  Model model{(folder / "model.onnx").string(), *network, {}};
  for (int i = 0;; ++i) {
    const fs::path input = folder / "test_data_set_0" / fmt::format("input_{}.pb", i);
    if (!fs::exists(input)) return model;
    model.inputs.push_back(input.string());
  }
}

namespace {
/// "lenet5" of lenet5.onnx, and of lenet5/model.onnx: the name of a model among others.
std::string name_among_others(const Model& model) {
  const fs::path path(model.path);
  if (path.stem() == "model" && path.has_parent_path() && path.parent_path().has_filename())
    return model.name == path.filename() ? path.parent_path().filename().string() : model.name;
  return path.stem().string();
}
}  // namespace

Models find_models(const std::vector<std::string>& names) {
  Models all;
  std::vector<std::string> short_names;
  bool come_with_inputs = true;
  for (const std::string& name : names) {
    const Model model = find_model(name);
    all.files.push_back({model.path, ""});
    all.name = model.name;
    short_names.push_back(name_among_others(model));
    come_with_inputs = come_with_inputs && !model.inputs.empty();
    if (come_with_inputs) all.inputs.insert(all.inputs.end(), model.inputs.begin(), model.inputs.end());
  }
  short_names = distinct_names(std::move(short_names));
  for (std::size_t i = 0; i < names.size(); ++i) all.files[i].name = short_names[i];
  if (names.size() > 1) all.name = fmt::format("{}", fmt::join(short_names, "+"));
  return all;
}

}  // namespace pimento::cli
