// The PIM column of OP_MATRIX.md against ONNX's node suite: what is said to be lowered is, what is said not to be is
// not.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "compiler/drivers/pim/lower/refusals.hpp"
#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/frontend/data_set.hpp"
#include "compiler/frontend/import.hpp"
#include "compiler/ops/define.hpp"
#include "compiler/pipeline/outputs.hpp"

using namespace pimento;
namespace fs = std::filesystem;

namespace {

const fs::path suite = "/usr/share/libonnx-testdata/data/node";

struct Met {
  int lowered = 0, refused = 0;
  std::set<std::string> reasons;
};

/// Inputs from `first` on become constants: ONNX's suite passes even shapes and axes as inputs of the graph.
ir::Graph import_case(const fs::path& folder, const frontend::DataSet& data, std::size_t first) {
  frontend::ImportOptions options;
  for (std::size_t i = first; i < data.inputs.size(); ++i)
    options.constant_inputs[data.inputs[i].name] = data.inputs[i].tensor;
  return frontend::import_onnx((folder / "model.onnx").string(), options);
}

std::vector<pim::Refused> refused_in(const ir::Graph& graph, const isa::Chip& chip) {
  if (auto nodes = pim::refused_nodes(graph); !nodes.empty()) return nodes;
  pim::Ranges ranges;
  for (const ir::Value& v : graph.values) ranges[v.name] = {-1, 1};
  const pim::NumericsPlan plan = pim::plan_numerics(graph, chip, Numerics::quantised, ranges);
  pim::ConstantPool pool;
  try {
    pim::graph_to_spatial(graph, chip, plan, pool, {.replicate = false});
  } catch (const pim::CannotLower& refusal) {
    return refusal.nodes();
  }
  return {};
}

void take(const ir::Graph& graph, const isa::Chip& chip, std::map<std::string, Met>& met) {
  const std::vector<pim::Refused> refused = refused_in(graph, chip);
  std::multiset<std::string> names;
  for (const pim::Refused& r : refused) {
    ++met[r.op].refused;
    met[r.op].reasons.insert(r.reason);
    names.insert(r.op);
  }
  for (const ir::Node& node : graph.nodes) {
    if (const auto found = names.find(node.op); found != names.end())
      names.erase(found);
    else if (refused.empty())
      ++met[node.op].lowered;
  }
}

}  // namespace

TEST_CASE("support: does every line of the PIM column agree with what ONNX's node suite meets?") {
  if (!fs::is_directory(suite)) {
    MESSAGE("skipped: " << suite.string() << " is not installed (package libonnx-testdata)");
    return;
  }
  const isa::Chip chip = isa::load_chip("pimcomp-144");
  std::map<std::string, Met> met;
  for (const auto& folder : std::set<fs::path>(fs::directory_iterator(suite), fs::directory_iterator{})) {
    CAPTURE(folder.filename().string());
    try {
      const frontend::DataSet data = frontend::read_data_set((folder / "test_data_set_0").string());
      for (const std::size_t first : {data.inputs.size(), std::size_t{1}}) {
        try {
          ir::Graph graph = import_case(folder, data, first);
          std::vector<std::string> names;
          for (const ir::ValueId v : graph.outputs) names.push_back(graph.value(v).name);
          give_outputs_nodes(graph, names);
          take(graph, chip, met);
          break;
        } catch (const UserError&) {
          continue;  // not importable in this form, or outside of what the chip's numerics carry
        }
      }
    } catch (const UserError&) {
      continue;  // tensors of types that the IR does not have
    }
  }
  CHECK(met.size() > 100);
  for (const ops::OpDef* op : ops::all())
    if (!op->onnx.empty()) met[op->name];  // those that no case has
  for (const auto& each : met) {
    const std::string& op = each.first;
    const auto& m = each.second;
    std::string reasons;
    for (const std::string& r : m.reasons) reasons += "\n  " + r;
    CAPTURE(op);
    const std::string said = pim::support_of(op);
    const std::string expected = m.refused == 0 && m.lowered == 0 ? "not tried"
                                 : m.refused == 0                 ? "yes"
                                 : m.lowered == 0                 ? "no: "
                                                                  : "partly: ";
    CHECK_MESSAGE(said.starts_with(expected), fmt::format("{}: {} lowered, {} refused, the column says '{}'{}", op,
                                                          m.lowered, m.refused, said, reasons));
  }
}
