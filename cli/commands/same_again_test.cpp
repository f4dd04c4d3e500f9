// The executable, run again and again where the system lays memory out in other ways: the same program file, the same
// report, the same values.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "isa/support/file.hpp"

using namespace pimento;
namespace fs = std::filesystem;

namespace {

int run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()); }

/// By name: every file of the folder.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const fs::directory_entry& each : fs::recursive_directory_iterator(folder))
    if (each.is_regular_file()) all[fs::relative(each.path(), folder).string()] = read_file(each.path().string());
  return all;
}

}  // namespace

TEST_CASE("same again: do programs, reports and values depend on where memory lies, or on the run?") {
  const char* executable = std::getenv("PIMENTO_EXECUTABLE");
  REQUIRE(executable != nullptr);
  const fs::path folder = fs::temp_directory_path() / fmt::format("pimento-same-again-{}", ::getpid());
  const bool can_fix = run("setarch -R true") == 0;
  WARN_MESSAGE(can_fix, "this system does not let a process ask for a fixed layout");
  const std::string fixed = can_fix ? "setarch -R " : "";
  const std::string padding(3000, 'x');  // moves the stack
  const std::string surroundings[] = {"",
                                      "",
                                      fixed,
                                      "env MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 ",
                                      "env MALLOC_MMAP_THRESHOLD_=4096 PADDING=" + padding + " ",
                                      fixed + "env MALLOC_TOP_PAD_=1048576 OMP_NUM_THREADS=7 LC_ALL=C "};
  for (const auto& [its_model, its_chip, numerics] : {std::tuple{"mlp", "pimcomp-144", "quantised"},
                                                      {"lenet5", "tiny-4", "exact"},
                                                      {"lenet5", "sram-cim-64", "quantised"}}) {
    const auto& chip = its_chip;
    const auto& model = its_model;
    CAPTURE(model);
    CAPTURE(chip);
    std::map<std::string, std::string> first;
    for (const std::string& around : surroundings) {
      CAPTURE(around);
      fs::remove_all(folder);
      fs::create_directories(folder);
      const std::string program = (folder / "program.pim").string();
      REQUIRE(run(fmt::format("{}{} compile zoo:{} --chip {} --numerics {} -o {}", around, executable, model, chip,
                              numerics, program)) == 0);
      REQUIRE(run(fmt::format("{}{} simulate {} --out {} --timeline {}", around, executable, program,
                              (folder / "values").string(), (folder / "timeline.json").string())) == 0);
      const std::map<std::string, std::string> now = contents(folder);
      REQUIRE(now.size() >= 4);
      if (first.empty()) first = now;
      REQUIRE(now.size() == first.size());
      for (const auto& [its_name, bytes] : first) {
        const auto& name = its_name;
        CAPTURE(name);
        CHECK(now.at(name) == bytes);
      }
    }
  }
  fs::remove_all(folder);
}
