#pragma once
// The spatial program: what graph-to-spatial makes of a graph for one chip. Computes read boxes of values and write one
// box; nothing here knows a core or a time.
//
// Every value is seen through three physical coordinates: row, position, channel. Memory order is
// [row][position][channel] with channels contiguous; `layout` says which logical dimensions make them up
// (f32[1,64,56,56] of a convolution: order n,h,w,c; 56 rows of 56 positions of 64 channels). A kernel window is then a
// few contiguous segments.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/drivers/pim/spatial/no_room.hpp"
#include "compiler/ir/graph.hpp"
#include "isa/chip/chip.hpp"
#include "isa/cost/cost.hpp"
#include "isa/support/whole.hpp"

namespace pimento::pim {

enum class SpatialValueId : std::int32_t {};
enum class ComputeId : std::int32_t {};
enum class BatchId : std::int32_t {};
enum class ClassId : std::int32_t {};
inline constexpr ClassId no_class{-1};
template <class Id>
constexpr std::size_t index_of(Id id) {
  return static_cast<std::size_t>(id);
}

/// Half-open box in physical coordinates. It may reach outside the value (rows and positions below 0 or beyond the
/// extent): those elements are padding and read as zero.
struct PBox {
  std::int32_t r0 = 0, r1 = 0, p0 = 0, p1 = 0, c0 = 0, c1 = 0;
  std::int32_t rows() const { return r1 - r0; }
  std::int32_t positions() const { return p1 - p0; }
  std::int32_t channels() const { return c1 - c0; }
  std::int64_t elements() const { return std::int64_t{rows()} * positions() * channels(); }
  bool empty() const { return r1 <= r0 || p1 <= p0 || c1 <= c0; }
  bool operator==(const PBox&) const = default;
};
inline PBox intersect(const PBox& a, const PBox& b) {
  return {std::max(a.r0, b.r0), std::min(a.r1, b.r1), std::max(a.p0, b.p0),
          std::min(a.p1, b.p1), std::max(a.c0, b.c0), std::min(a.c1, b.c1)};
}
inline PBox bounding(const PBox& a, const PBox& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.r0, b.r0), std::max(a.r1, b.r1), std::min(a.p0, b.p0),
          std::max(a.p1, b.p1), std::min(a.c0, b.c0), std::max(a.c1, b.c1)};
}
/// Whether they have a position and a channel in common, whatever their rows.
inline bool share_columns(const PBox& a, const PBox& b) {
  return a.p0 < b.p1 && b.p0 < a.p1 && a.c0 < b.c1 && b.c0 < a.c1;
}
std::string to_string(const PBox& box);  ///< "[r 0:3, p 0:10, c 0:64]"

/// Physical order of a logical shape: order[0] is the outermost dimension; the last is the channel, the one before it
/// the position, all others together are rows (rank 1: channels only; rank 0: one element).
struct Layout {
  std::vector<std::int32_t> order;
  std::int32_t rows = 1, positions = 1, channels = 1;
};
Layout make_layout(const ir::Shape& shape, std::vector<std::int32_t> order);
/// A logical box to the physical box that holds it (exact when rows stem from one dimension with extent > 1).
PBox to_physical(const Layout& layout, const ir::Shape& shape,
                 const std::vector<std::pair<std::int64_t, std::int64_t>>& box);

enum class ValueRole : std::uint8_t {
  input,  ///< stands in global memory at the start
  intermediate,
  output,  ///< must stand in global memory at the end (and may also be read by computes)
  partial  ///< accumulators of one weight strip, before they are added up
};
struct SpatialValue {
  std::string name;
  ir::ValueId graph_value = ir::no_value;  ///< no_value for partial sums
  ValueRole role = ValueRole::intermediate;
  Layout layout;
  ElementType type = ElementType::i8;
  double scale = 1.0;  ///< real = scale * stored
  /// Graph input or output that this value stands for in the table of ports (a renamed output: another graph value with
  /// the same physical sequence), and that value's dimensions in physical order.
  ir::ValueId port = ir::no_value;
  std::vector<std::int32_t> port_order;
  /// Partial sums: the block of the output that one copy serves, in whole MVMs; no other element exists.
  PBox block;
  PBox whole() const {
    return role == ValueRole::partial ? block : PBox{0, layout.rows, 0, layout.positions, 0, layout.channels};
  }
};

