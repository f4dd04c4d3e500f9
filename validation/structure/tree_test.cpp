// What every file and folder of the tree owes to its reader.
#include "validation/structure/tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace pimento::structure;
namespace fs = std::filesystem;

namespace {
bool any_file(const SourceFile&) { return true; }
bool holds_any(std::string_view line, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return holds_word(line, w); });
}
std::vector<std::string> joined(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::vector<std::string> words;
  for (const auto& [first, second] : parts) words.push_back(first + second);
  return words;
}
bool is_library(const SourceFile& f) {
  return f.is_code() && !f.is_test() && (f.in("isa") || f.in("compiler") || f.in("simulator"));
}
}  // namespace

TEST_CASE("tree: was it found?") {
  CHECK(source_files().size() > 30);
  CHECK(holds_word("a Word here", "word"));
  CHECK_FALSE(holds_word("swordfish word_count", "word"));
  CHECK(included("#include \"isa/chip/chip.hpp\"") == "isa/chip/chip.hpp");
  CHECK(included("#include <onnx/onnx_pb.h>") == "onnx/onnx_pb.h");
}

TEST_CASE("tree: does the top level hold the planned names only?") {
  const std::set<std::string> planned{"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "cli",
                                      "compiler",       "configs",           "isa",     "models",    "scripts",
                                      "simulator",      "validation"};
  std::string surplus;
  for (const auto& entry : fs::directory_iterator(source_root())) {
    const std::string name = entry.path().filename().string();
    const bool ignored = name.starts_with('.') || name == "build" || name.starts_with("build-") || name == "out";
    if (!ignored && !planned.contains(name)) surplus += name + "\n";
  }
  CHECK(surplus == "");
  for (const std::string& name : planned) CHECK_MESSAGE(fs::exists(fs::path(source_root()) / name), name);
}

TEST_CASE("tree: has every room a page at its door?") {
  std::set<std::string> rooms{"isa",
                              "isa/chip",
                              "isa/instruction",
                              "isa/program",
                              "isa/cost",
                              "compiler",
                              "compiler/frontend",
                              "compiler/ir",
                              "compiler/ops",
                              "compiler/optimizer",
                              "compiler/drivers",
                              "compiler/drivers/runtime",
                              "compiler/drivers/pim",
                              "compiler/proof",
                              "simulator",
                              "simulator/core",
                              "simulator/crossbar",
                              "simulator/network",
                              "simulator/memory",
                              "simulator/observe",
                              "validation",
                              "cli",
                              "configs",
                              "models",
                              "scripts"};
  for (const SourceFile& f : source_files()) {  // and every folder of the two upper levels that holds code
    const std::string folder = fs::path(f.path).parent_path().generic_string();
    if (f.is_code() && std::count(folder.begin(), folder.end(), '/') <= 1) rooms.insert(folder);
  }
  std::string missing;
  for (const std::string& room : rooms)
    if (!fs::exists(fs::path(source_root()) / room / "README.md")) missing += room + "\n";
  CHECK(missing == "");
}

TEST_CASE("headers: does each open with #pragma once and its idea?") {
  std::string wrong;
  for (const SourceFile& f : source_files())
    if (f.ends_with(".hpp") && (f.lines.size() < 2 || f.lines[0] != "#pragma once" || !f.lines[1].starts_with("// ")))
      wrong += f.path + "\n";
  CHECK(wrong == "");
}

TEST_CASE("sources: is none longer than 500 lines?") {
  std::string wrong;
  for (const SourceFile& f : source_files())
    if ((f.is_code() || f.ends_with(".py") || f.ends_with(".sh")) && f.lines.size() > 500)
      wrong += f.path + ": " + std::to_string(f.lines.size()) + " lines\n";
  CHECK(wrong == "");
}

TEST_CASE("sources: is no work marked as unfinished?") {
  // Written in two parts each, so that this file does not accuse itself.
  const auto words = joined({{"to", "do"},
                             {"fix", "me"},
                             {"xx", "x"},
                             {"ha", "ck"},
                             {"st", "ub"},
                             {"place", "holder"},
                             {"not imple", "mented"},
                             {"for n", "ow"}});
  CHECK(offences(
            [](const SourceFile& f) {
              return f.is_code() || f.ends_with(".py") || f.ends_with(".sh") || f.ends_with(".cmake");
            },
            [&](const SourceFile&, const std::string& line) { return holds_any(line, words); }) == "");
}

TEST_CASE("sources: is no path of one machine written down?") {
  const auto paths = joined({{"/wo", "rk/"}, {"/ho", "me/"}, {"/tm", "p/"}});
  CHECK(offences(any_file, [&](const SourceFile&, const std::string& line) {
          return std::any_of(paths.begin(), paths.end(),
                             [&](const std::string& p) { return line.find(p) != std::string::npos; });
        }) == "");
}

TEST_CASE("libraries: does none print or exit?") {
  const std::vector<std::string> words{"std::cout", "std::cerr",  "printf",    "fprintf",
                                       "puts",      "fmt::print", "std::exit", "exit"};
  CHECK(offences(is_library, [&](const SourceFile&, const std::string& line) {
          const std::string_view code = code_of(line);
          return std::any_of(words.begin(), words.end(), [&](const std::string& w) {
            const auto at = code.find(w + "(");
            return (w.starts_with("std::c") && holds_word(code, w)) ||
                   (at != std::string_view::npos &&
                    (at == 0 || (!std::isalnum(static_cast<unsigned char>(code[at - 1])) && code[at - 1] != '_')));
          });
        }) == "");
}

TEST_CASE("libraries: does no simulated or compiled value come from libm or a standard distribution?") {
  const std::vector<std::string> words{"std::exp",
                                       "std::exp2",
                                       "std::expm1",
                                       "std::log",
                                       "std::log2",
                                       "std::log10",
                                       "std::log1p",
                                       "std::pow",
                                       "std::sin",
                                       "std::cos",
                                       "std::tan",
                                       "std::asin",
                                       "std::acos",
                                       "std::atan",
                                       "std::atan2",
                                       "std::sinh",
                                       "std::cosh",
                                       "std::tanh",
                                       "std::erf",
                                       "std::erfc",
                                       "std::cbrt",
                                       "std::hypot",
                                       "std::tgamma",
                                       "std::lgamma",
                                       "std::uniform_int_distribution",
                                       "std::uniform_real_distribution",
                                       "std::normal_distribution",
                                       "std::bernoulli_distribution",
                                       "std::shuffle",
                                       "std::random_device"};
  CHECK(offences(is_library,
                 [&](const SourceFile&, const std::string& line) { return holds_any(code_of(line), words); }) == "");
}

TEST_CASE("sources: is each compiled, so that no file and no test can vanish?") {
  const char* binary = std::getenv("PIMENTO_BINARY_DIR");
  REQUIRE(binary != nullptr);
  std::ifstream in(fs::path(binary) / "compile_commands.json");
  REQUIRE(in);
  const std::string commands{std::istreambuf_iterator<char>(in), {}};
  std::string missing;
  for (const SourceFile& f : source_files())
    if (f.ends_with(".cpp") && !f.in("validation/install/example") &&  // a project of its own
        f.path != "validation/fuzz/libfuzzer.cpp" &&                   // compiled by the preset fuzz
        commands.find(source_root() + "/" + f.path + "\"") == std::string::npos)
      missing += f.path + "\n";
  CHECK(missing == "");
}
