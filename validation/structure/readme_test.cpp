// What the front page shows must exist: its links lead somewhere, its scripts are there and can be run.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "validation/structure/tree.hpp"

using namespace pimento::structure;
namespace fs = std::filesystem;

namespace {
const SourceFile& page(const std::string& path) {
  const auto& all = source_files();
  const auto found = std::find_if(all.begin(), all.end(), [&](const SourceFile& f) { return f.path == path; });
  REQUIRE_MESSAGE(found != all.end(), path);
  return *found;
}
}  // namespace

TEST_CASE("pages: does every relative link lead to a file of the tree?") {
  std::string broken;
  for (const SourceFile& f : source_files()) {
    if (!f.ends_with(".md")) continue;
    for (const std::string& line : f.lines)
      for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
        const std::string target = line.substr(at + 2, line.find_first_of(")#", at + 2) - at - 2);
        if (target.empty() || target.find("://") != std::string::npos || target.find(' ') != std::string::npos)
          continue;
        if (!fs::exists(fs::path(source_root()) / fs::path(f.path).parent_path() / target))
          broken += f.path + ": " + target + "\n";
      }
  }
  CHECK(broken == "");
}

TEST_CASE("front page: is every script that it shows there and executable?") {
  int shown = 0;
  for (const std::string& line : page("README.md").lines) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first) || !first.starts_with("scripts/")) continue;
    ++shown;
    const auto rights = fs::status(fs::path(source_root()) / first).permissions();
    CHECK_MESSAGE((rights & fs::perms::owner_exec) != fs::perms::none, first);
  }
  CHECK(shown >= 3);
}
