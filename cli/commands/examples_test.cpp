// Is what --help shows true? The example of every subcommand is run, in one folder: those that make files first.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "cli/commands/registry.hpp"

using namespace pimento;
using namespace pimento::cli;
namespace fs = std::filesystem;

namespace {

/// A later example may use what an earlier one wrote.
const std::vector<std::string> makers{"asm", "zoo", "compile", "convert"};
/// Examples that take too long for a test, each with its reason.
const std::map<std::string, std::string> not_run{};

std::vector<std::string> example_of(const Subcommand& row) {
  std::smatch example;
  REQUIRE(std::regex_search(row.help, example, std::regex("example: pimento ([^\n]*)")));
  std::istringstream words(example[1].str());
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return list;
}

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name);
  return value;
}

}  // namespace

TEST_CASE("examples: does every one that a subcommand's help shows run?") {
  std::vector<const Subcommand*> rows;
  for (const Subcommand& row : subcommands())
    if (!row.name.starts_with("zz-test")) rows.push_back(&row);
  const auto rank = [](const Subcommand* row) { return std::find(makers.begin(), makers.end(), row->name); };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });

  const fs::path folder = environment("PIMENTO_BINARY_DIR") / "cli-examples";
  const fs::path before = fs::current_path();
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::current_path(folder);
  std::ofstream("ring.txt") << ".numerics quantised\n.core 0\n  vrelu [0]:i8, [16]:i8, len 8\n";
  for (const char* record : {"before.json", "after.json"}) {
    std::ostringstream out, err;
    CHECK(run_command_line({"compile", "zoo:lenet5", "--chip", "tiny-4", "-o", "tiny.pim", "--record", record},
                           {out, err}) == 0);
  }
  for (const Subcommand* row : rows) {
    if (const auto found = not_run.find(row->name); found != not_run.end()) {
      MESSAGE("not run: ", row->name, ": ", found->second);
      continue;
    }
    const std::vector<std::string> words = example_of(*row);
    CAPTURE(row->name);
    // documents and golden records are checked where they lie
    fs::current_path(row->name == "docs" || row->name == "golden" ? environment("PIMENTO_SOURCE_DIR") : folder);
    std::ostringstream out, err;
    const int status = run_command_line(words, {out, err});
    CHECK_MESSAGE(status == 0, out.str(), err.str());
  }
  fs::current_path(before);
}
