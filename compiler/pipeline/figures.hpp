#pragma once
// Figures of the finished program and of the schedule, for the record.
#include "compiler/drivers/pim/bounds/bounds.hpp"
#include "compiler/drivers/pim/emit/emit.hpp"
#include "compiler/drivers/pim/schedule/stages.hpp"
#include "compiler/proof/record.hpp"

namespace pimento {

/// What the program executes (loops counted out) and holds: instructions, messages, products, weights, memory.
void count_program(const isa::Program& program, const isa::Chip& chip, proof::Record& record);
/// The longest chain of computes, and how many may run at once.
void count_depths(const pim::Spatial& spatial, const pim::Producers& producers, proof::Record& record);
/// Steps of all cores, and the longest chain of messages.
void count_steps(const pim::Steps& steps, proof::Record& record);
/// Lanes of graph batches and of scheduled ones, and the core of each class.
void list_lanes(const pim::Spatial& spatial, const pim::Schedule& schedule, const pim::Materialised& materialised,
                proof::Record& record);
/// What a compile says of a stream of images, or why not: `best_interval` is the solver's.
void know_stream(std::int64_t images, const pim::Schedule& schedule, Cycles best_interval, const pim::Bounds& bounds,
                 proof::Record& record);
/// Memory of this process: at most so far, and now.
void know_memory(proof::Record& record);
inline constexpr const char* one_image = "one image is no stream";
/// Says why no compile alone knows the figures of a run.
void expect_run(proof::Record& record);

}  // namespace pimento
