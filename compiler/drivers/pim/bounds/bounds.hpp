#pragma once
// Lower bounds on the cycles of a compile (core clock). Derivation: simulator/README.md, "Bounds".
#include <optional>
#include <string>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::ir {
class Graph;
}
namespace pimento::isa {
struct Chip;
struct Program;
}  // namespace pimento::isa

namespace pimento::pim {

struct NumericsPlan;
struct Spatial;

struct Bound {
  struct Part {
    std::string name;
    Cycles cycles = 0;
  };
  std::vector<Part> parts;  ///< each a bound
  /// The part that binds; no parts: nothing is known.
  const Part* largest() const;
  Cycles cycles() const { return largest() == nullptr ? 0 : largest()->cycles; }
};
struct Bounds {
  Bound hardware;  ///< holds for every mapping of these matrix products onto crossbars
  Bound mapping;   ///< holds for the chosen computes, wherever they stand
  /// Where MVMs make several positions, if it is asked for: of computes with one position per MVM. No bound of this
  /// run: what mappings are measured by, whichever is chosen.
  std::optional<Bound> one_window;
  Bound interval;  ///< of a stream: no pace of these computes is faster, wherever they stand
  /// As one_window, of the interval of a stream.
  std::optional<Bound> one_window_interval;
};

/// `spatial`: the chosen computes; of them only which nodes are matrix products counts.
Bound hardware_bound(const ir::Graph& graph, const isa::Chip& chip, const NumericsPlan& plan, const Spatial& spatial,
                     std::int64_t images = 1);
Bound mapping_bound(const Spatial& spatial, const isa::Program& program, const isa::Chip& chip);
/// The part of it that needs no program: critical path, busiest array group, and all products over the cores.
Bound mapping_bound(const Spatial& spatial, const isa::Chip& chip);
Bound interval_bound(const Spatial& spatial, const isa::Program& program, const isa::Chip& chip);
/// The part of it that neither program nor copies change: all products over the cores.
Bound interval_bound(const Spatial& spatial, const isa::Chip& chip);

}  // namespace pimento::pim
