#include "cli/commands/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <regex>
#include <system_error>

#include "cli/report/session.hpp"
#include "isa/support/links.hpp"

namespace pimento::cli {
namespace {
namespace fs = std::filesystem;

struct Row {
  const char* subcommand;  ///< "" for every other
  const char* name;
  FileRole role;
  std::vector<std::string> endings{};  ///< that a file written may have; empty: any
};

const std::vector<Row>& table() {
  static const std::vector<Row> rows{
      {"simulate", "record", FileRole::updates},
      {"", "MODEL", FileRole::reads},
      {"", "PROGRAM", FileRole::reads},
      {"", "TEXT", FileRole::reads},
      {"", "INPUT", FileRole::reads},
      {"", "BEFORE", FileRole::reads},
      {"", "AFTER", FileRole::reads},
      {"", "CASE", FileRole::reads},
      {"", "CHIP", FileRole::reads},
      {"", "chip", FileRole::reads},
      {"", "input", FileRole::reads},
      {"", "calibrate", FileRole::reads},
      {"", "plugin", FileRole::reads},
      {"", "placement", FileRole::reads},
      {"", "file", FileRole::reads},
      {"", "before", FileRole::reads},
      {"", "root", FileRole::none},  // the source tree: its own commands mind what they write there
      {"", "o", FileRole::writes},
      {"", "OUTPUT", FileRole::writes},
      {"", "record", FileRole::writes},
      {"", "dump-placement", FileRole::writes},
      {"", "timeline", FileRole::writes, {".json", ".gz", ".svg"}},
      {"", "heatmap", FileRole::writes, {".svg"}},
      {"", "mapping-svg", FileRole::writes, {".svg"}},
      {"", "svg", FileRole::writes, {".svg"}},
      {"", "csv", FileRole::writes, {".csv"}},
      {"", "out", FileRole::fills},
      {"", "write", FileRole::fills},
  };
  return rows;
}

const Row* find_row(const std::string& subcommand, const std::string& name) {
  for (const Row& row : table())
    if (name == row.name && (*row.subcommand == '\0' || subcommand == row.subcommand)) return &row;
  return nullptr;
}

/// One file or folder as the command line has it.
struct Named {
  std::string option;  ///< "--record", "MODEL"
  std::string text;    ///< as given
  fs::path path;       ///< where it stands, links followed
  FileRole role;
  const Row* row;  ///< nothing: its name came about later
};

fs::path place_of(const std::string& text) { return fs::weakly_canonical(fs::absolute(followed(text))); }

bool same_file(const fs::path& a, const fs::path& b) {
  struct stat one {
  }, other{};
  if (::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0)
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  return a == b;
}

/// A terminal, a pipe, /dev/null: what goes there replaces nothing.
bool is_stream(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// What a file of that name in the folder of --out, or of pimsim-nn's programs, would be.
bool is_ours_in_folder(const std::string& subcommand, const std::string& name) {
  static const std::regex results(R"(report\.json|output_\d+\.(npy|pb))"), curves(R"(noc\.(json|csv|svg))"),
      programs(R"(config\.json|core_\d+\.(pim|json|gz))"), models(R"(model\.onnx)"), records(R"(.*\.(json|pim))");
  if (subcommand == "run" || subcommand == "simulate") return std::regex_match(name, results);
  if (subcommand == "noc") return std::regex_match(name, curves);
  if (subcommand == "zoo") return std::regex_match(name, models);
  if (subcommand == "golden") return std::regex_match(name, records);
  return std::regex_match(name, programs);
}

/// Whether a command's -o or OUTPUT is a folder.
bool writes_directory(const Arguments& a) {
  const auto is = [&](const char* option, const char* value) {
    return a.declares(option) && a.text(option, "") == value;
  };
  return is("emit", "pimsim-nn-directory") || is("to", "directory");
}

class FileCheck {
 public:
  FileCheck(const std::string& subcommand, const Arguments& a) : subcommand_(subcommand), a_(a) {
    for (const Parameter& p : a.parameters())
      if (const FileRole role = file_role(subcommand, p); role != FileRole::none)
        for (const std::string& text : a.all(p.name)) add(p, role, find_row(subcommand, p.name), text);
  }

  void run() const {
    for (const Named& file : files_)
      if (file.role != FileRole::reads) check(file);
  }
  void run(const std::string& option, const std::string& path) const {
    check({option, path, place_of(path), FileRole::writes, nullptr});
  }

 private:
  void add(const Parameter& p, FileRole role, const Row* row, const std::string& text) {
    if ((p.name == "o" || p.name == "OUTPUT") && writes_directory(a_)) role = FileRole::fills;
    std::string place = text;
    if (p.name == "MODEL") place = model_file(text);
    if (p.name == "chip" || p.name == "CHIP") place = chip_file(text);
    files_.push_back({(p.option ? p.name.size() == 1 ? "-" : "--" : "") + p.name, text, place_of(place), role, row});
  }

  void check(const Named& output) const {
    if (is_stream(output.path)) return;
    for (const Named& other : files_) {
      if (&other == &output || is_stream(other.path)) continue;
      if (same_file(other.path, output.path))
        refuse(output, fmt::format("it is the {} of {}; expected another name",
                                   fs::is_directory(other.path) ? "folder" : "file", other.option));
      if (output.role == FileRole::fills) check_inside(output, other);
      if (other.role == FileRole::fills || fs::is_directory(other.path)) check_inside(other, output);
    }
    if (output.role == FileRole::fills)
      check_folder(output);
    else
      check_file(output);
  }

  /// A file that the command writes into, or reads from, a folder is none of the others.
  void check_inside(const Named& folder, const Named& file) const {
    const bool is_result = folder.role == FileRole::fills;
    if (!same_file(file.path.parent_path(), folder.path)) return;
    if (!is_ours_in_folder(is_result ? subcommand_ : "", file.path.filename().string())) return;
    if (file.role == FileRole::reads)
      refuse(folder, fmt::format("it would replace {} {}; expected another folder", file.option, file.text));
    refuse(file, fmt::format("it is a file of {} {}; expected another name", folder.option, folder.text));
  }

  static void check_file(const Named& output) {
    if (fs::is_directory(output.path)) refuse(output, "expected a file, got a folder");
    const fs::path given = followed(output.text);
    check_place(output, output.path.parent_path(), given.has_parent_path() ? given.parent_path() : ".");
    const std::string ending = output.path.extension().string();
    if (output.row == nullptr || output.row->endings.empty() || ending.empty()) return;
    const std::vector<std::string>& endings = output.row->endings;
    if (std::find(endings.begin(), endings.end(), ending) == endings.end())
      refuse(output, fmt::format("expected a name that ends in {}, got '{}'", fmt::join(endings, " or "), ending));
  }

  static void check_folder(const Named& output) {
    if (fs::exists(output.path) && !fs::is_directory(output.path)) refuse(output, "expected a folder, got a file");
    fs::path standing = output.path, shown = fs::path(output.text).lexically_normal();
    while (!fs::exists(standing) && standing.has_relative_path()) {
      standing = standing.parent_path();
      shown = shown.parent_path();
    }
    check_place(output, standing, shown.empty() ? "." : shown);
  }

  /// `folder`, shown as the command line has it.
  static void check_place(const Named& output, const fs::path& folder, const fs::path& shown) {
    if (!fs::exists(folder)) refuse(output, fmt::format("no folder '{}'", shown.string()));
    if (!fs::is_directory(folder))
      refuse(output, fmt::format("expected a folder before the last '/', but '{}' is a file", shown.string()));
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
      refuse(output,
             fmt::format("folder '{}' cannot be written: {}", shown.string(), std::generic_category().message(errno)));
  }

  [[noreturn]] static void refuse(const Named& file, const std::string& why) {
    throw UserError(fmt::format("{} {}: {}", file.option, file.text, why));
  }

  std::string subcommand_;
  const Arguments& a_;
  std::vector<Named> files_;
};

}  // namespace

FileRole file_role(const std::string& subcommand, const Parameter& p) {
  if (p.option && p.value.empty()) return FileRole::none;
  if (const Row* const row = find_row(subcommand, p.name)) return row->role;
  PIMENTO_CHECK(p.value != "FILE" && p.value != "FOLDER",
                fmt::format("what 'pimento {}' does with the file of '{}' is not said", subcommand, p.name));
  return FileRole::none;
}

void check_files(const std::string& subcommand, const Arguments& a) { FileCheck(subcommand, a).run(); }

std::function<void(const std::string& path)> check_of_further_outputs(const std::string& subcommand, const Arguments& a,
                                                                      const std::string& option) {
  return [check = FileCheck(subcommand, a), option](const std::string& path) { check.run(option, path); };
}

}  // namespace pimento::cli
