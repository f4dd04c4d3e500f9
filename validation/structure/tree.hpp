#pragma once
// The source tree as the structural tests see it: every text file outside build folders and hidden ones, ordered by
// path.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::structure {

struct SourceFile {
  std::string path;  ///< from the root, "isa/chip/chip.hpp"
  std::vector<std::string> lines;

  bool ends_with(std::string_view suffix) const { return path.ends_with(suffix); }
  bool is_code() const { return ends_with(".cpp") || ends_with(".hpp") || ends_with(".def"); }
  bool is_test() const { return ends_with("_test.cpp") || path.starts_with("validation/"); }
  bool in(std::string_view folder) const { return path.starts_with(std::string(folder) + "/"); }
};

/// Root of the source tree, from the environment variable PIMENTO_SOURCE_DIR; throws when it is not set.
std::string source_root();
/// Read once per process.
const std::vector<SourceFile>& source_files();

/// "path:line: text" of every line for which `wrong` holds, in files for which `concerned` holds; one per line, "" if
/// none.
std::string offences(const std::function<bool(const SourceFile&)>& concerned,
                     const std::function<bool(const SourceFile&, const std::string& line)>& wrong);

/// What `#include` names in this line, "" when it is no include.
std::string included(const std::string& line);
/// Does `text` hold `word`, upper or lower case, not as part of a longer word?
bool holds_word(std::string_view text, std::string_view word);
/// The line without what follows `//`.
std::string_view code_of(std::string_view line);

}  // namespace pimento::structure
