#pragma once
// Published figures that the simulator recomputes from chip files: validation/anchors.yaml, read strictly. Each row
// prints what was published, what ran, and what the formula says; a row that misses its bar says why.
#include <string>
#include <vector>

#include "validation/anchors/measure.hpp"

namespace pimento::validation {

/// What an error says: the model; the shape over the points of a family, since constants were fitted to them; that the
/// account adds up; agreement with a tool that can be run.
enum class AnchorKind : std::uint8_t { predictive, fitted, identity, tool };
std::string_view to_string(AnchorKind kind);

struct Anchor {
  std::string name, of, figure, chip, unit, confidence, source, note;
  std::string label;   ///< of a point, made of its values: "W = {0}" holds the first of them
  std::string family;  ///< rows whose errors are held to a bar together
  std::string miss;    ///< why it is outside its bar
  AnchorKind kind = AnchorKind::predictive;
  std::map<std::string, std::string> set;  ///< keys of the chip
  Experiment experiment;
  double published = 0, formula = 0;
  double tolerance = 0;                     ///< of the row, relative
  double family_mean = 0, family_most = 0;  ///< of its family
};
/// One of the anchors' own machines (configs/chips/anchors: most are macros, on which no network runs), or any other.
isa::Chip anchor_chip(const std::string& name);
std::vector<std::string> anchor_chips();
/// Throws UserError with file, line and column.
std::vector<Anchor> read_anchors(const std::string& file);
/// validation/anchors.yaml of the source tree, or beside the installed chips.
std::string anchors_file();

struct AnchorResult {
  Anchor anchor;
  double recomputed = 0;
  double error() const { return recomputed / anchor.published - 1; }
  bool holds = false;  ///< within its bar, its family's included
};
AnchorResult recompute(const Anchor& anchor);
/// All of them, families judged together.
std::vector<AnchorResult> recompute(const std::vector<Anchor>& anchors);

}  // namespace pimento::validation
