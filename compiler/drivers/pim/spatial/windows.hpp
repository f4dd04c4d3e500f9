#pragma once
// How a contraction with a constant operand becomes weight tiles: the reduction in memory order of its input, cut into
// strips that one array group holds and one view feeds.
#include <optional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/spatial/layout.hpp"

namespace pimento::pim {

/// A contraction of a node with its weights: where its matrices are and how a window moves.
struct Contracted {
  std::int32_t data_input = 0;    ///< input position (of the node) of the streamed operand
  std::int32_t weight_input = 0;  ///< of the constant operand
  /// One matrix per group of a grouped convolution: disjoint output channels, disjoint reductions.
  struct Matrix {
    std::int32_t col0 = 0, col1 = 0;
    /// By reduction element in memory order of the input: its flat index in kernel order and its place relative to the
    /// window's origin.
    struct Element {
      std::int32_t reduction = 0, row = 0, position = 0, channel = 0;
    };
    std::vector<Element> elements;
    std::int64_t weight_base = 0;  ///< flat offset of the matrix' first weight in the constant
  };
  std::vector<Matrix> matrices;
  Pace pace{0, 0};
  /// The weight of column c (from 0 in its matrix) and reduction r stands at weight_base + by_column[c] +
  /// by_reduction[r].
  std::vector<std::int64_t> by_column, by_reduction;
};

/// Nothing when the node's leading kernel is no contraction with a constant, or moves in a way that rows, positions and
/// channels do not describe. `node` may be a group: its first node counts. `root` is where the data input's content
/// stands (layout and shape), when a renaming stands between.
std::optional<Contracted> contracted(const ir::Graph& graph, const ir::Node& node, const std::vector<Layout>& layouts,
                                     const std::vector<Root>& roots);

struct Strip {
  std::int32_t first = 0, size = 0;  ///< range of Matrix::elements
  Window window;
};
/// Cuts a matrix into strips of at most `max_rows` elements, each one uniform two-level view of a value with `channels`
/// channels per position; the pace is that from MVM to MVM.
std::vector<Strip> cut_strips(const Contracted::Matrix& matrix, const Pace& pace, std::int32_t channels,
                              std::int32_t max_rows);

/// Several neighbouring positions of a matrix as one: elements are what any of their windows reads, once each.
struct Widened {
  Contracted::Matrix matrix;             ///< Element::reduction: of the first window that reads it
  std::vector<std::int32_t> reductions;  ///< by window, then element: flat reduction index, or no_reduction
};
Widened widen(const Contracted::Matrix& matrix, const Pace& pace, std::int32_t windows);

/// Input box that a strip's window reads for output rows [r0, r1) and MVMs [p0, p1) of a row.
PBox window_box(const Window& window, std::int32_t channels, std::int32_t r0, std::int32_t r1, std::int32_t p0,
                std::int32_t p1);

}  // namespace pimento::pim
