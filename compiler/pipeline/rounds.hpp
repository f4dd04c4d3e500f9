#pragma once
// Models larger than the chip: how many rounds are tried, and what is said of those that were taken.
#include <functional>
#include <string>
#include <vector>

#include "compiler/drivers/pim/numerics/plan.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/pipeline/ablations.hpp"
#include "compiler/proof/record.hpp"
#include "isa/chip/chip.hpp"
#include "isa/program/program.hpp"

namespace pimento {

/// As asked for; 0: 1 where the model fits, else the fewest that hold it and some more, which leave room for copies:
/// what is predicted to end first is made.
std::vector<int> rounds_to_try(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan, int asked);
/// For a model whose crossbars add up and yet do not pack into the cores in one round: the fewest that spread it wider;
/// 0 where it cannot be cut so.
int rounds_that_pack(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan);
/// For a model that does not pack into the cores: its attempts again in that many, where no number was asked for.
void spread_wider(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan,
                  const CompileOptions& options, std::vector<Effort>& attempts);
/// A program that writes cells was scheduled for the time which that takes.
void add_cost_key_of_rounds(isa::Program& program, const isa::Chip& chip);

/// Why a record has no figure of rounds.
inline constexpr const char* one_round = "all weights are on the chip at once";
/// Of a program of so many rounds, for the record, and of several for the user.
void note_rounds(const isa::Program& program, const isa::Chip& chip, int rounds,
                 const std::function<void(const std::string&)>& note, proof::Record& record);

}  // namespace pimento
