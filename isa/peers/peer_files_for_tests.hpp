#pragma once
// Files for the tests of this folder: the twelve micro programs, and texts written to a folder of their own.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "isa/peers/peers.hpp"
#include "isa/support/error.hpp"
#include "isa/support/file.hpp"

namespace pimento::isa::peers {

/// The chip that the micro programs are for, by its documents.
inline const Chip& chip() {
  static const Chip loaded = load_chip("pimsim-nn-64");
  return loaded;
}

inline std::filesystem::path source_folder() {
  const char* const root = std::getenv("PIMENTO_SOURCE_DIR");
  return root != nullptr ? std::filesystem::path(root)
                         : std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}
inline std::string micro(const std::string& name) {
  return (source_folder() / "isa/peers/micro" / (name + ".json")).string();
}
inline const std::vector<std::string>& micro_names() {
  static const std::vector<std::string> names{
      "layer_like", "ld_640_x2",      "lmv_640_x5",        "mvmul_4_groups_rob4", "mvmul_x1",      "mvmul_x4_one_group",
      "st_6400",    "pipe_two_cores", "send_recv_640_0_1", "send_recv_6400_0_9",  "vrelu_1000_x2", "vvadd_128_x3"};
  return names;
}

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pimento-peers-XXXXXX").string();
    PIMENTO_CHECK(::mkdtemp(pattern.data()) != nullptr, "no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    write_atomically(at(name), content);
    return at(name);
  }

 private:
  std::filesystem::path path_;
};

/// What loading says, without the folder's name; "" when it loads.
inline std::string complaint_about(const std::string& path, const Chip& chip, const LoadOptions& options = {}) {
  std::vector<std::string> warnings;
  try {
    load_peer_program(path, chip, warnings, options);
    return "";
  } catch (const UserError& error) {
    const std::string text = error.what();
    const std::string folder = std::filesystem::path(path).parent_path().string() + "/";
    return text.starts_with(folder) ? text.substr(folder.size()) : text;
  }
}

/// A JSON program of one core with four groups.
inline std::string one_core(const std::string& instructions) {
  return R"({"config": {"core_cnt": 1, "array_group_map": {"core0": [1, 1, 1, 1]}}, "core0": [)" + instructions + "]}";
}

}  // namespace pimento::isa::peers
