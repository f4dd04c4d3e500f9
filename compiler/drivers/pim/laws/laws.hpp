#pragma once
// The first law (DESIGN section 4) as checks: what no stage may trade away in order to compile faster or in less
// memory. One function per pair of stages: "" or "TRADE: who, what before, what after", TRADE being one of `trades`.
// The verifiers of the stages say whether a result is right; these say whether it is still as good.
#include <array>
#include <string>
#include <string_view>

#include "compiler/drivers/pim/emit/emit.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

/// What is given up where something is saved.
inline constexpr std::array<std::string_view, 10> trades{"fewer lanes or cores",
                                                         "coarser granularity",
                                                         "a scalarised batch",
                                                         "a sequential loop in place of independent work",
                                                         "recomputation",
                                                         "added copies",
                                                         "changed hardware parameters",
                                                         "a global serial order of communication",
                                                         "more instructions",
                                                         "work moved to the host"};

/// graph -> graph-to-spatial: every node is computed on the chip; a compute is at most one row of positions; a batch is
/// whole; no position meets a weight tile twice.
std::string law_of_spatial(const ir::Graph& graph, const Spatial& spatial);
/// graph-to-spatial -> merge: products keep their lanes and wait for no more products than before; no compute more, no
/// more read, and no path longer, in steps or cycles.
std::string law_of_merge(const Spatial& before, const Spatial& after);
/// schedule -> materialise: the lanes of a batch that share a core are one scheduled batch.
std::string law_of_materialise(const Materialised& materialised, const Spatial& spatial);
/// materialise -> communicate: computes keep their order; nothing arrives twice on a core; a contact stands behind
/// another only where the schedule has it later.
std::string law_of_communicate(const Steps& steps, const Materialised& materialised, const Spatial& spatial,
                               const Schedule& schedule);
/// communicate -> spatial-to-pim: the operations of a compute make no product more, and take no longer
/// than the schedule was told or than selection alone would have them.
std::string law_of_selection(const Operations& operations, const SelectContext& context, const Spatial& spatial);
/// plan-liveness -> emit: what runs is what was selected, no product, copy or vector instruction more; inputs and
/// outputs of the program are those of the model.
std::string law_of_emission(const isa::Program& program, const EmitInput& input);
/// The program was made for this chip and no other.
std::string law_of_hardware(const isa::Program& program, const isa::Chip& chip);

}  // namespace pimento::pim
