#include <fmt/format.h>

#include <algorithm>

#include "compiler/optimizer/optimizer.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/error.hpp"

namespace pimento {

std::vector<std::string> stage_names() {
  std::vector<std::string> names{"frontend"};
  for (const std::string& pass : optimizer::pipeline()) names.push_back(pass);
  for (const char* stage : {"numerics", "graph-to-spatial", "merge", "schedule", "materialise", "communicate",
                            "spatial-to-pim", "spill", "bufferise", "plan-liveness", "emit"})
    names.emplace_back(stage);
  return names;
}

void expect_stage(const std::string& name) {
  const std::vector<std::string> names = stage_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UserError(fmt::format("unknown stage '{}'{}", name, suggestion(name, names)));
}

}  // namespace pimento
