#pragma once
// Several graphs as one that computes them all: nothing of one reads anything of another.
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace pimento::ir {

struct Named {
  std::string name;  ///< without '/'; no two alike
  Graph graph;
};
/// Between a graph's name and the names in it.
inline constexpr char name_separator = '/';

/// Inputs, outputs, states and nodes of the graphs one after another; names of values, node sources and metadata begin
/// with "NAME/". The graph's own name is theirs, joined by '+'.
Graph join(std::vector<Named> graphs);

}  // namespace pimento::ir
