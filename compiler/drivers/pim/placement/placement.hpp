#pragma once
// The mapping as a file: per layer, how its output is cut into blocks of rows and positions (one copy of the weights
// each), how many strips of a copy share a core, and the core of every part of every copy.
//
//   pimento: placement 2
//   model: "resnet18"
//   chip: "pimcomp-144"
//   rows_ahead: 6                # how far a layer may run ahead of the slowest; more takes local memory;
//                                # 0: it begins when those before it have ended
//   roaming: 1                   # where what has no weights may run (schedule/stages.hpp); without it 0
//   layers:
//     - layer: "conv1+bn1+relu"
//       rows: 1                  # blocks along rows
//       positions: 2             # and along positions: 1 * 2 copies
//       windows: 1               # neighbouring positions that one MVM makes; blocks begin at multiples of it
//       strips_per_core: 1
//       slices: 2                # in which the partial sums of its strips are added up; without it as few as pay
//       pieces: 2                # of a copy's row, each a compute of its own; without it 1
//       cores: [[0, 1], [2, 3]]  # by copy: the core of each part (column block by column block, strips in order)
//       rounds: 1                # of a model in several rounds: in which it has its crossbars; where it is cut
//                                # itself, a list by weight tile (column block by column block, strips in order)
#include <string>
#include <vector>

#include "compiler/drivers/pim/schedule/schedule.hpp"
#include "compiler/drivers/pim/spatial/replicate.hpp"
#include "isa/support/error.hpp"

namespace pimento::pim {

/// A name for every node: where it came from, and "#2", "#3" where that repeats.
std::vector<std::string> layer_names(const ir::Graph& graph);

class Placement {
 public:
  /// Throws UserError with file, line and column: what is no placement file.
  static Placement parse(const std::string& text, const std::string& file, const std::string& model,
                         const std::string& chip);

  /// UserError, with its line, for a layer that the graph has no node of: a misspelt name.
  void expect_layers_of(const ir::Graph& graph) const;
  int rows_ahead() const { return rows_ahead_; }
  Roaming roaming() const { return roaming_; }
  /// The windows of a layer whose output has these positions; UserError as for spread().
  AskedWindows windows(const std::string& layer, std::int32_t positions) const;
  /// The spread of a layer whose output has these rows and positions and whose copies have these strips; UserError when
  /// the file has no such layer or it is out of range.
  Spread spread(const std::string& layer, std::int32_t rows, std::int32_t positions, std::int32_t strips) const;
  /// How often the crossbars hold other weights: 1 more than the last round of a layer.
  int rounds() const { return rounds_; }
  /// The round of each tile of a layer; UserError when the file lists another number of them, or parts whose strips
  /// would have several.
  std::vector<std::int32_t> rounds_of(const std::string& layer, std::int32_t strips, std::int32_t tiles) const;
  /// UserError when nothing stands in some round, when the copies of one need more crossbars than the chip has, or when
  /// a layer needs what a later round makes.
  void expect_rounds(const Spatial& spatial, const ir::Graph& graph, const isa::Chip& chip) const;
  /// Cores by ClassId; UserError when a layer, copy, part or core is missing, surplus or not there, and when a core's
  /// crossbars do not suffice.
  std::vector<CoreId> cores(const Spatial& spatial, const ir::Graph& graph, const isa::Chip& chip) const;

 private:
  struct Core {
    std::int64_t core = 0;
    Place place;
  };
  struct Copy {
    std::vector<Core> parts;
    Place place;
  };
  struct Layer {
    std::string name;
    Spread spread;
    std::vector<Copy> copies;
    std::vector<std::int32_t> rounds;  ///< one: of all tiles
    Place place, rows_place, positions_place, windows_place, strips_place, slices_place, pieces_place, cores_place,
        rounds_place;
  };
  Roaming roaming_ = 0;
  int rows_ahead_ = 1;
  int rounds_ = 1;
  std::string file_;
  std::vector<Layer> layers_;

  const Layer& layer(const std::string& name) const;
};

std::string print_placement(const Spatial& spatial, const ir::Graph& graph, const std::vector<CoreId>& class_core,
                            int rows_ahead, Roaming roaming, const std::string& model, const std::string& chip);

}  // namespace pimento::pim
