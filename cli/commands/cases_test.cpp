// Runs every validation/cli/*.test: one file is input, command, status and the whole output.
//
//   # what the case asks
//   --- toy.yaml              begins a file that the command finds in its folder
//   cores: x
//   --- m.onnx onnx           the lines are ONNX's textual syntax; the file is the model's bytes
//   --- x.npy zeros f32[1,4]  a tensor of zeros
//   --- cut.pim copy of whole.pim first 100
//   --- bad.yaml copy of $PIMENTO_SOURCE_DIR/configs/chips/tiny-4.yaml replacing 'cores: 4' by 'cores: -3'
//   $ pimento check toy.yaml  the command; a file may hold several, each with its expectation
//   status 2
//   toy.yaml:1:8: ...         what it prints: out, then err
//
// With PIMENTO_UPDATE=1 in the environment the expectations are rewritten: read the difference before you keep it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "cli/commands/registry.hpp"
#include "compiler/frontend/tensor_file.hpp"
#include "compiler/frontend/text_model.hpp"

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

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "f32[1,4]"
ir::TensorType type_of(const std::string& text) {
  const std::size_t bracket = text.find('[');
  ir::TensorType type{parse_element_type(text.substr(0, bracket)).value(), {}};
  std::istringstream extents(text.substr(bracket + 1));
  for (std::string extent; std::getline(extents, extent, ',');) type.shape.push_back(std::stoll(extent));
  return type;
}

/// Files that a line alone describes.
void make_file(const std::vector<std::string>& words) {
  const auto word = [&](const std::string& name) { return std::find(words.begin(), words.end(), name); };
  if (words.at(1) == "zeros") return frontend::write_tensor(words[0], ir::Tensor::zeros(type_of(words.at(2))));
  std::string bytes = content(words.at(3));
  REQUIRE_MESSAGE(!bytes.empty(), words[3]);
  if (const auto first = word("first"); first != words.end()) bytes.resize(std::stoul(first[1]));
  if (const auto replacing = word("replacing"); replacing != words.end()) {
    const std::size_t at = bytes.find(replacing[1]);
    REQUIRE_MESSAGE(at != std::string::npos, replacing[1]);
    bytes.replace(at, replacing[1].size(), replacing[3]);
  }
  std::ofstream(words[0], std::ios::binary) << bytes;
}

/// A file that the lines under its name make up.
class Written {
 public:
  explicit Written(std::vector<std::string> words) : words_(std::move(words)) {
    const fs::path target = words_.at(0);
    if (target.has_parent_path()) fs::create_directories(target.parent_path());
    if (words_.size() > 2) make_file(words_);
  }
  void finish() {
    if (words_.size() > 2) return;
    if (words_.size() == 2) text_ = frontend::model_bytes(text_);
    std::ofstream(words_[0], std::ios::binary) << text_;
  }
  void add(const std::string& line) { text_ += line + "\n"; }

 private:
  std::vector<std::string> words_;
  std::string text_;
};

/// Runs the case's commands; returns its text as it would have to be.
std::string replay(const fs::path& file, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  const InFolder inside(folder);
  std::ifstream in(file);
  std::string result;
  std::optional<Written> written;
  bool expecting = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("--- ")) {
      expecting = false;
      if (written) written->finish();
      written.emplace(words_of(line.substr(4)));
    } else if (line.starts_with("$ ")) {
      if (written) written->finish();
      written.reset();
      expecting = true;
      result += line + "\n" + run(line.substr(2));
      continue;
    } else if (written) {
      written->add(line);
    } else if (expecting) {
      continue;
    }
    result += line + "\n";
  }
  return result;
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
