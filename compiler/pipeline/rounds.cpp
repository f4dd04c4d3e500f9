#include "compiler/pipeline/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/drivers/pim/spatial/graph_to_spatial.hpp"
#include "compiler/pipeline/compile.hpp"
#include "isa/support/counted.hpp"

namespace pimento {

std::vector<int> rounds_to_try(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan,
                               int asked) {
  if (asked > 0) return {asked};
  const pim::RoundRange range = pim::range_of_rounds(graph, chip, plan);
  std::vector<int> all{range.least};
  constexpr int more = 2;
  for (int r = range.least + 1; range.least > 1 && r <= std::min(range.least + more, range.most); ++r) all.push_back(r);
  return all;
}

int rounds_that_pack(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan) {
  const pim::RoundRange range = pim::range_of_rounds(graph, chip, plan, true);
  return range.least <= range.most ? range.least : 0;
}

void add_cost_key_of_rounds(isa::Program& program, const isa::Chip& chip) {
  constexpr const char* key = "core.crossbar.program_latency";
  if (!program.global_constants.empty())
    program.schedule_cost_keys.push_back(fmt::format("{}={}", key, isa::key_value(chip, key)));
}

void note_rounds(const isa::Program& program, const isa::Chip& chip, int rounds,
                 const std::function<void(const std::string&)>& note, proof::Record& record) {
  if (rounds == 1) return record.miss("rounds", one_round);
  record.know("rounds", rounds);
  if (!note) return;
  const char* const how = program.global_constants.empty()
                              ? "whose weights are on the chip at once"
                              : "whose weights are written into the crossbars as the image goes on";
  note(fmt::format("{} for one image, {} on the chip: {} rounds, {}",
                   counted(record.figures.at("crossbars_used"), "crossbar"),
                   std::int64_t{chip.cores} * chip.core.crossbars, rounds, how));
  if (!chip.core.crossbar.program_latency_fs && !program.global_constants.empty())
    note(
        fmt::format("chip '{}' does not say how long writing a row of cells takes (core.crossbar.program_latency): no "
                    "cycles count it",
                    chip.name));
}

void spread_wider(const ir::Graph& graph, const isa::Chip& chip, const pim::NumericsPlan& plan,
                  const CompileOptions& options, std::vector<Effort>& attempts) {
  if (options.rounds != 0 || attempts.back().rounds > 1) return;
  const int rounds = rounds_that_pack(graph, chip, plan);
  if (rounds == 0) return;
  attempts.push_back(with_rounds(plans_without(options, chip).front(), rounds));
  for (const Effort& effort : efforts_without(options)) attempts.push_back(with_rounds(effort, rounds));
}

}  // namespace pimento
