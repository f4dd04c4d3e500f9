#pragma once
// OP_MATRIX.md has a column for every backend that says how far it lowers an operator. Each backend brings its own.
#include <string>

namespace pimento::ops {

struct MatrixColumn {
  std::string title;
  std::string (*text)(const std::string& graph_name);  ///< of one operator, by its name in graphs
};
/// At namespace scope of a file of the backend; columns stand in the order of their titles.
bool register_matrix_column(const MatrixColumn& column);

}  // namespace pimento::ops
