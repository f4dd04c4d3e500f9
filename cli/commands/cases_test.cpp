// Runs every validation/cli/*.test: one file is input, command, status and the whole output.
//
//   # what the case asks
//   --- toy.yaml              begins a file that the command finds in its folder
//   cores: x
//   $ pimento check toy.yaml  the command; a file may hold several, each with its expectation
//   status 2
//   toy.yaml:1:8: ...         what it prints: out, then err
//
// With PIMENTO_UPDATE=1 in the environment the expectations are rewritten: read the difference before you keep it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/commands/registry.hpp"

using namespace pimento;
namespace fs = std::filesystem;

namespace {

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name);
  return value;
}

/// Splits at blanks; '...' keeps blanks together. "$NAME" at a word's begin is the environment's value.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool any = false;
  for (const char c : command + " ") {
    if (c == '\'') {
      quoted = !quoted;
      any = true;
    } else if (c == ' ' && !quoted) {
      if (any) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  for (std::string& w : words)
    if (w.starts_with('$')) {
      const std::size_t slash = std::min(w.find('/'), w.size());
      w = environment(w.substr(1, slash - 1).c_str()).string() + w.substr(slash);
    }
  return words;
}

std::string run(const std::string& command) {
  std::vector<std::string> words = words_of(command);
  REQUIRE(words.size() >= 1);
  REQUIRE(words.front() == "pimento");
  words.erase(words.begin());
  std::ostringstream out;
  std::ostringstream err;
  const int status = cli::run_command_line(words, {out, err});
  return "status " + std::to_string(status) + "\n" + out.str() + err.str();
}

struct InFolder {
  explicit InFolder(const fs::path& folder) : before(fs::current_path()) { fs::current_path(folder); }
  ~InFolder() { fs::current_path(before); }
  fs::path before;
};

/// Runs the case's commands; returns its text as it would have to be.
std::string replay(const fs::path& file, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  const InFolder inside(folder);
  std::ifstream in(file);
  std::string result;
  std::ofstream written;
  bool expecting = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("--- ")) {
      expecting = false;
      written.close();
      const fs::path target = line.substr(4);
      if (target.has_parent_path()) fs::create_directories(target.parent_path());
      written.open(target);
    } else if (line.starts_with("$ ")) {
      written.close();
      expecting = true;
      result += line + "\n" + run(line.substr(2));
      continue;
    } else if (written.is_open()) {
      written << line << "\n";
    } else if (expecting) {
      continue;
    }
    result += line + "\n";
  }
  return result;
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("cases: does every recorded command line still answer the same?") {
  const fs::path folder = environment("PIMENTO_SOURCE_DIR") / "validation" / "cli";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".test") continue;
    ++count;
    CAPTURE(entry.path().filename().string());
    const std::string now = replay(entry.path(), environment("PIMENTO_BINARY_DIR") / "cli-cases" / entry.path().stem());
    if (std::getenv("PIMENTO_UPDATE") != nullptr) std::ofstream(entry.path()) << now;
    CHECK(now == content(entry.path()));
  }
  CHECK(count > 0);
}
