#include "validation/structure/tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "isa/support/error.hpp"

namespace pimento::structure {
namespace {
namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> text_endings{".cpp", ".hpp",   ".def", ".md",  ".sh",
                                                       ".py",  ".cmake", ".txt", ".yaml"};

bool is_outside(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "build" || name.starts_with("build-") || name == "out";
}

SourceFile read(const fs::path& file, const fs::path& root) {
  SourceFile result{fs::relative(file, root).generic_string(), {}};
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) result.lines.push_back(line);
  return result;
}

std::vector<SourceFile> read_tree() {
  const fs::path root = source_root();
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && is_outside(entry->path())) entry.disable_recursion_pending();
    const std::string ending = entry->path().extension().string();
    if (entry->is_regular_file() && std::find(text_endings.begin(), text_endings.end(), ending) != text_endings.end())
      files.push_back(read(entry->path(), root));
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}
}  // namespace

std::string source_root() {
  const char* root = std::getenv("PIMENTO_SOURCE_DIR");
  if (root == nullptr) throw UserError("the environment variable PIMENTO_SOURCE_DIR must name the source tree");
  return root;
}

const std::vector<SourceFile>& source_files() {
  static const std::vector<SourceFile> files = read_tree();
  return files;
}

std::string offences(const std::function<bool(const SourceFile&)>& concerned,
                     const std::function<bool(const SourceFile&, const std::string&)>& wrong) {
  std::string found;
  for (const SourceFile& file : source_files()) {
    if (!concerned(file)) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (wrong(file, file.lines[i])) found += file.path + ":" + std::to_string(i + 1) + ": " + file.lines[i] + "\n";
  }
  return found;
}

std::string included(const std::string& line) {
  if (!line.starts_with("#include")) return "";
  const std::size_t begin = line.find_first_of("\"<");
  if (begin == std::string::npos) return "";
  const std::size_t end = line.find_first_of("\">", begin + 1);
  return line.substr(begin + 1, end - begin - 1);
}

bool holds_word(std::string_view text, std::string_view word) {
  for (auto at = text.begin();;) {
    at = std::search(at, text.end(), word.begin(), word.end(), same_letter);
    if (at == text.end()) return false;
    const auto after = at + static_cast<std::ptrdiff_t>(word.size());
    const bool begins = at == text.begin() || !is_word_character(*(at - 1));
    if (begins && (after == text.end() || !is_word_character(*after))) return true;
    ++at;
  }
}

std::string_view code_of(std::string_view line) { return line.substr(0, line.find("//")); }

}  // namespace pimento::structure
