#include "compiler/frontend/data_set.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "isa/support/error.hpp"

namespace pimento::frontend {
namespace fs = std::filesystem;
namespace {
std::vector<NamedTensor> read_numbered(const std::string& folder, const std::string& kind) {
  std::vector<NamedTensor> tensors;
  for (;;) {
    const auto path = fmt::format("{}/{}_{}.pb", folder, kind, tensors.size());
    if (!fs::exists(path)) return tensors;
    tensors.push_back(read_named_tensor_pb(path));
  }
}
void write_numbered(const std::string& folder, const std::string& kind, const std::vector<NamedTensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    write_tensor_pb(fmt::format("{}/{}_{}.pb", folder, kind, i), tensors[i].tensor, tensors[i].name);
}
}  // namespace

DataSet read_data_set(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw UserError({.file = folder}, "expected a folder with input_0.pb, output_0.pb, ...");
  return {read_numbered(folder, "input"), read_numbered(folder, "output")};
}

void write_data_set(const std::string& folder, const DataSet& data) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError({.file = folder}, fmt::format("cannot make the folder: {}", error.message()));
  write_numbered(folder, "input", data.inputs);
  write_numbered(folder, "output", data.outputs);
}

}  // namespace pimento::frontend
