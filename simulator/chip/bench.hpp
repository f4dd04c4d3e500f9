#pragma once
// For tests: programs from lines of text, and a plain chip whose costs can be added up in the head.
#include <initializer_list>
#include <string>
#include <vector>

#include "isa/chip/chip.hpp"
#include "isa/program/program.hpp"
#include "simulator/chip/simulate.hpp"

namespace pimento::sim::bench {

/// Memory 16 bytes wide at one cycle, 8 lanes at one cycle, 1 GHz everywhere, flits of 8 bytes. A mesh of 2 x 2 without
/// handshake: a message of n flits over h hops takes 2h + 1 + n. Crossbars of 4 x 4 whose MVM takes 10 cycles.
inline isa::Chip plain_chip() {
  isa::Chip c;
  c.name = "plain";
  c.cores = 4;
  c.core.clock = {"core", 1'000'000};
  c.core.window = 4;
  c.core.instruction_memory = 1 << 20;
  c.core.crossbars = 16;
  c.core.vector.lanes = 8;
  c.core.local_memory.capacity = 65536;
  c.core.local_memory.width = 16;
  auto& x = c.core.crossbar;
  x.rows = x.cols = x.rows_active = 4;
  x.cell_bits = 8;
  x.dac_bits = 8;
  x.read_latency_fs = 3'000'000;
  x.dac_latency_cycles = x.sample_hold_cycles = x.shift_add_cycles = x.output_cycles = 1;  // front 5
  x.adc.per_crossbar = 4;
  x.adc.latency_cycles = 3;  // back 5
  x.program_latency_fs = 10'000'000;
  c.network.topology = "mesh";
  c.network.width = c.network.height = 2;
  c.network.flit = 8;
  c.network.multicast = true;
  c.network.receive_buffer_messages = 1;
  c.network.clock = {"network", 1'000'000};
  c.global_memory.capacity = 1 << 20;
  c.global_memory.width = 16;
  c.global_memory.read_latency_cycles = 2;
  c.global_memory.write_latency_cycles = 2;
  c.global_memory.attached_to = {0};
  c.global_memory.clock = {"memory", 1'000'000};
  return c;
}

/// Every step has a time of its own: local memory reads 16 bytes in 3 cycles and writes them in 2; a scalar
/// instruction takes 4, a vector pass of 8 lanes 5, of a function 7; a row of cells is written in 10. The rest is
/// plain_chip's: a product of 4 x 4 takes 10, an access to global memory 2, a message of n flits over h hops 2h + 1 +
/// n.
inline isa::Chip uneven_chip(int window) {
  isa::Chip c = plain_chip();
  c.core.window = window;
  c.core.local_memory.read_latency_cycles = 3;
  c.core.local_memory.write_latency_cycles = 2;
  c.core.scalar.latency_cycles = 4;
  c.core.vector.latency_cycles = 5;
  c.core.vector.function_latency_cycles = 7;
  return c;
}

using Lines = std::vector<const char*>;
/// One element per core. Every core has four groups of 4 x 4 crossbars that hold tile 0, of weights 1 .. 16.
inline isa::Program program(const std::vector<Lines>& cores) {
  isa::Program p;
  p.numerics = Numerics::quantised;
  isa::Tile tile;
  tile.rows = tile.cols = 4;
  std::vector<std::uint8_t> weights;
  std::vector<float> real;
  for (int k = 1; k <= 16; ++k)
    weights.push_back(static_cast<std::uint8_t>(k)), real.push_back(static_cast<float>(k) / 2);
  tile.weights = isa::Blob<std::uint8_t>::own(weights);
  tile.real = isa::Blob<float>::own(real);
  p.tiles = {tile};
  for (const Lines& lines : cores) {
    isa::CoreProgram& core = p.cores.emplace_back();
    std::vector<isa::Instruction> records;
    for (const char* line : lines) records.push_back(isa::parse(line));
    core.instructions = isa::Blob<isa::Instruction>::own(std::move(records));
    core.groups.assign(4, {0, 1, 1});
  }
  return p;
}

/// Bytes of a core's local memory before cycle 0.
inline void put(isa::Program& p, CoreId core, std::int32_t address, std::vector<std::uint8_t> bytes) {
  p.cores[core].constants.push_back({address, ElementType::u8, isa::Blob<std::uint8_t>::own(std::move(bytes)), {}});
}

/// The first `bytes` of the global memory are an output.
inline void watch(isa::Program& p, std::int64_t bytes, ElementType type = ElementType::u8) {
  isa::Port port;
  port.name = "out";
  port.shape = {bytes / size_of(type)};
  port.layout = {0};
  port.type = port.model_type = type;
  p.outputs = {port};
}

/// Seeded content for the program's inputs.
std::vector<PortData> inputs_for(const isa::Program& program, std::uint64_t seed);
/// What differs between two results, a line each; values are compared when both have them.
std::string difference(const Result& a, const Result& b);
/// Runs a program ahead and in lock-step, with values and without; "" when all agree.
std::string disagreement(const isa::Program& program, const isa::Chip& chip, std::uint64_t seed);
/// Whether a program ends at cycle t, ahead and in step, and with it whether a limit of t lets it end and one of t - 1
/// does not.
bool ends_exactly_at(const isa::Program& program, const isa::Chip& chip, Cycles t);
/// Chip n of a family that covers windows, ports, buffers, networks and clocks.
isa::Chip family_chip(std::uint64_t n);
/// Sets some of the chip's `rules`; those about messages where its network is a table, which then gets rendezvous.
void bend_at_random(isa::Chip& chip, std::uint64_t seed);
/// Gives phases banks to hold beside their ports.
void set_banks_at_random(isa::Chip& chip, std::uint64_t seed);
/// Gives the global memory rows, of odd sizes too.
void set_rows_at_random(isa::Chip& chip, std::uint64_t seed);

}  // namespace pimento::sim::bench