/// How windows move over their input with the output position (y, x) that they serve: of a tile with several windows, x
/// counts MVMs.
struct Pace {
  std::int32_t row_stride = 1, position_stride = 1;
  /// Rows of several images (a batch, a depth) that do not move on in proportion: output rows of each image, and input
  /// rows from one to the next. 0: all rows are one run.
  std::int32_t image_rows = 0, image_step = 0;
  /// Input rows from one output position to the next: of images that stand flattened as positions.
  std::int32_t rows_per_position = 0;
  std::int32_t row(std::int32_t y, std::int32_t x) const {
    const std::int32_t down =
        image_rows == 0 ? y * row_stride : y / image_rows * image_step + y % image_rows * row_stride;
    return down + x * rows_per_position;
  }
  std::int32_t position(std::int32_t x) const { return x * position_stride; }
  /// The end of the run of output rows from `y` on that move on by row_stride.
  std::int32_t run_end(std::int32_t y, std::int32_t end) const {
    return image_rows == 0 ? end : std::min(end, (y / image_rows + 1) * image_rows);
  }
  /// From MVM to MVM, where each makes so many neighbouring positions.
  Pace of_windows(std::int32_t windows) const {
    Pace pace = *this;
    pace.position_stride *= windows;
    pace.rows_per_position *= windows;
    return pace;
  }
};
/// One strip of a weight matrix as one array group holds it, and the window that feeds it. For row y and the x-th MVM
/// of a row, segment k begins at channel channel0 of input row pace.row(y, x) + row0 + k * row_step and of position
/// pace.position(x) + position0 + k * position_step, and runs over `len` elements contiguous in memory.
struct Window {
  Pace pace;
  std::int32_t row0 = 0, position0 = 0, channel0 = 0;
  std::int32_t row_step = 0, position_step = 0, channel_step = 0;
  std::int32_t count = 1, len = 0;
};
struct WeightTile {
  std::int32_t node = 0;  ///< index into the graph's nodes (a group: its contraction)
  std::int32_t strip = 0, column_block = 0;
  std::int32_t col0 = 0, col1 = 0;  ///< output channels (physical channel coordinates of the output)
  /// Neighbouring positions that one MVM makes: position x * windows + j of the output has columns [j * (col1 - col0),
  /// (j + 1) * (col1 - col0)). Their windows overlap in the tile's rows.
  std::int32_t windows = 1;
  /// By window, then row of the tile: flat reduction index (kernel order), or no_reduction where the window does not
  /// reach the row, whose weights are 0.
  std::vector<std::int32_t> reduction;
  Window window;
  isa::cost::TileShape shape;
  Bytes element = 1;  ///< of one weight
  std::int32_t rows() const { return static_cast<std::int32_t>(reduction.size()) / windows; }
  std::int32_t columns() const { return windows * (col1 - col0); }
  Bytes row_bytes() const { return element * columns(); }
  /// Of the first window that reaches the row.
  std::int32_t reduction_of_row(std::int32_t row) const {
    auto at = static_cast<std::size_t>(row);
    while (reduction[at] < 0) at += static_cast<std::size_t>(rows());
    return reduction[at];
  }
  /// MVMs for neighbouring positions of one row; the last one may make more than are asked for.
  std::int32_t mvms(std::int32_t positions) const { return static_cast<std::int32_t>(ceil_div(positions, windows)); }
};
inline constexpr std::int32_t no_reduction = -1;

enum class BodyKind : std::uint8_t {
  /// Loops over the positions of its output box, WeightTile::windows of them in one MVM; then, when it is the only
  /// strip, the epilogue.
  mvm,
  combine,  ///< adds the partial sums of all strips of one column block, then the epilogue
  vector    ///< any other kernel, or a group of element-wise ones
};
/// What the lanes of one batch do; the meaning comes from the graph node (its kernels), never from here.
struct Body {
  BodyKind kind = BodyKind::vector;
  std::int32_t node = 0;  ///< index into Graph::nodes
  /// mvm: consecutive entries of Spatial::tiles, strips of one column block that stand on one core; their products are
  /// added up there.
  std::int32_t tile = -1, tile_count = 1;
  bool epilogue = true;     ///< writes the node's result (false: mvm that writes a partial)
  std::int32_t output = 0;  ///< which output of the node
  /// Where the node's own result begins inside the value that is written: its element (r, p, c) goes to (r + row0,
  /// ...). Not zero when merge made the node write straight into a concatenation.
  std::int32_t row0 = 0, position0 = 0, channel0 = 0;
};

struct Access {
  SpatialValueId value{};
  PBox box;
};
/// The smallest thing that is scheduled.
struct Compute {
  BatchId batch{};
  ClassId cls = no_class;  ///< which weights it needs; all computes of a class share the class's core
  /// vector: the node's non-constant inputs, in input order. mvm: the windows of the streamed operand, one per tile;
  /// combine: the partial sums of the strips in order; both, when they end with the epilogue, then the non-constant
  /// inputs that the kernels after the first one read, in input order (an input that is both streamed and added again
  /// stands twice).
  std::vector<Access> reads;
  Access write;
  Cycles cycles = 0;        ///< core clock, predicted by isa/cost over the selected instructions: what schedules weigh
  Cycles alone = 0;         ///< the same where each instruction begins when the one before has ended
  std::int32_t alike = -1;  ///< index into Spatial::alike; -1: where nothing overlaps on a core
};
/// Computes with the same body and different data.
struct Batch {
  Body body;
  std::vector<ComputeId> lanes;
};
/// One copy of one weight tile (or of some that stand together, see Body): a place in some core's crossbars.
struct TileClass {
  std::int32_t tile = 0, copy = 0;
  std::int32_t tile_count = 1;
  std::int32_t crossbars = 1;
  std::vector<ComputeId> computes;
  std::int32_t round = 0;  ///< when it has its crossbars: classes of one round stand on the chip together
};

/// The operations of one compute, for all that are alike (lower/pim_ops.hpp).
struct Alike;

struct Spatial {
  std::vector<SpatialValue> values;
  std::vector<WeightTile> tiles;
  std::vector<TileClass> classes;
  std::vector<Batch> batches;
  std::vector<Compute> computes;  ///< topological: a compute reads only what earlier ones write (and inputs)
  std::vector<std::shared_ptr<const Alike>> alike;  ///< for who plays cores through whose instructions overlap
};

/// How often the crossbars hold something else: 1 more than the last round of a class.
std::int32_t rounds_of(const Spatial& spatial);

std::string print(const Spatial& spatial);
/// "" or the first broken rule: every box of every value written exactly once, reads inside what is written or padding,
/// topological order, lanes and classes consistent, crossbar budget.
std::string verify(const Spatial& spatial, const isa::Chip& chip);

}  // namespace pimento::pim
