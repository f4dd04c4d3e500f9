#include "compiler/optimizer/optimizer.hpp"
#include "compiler/pipeline/compile.hpp"

namespace pimento {

std::vector<std::string> stage_names() {
  std::vector<std::string> names{"frontend"};
  for (const std::string& pass : optimizer::pipeline()) names.push_back(pass);
  for (const char* stage : {"numerics", "graph-to-spatial", "merge", "schedule", "materialise", "communicate",
                            "spatial-to-pim", "bufferise", "plan-liveness", "emit"})
    names.emplace_back(stage);
  return names;
}

}  // namespace pimento
