// The arrows between rooms (README.md, "Rooms"), read from the includes.
#include <doctest/doctest.h>

#include <map>

#include "validation/structure/tree.hpp"

using namespace pimento::structure;

namespace {

/// What a room may include besides itself: the longest entry that holds the file counts.
const std::map<std::string, std::vector<std::string>>& arrows() {
  static const std::vector<std::string> below_drivers{
      "isa", "compiler/ir", "compiler/ops", "compiler/optimizer", "compiler/proof", "compiler/drivers/runtime"};
  static const std::map<std::string, std::vector<std::string>> all{
      {"isa", {}},
      {"compiler/ir", {"isa"}},
      {"compiler/ops", {"isa", "compiler/ir"}},
      {"compiler/frontend", {"isa", "compiler/ir", "compiler/ops"}},
      {"compiler/optimizer", {"isa", "compiler/ir", "compiler/ops"}},
      {"compiler/proof", {"isa"}},
      {"compiler/drivers", below_drivers},
      {"compiler/drivers/runtime", below_drivers},
      {"compiler/drivers/pim", below_drivers},
      {"compiler/drivers/cuda", below_drivers},
      {"compiler/drivers/spirv", below_drivers},
      {"compiler/drivers/wgsl", below_drivers},
      {"compiler", {"isa"}},
      {"simulator", {"isa"}},
      {"models", {"isa", "compiler"}},
      {"validation", {"isa", "compiler", "simulator", "models"}},
      {"cli", {"isa", "compiler", "simulator", "models", "validation"}},
  };
  return all;
}

std::string room_of(const std::string& path) {
  std::string room;
  for (const auto& [name, unused] : arrows())
    if (path.starts_with(name + "/") && name.size() > room.size()) room = name;
  return room;
}

bool may_include(const std::string& file, const std::string& header) {
  if (header.starts_with("compiler/drivers/") && header.find('/', 17) == std::string::npos)
    return file.starts_with("compiler/drivers/") || file.starts_with("compiler/pipeline/") ||
           room_of(file) == "validation" || room_of(file) == "cli";  // the neutral interface, for every driver
  const std::string room = room_of(file);
  if (header.starts_with(room + "/") && room_of(header) == room) return true;
  if (room == "compiler" && header.starts_with("compiler/"))
    return true;  // the pipeline sees every room of the compiler
  for (const std::string& below : arrows().at(room))
    if (header.starts_with(below + "/")) return true;
  return false;
}

std::string foreign_includes(const std::vector<std::string>& prefixes, const std::string& only_folder) {
  return offences([](const SourceFile& f) { return f.is_code(); },
                  [&](const SourceFile& f, const std::string& line) {
                    const std::string header = included(line);
                    for (const std::string& prefix : prefixes)
                      if (header.starts_with(prefix)) return !f.in(only_folder);
                    return false;
                  });
}

}  // namespace

TEST_CASE("rooms: does the rule itself tell a right include from a wrong one?") {
  CHECK(may_include("cli/main.cpp", "cli/commands/registry.hpp"));
  CHECK(may_include("compiler/pipeline/a.cpp", "compiler/drivers/pim/emit/b.hpp"));
  CHECK(may_include("compiler/drivers/pim/a.cpp", "compiler/drivers/driver.hpp"));
  CHECK_FALSE(may_include("compiler/drivers/pim/a.cpp", "compiler/drivers/cuda/b.hpp"));
  CHECK_FALSE(may_include("simulator/core/a.cpp", "compiler/ir/graph.hpp"));
  CHECK_FALSE(may_include("isa/chip/a.cpp", "simulator/core/core.hpp"));
  CHECK_FALSE(may_include("compiler/ir/a.cpp", "compiler/ops/conv.hpp"));
  CHECK_FALSE(may_include("compiler/optimizer/a.cpp", "compiler/drivers/driver.hpp"));
  CHECK_FALSE(may_include("validation/a.cpp", "cli/commands/registry.hpp"));
}

TEST_CASE("rooms: do all arrows run downward?") {
  CHECK(offences(
            [](const SourceFile& f) {
              return f.is_code() && !room_of(f.path).empty() && !f.in("validation/install/example");
            },
            [](const SourceFile& f, const std::string& line) {
              const std::string header = included(line);
              return !room_of(header).empty() && !may_include(f.path, header);
            }) == "");
}

TEST_CASE("rooms: are ONNX, SystemC and Eigen each included by one room only?") {
  CHECK(foreign_includes({"onnx/", "onnx.", "google/protobuf"}, "compiler/frontend") == "");
  CHECK(foreign_includes({"systemc", "sysc/", "tlm"}, "simulator") == "");
  CHECK(foreign_includes({"Eigen/"}, "validation") == "");
}

TEST_CASE("rooms: do ir, ops and layer 1 name no backend?") {
  const std::vector<std::string> names{"ptx", "spirv", "wgsl", "cuda", "crossbar", "crossbars"};
  CHECK(offences(
            [](const SourceFile& f) {  // a test may list the names it looks for
              return (f.in("compiler/ir") || f.in("compiler/ops") || f.in("compiler/optimizer")) &&
                     !f.ends_with("_test.cpp");
            },
            [&](const SourceFile&, const std::string& line) {
              for (const std::string& name : names)
                if (holds_word(line, name)) return true;
              return false;
            }) == "");
}
