#pragma once
// Which physical order every value of the graph has. Values joined by operators that keep positions (element-wise,
// pooling, concatenation, ...) share one order, so no copy is needed between them; where one of them is seen by a
// convolution or pooling, channels (dimension 1) go innermost, so that a window is a few contiguous segments.
#include <vector>

#include "compiler/drivers/pim/spatial/spatial.hpp"

namespace pimento::pim {

/// By graph ValueId (constants included, their entry is the plain row-major order).
std::vector<Layout> choose_layouts(const ir::Graph& graph);

/// A value that only renames another's bytes (reshape and its kin) and where its content really stands.
struct Root {
  ir::ValueId value = ir::no_value;  ///< the value itself when nothing is renamed
  bool same_order = true;            ///< the physical order of both is the same sequence of elements
};
/// By graph ValueId: follows reshapes, flattenings, squeezes and identities up to the value that holds the bytes.
std::vector<Root> find_roots(const ir::Graph& graph, const std::vector<Layout>& layouts);
/// Operators that keep the row-major sequence of elements.
bool renames_only(const ir::Node& node);

}  // namespace pimento::pim
