#pragma once
// What the placement of classes sees: a node per copy of weight tiles, with all of its computes' work, and what flows
// between them.
#include <vector>

#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

struct ClassGraph {
  struct Edge {
    std::size_t from;
    Bytes bytes;
    std::int64_t messages;  ///< at most
  };
  std::vector<std::vector<Edge>> sources;  ///< by class: classes whose results it reads
  std::vector<Cycles> cost;
  std::vector<std::int32_t> layer;         ///< graph node of each class
  std::vector<std::size_t> first_compute;  ///< smallest compute of the class: topological key
};
ClassGraph class_graph(const Spatial& spatial, const Producers& producers, const MoveCosts& costs);

/// The classes by layer, first compute and id: sources before their readers, save where classes feed each other in a
/// circle (an addition belongs to the class that feeds it most, and reads an earlier and a later layer).
std::vector<std::size_t> topological_order(const ClassGraph& graph);
/// What each class still has behind it at least: the largest cost of a reader, mean message and all behind that one.
std::vector<Cycles> optimistic_costs(const ClassGraph& graph, const MoveCosts& costs);

}  // namespace pimento::pim
