#pragma once
// A program that uses every part of the format once, for tests: two cores of tiny-4, a loop with a ring, one message.
#include "isa/program/program.hpp"

namespace pimento::isa {

inline Program small_program(const Chip& chip) {
  const auto code = [](std::initializer_list<const char*> lines) {
    std::vector<Instruction> records;
    for (const char* line : lines) records.push_back(parse(line));
    return Blob<Instruction>::own(std::move(records));
  };
  Program p;
  p.producer = "pimento test";
  p.model = "small.onnx";
  p.model_fingerprint = "0123456789abcdef";
  p.numerics = Numerics::exact;
  p.chip_name = chip.name;
  p.chip_yaml = chip.yaml;
  p.chip = chip.fingerprints;
  p.schedule_cost_keys = {"core.window=4"};
  p.nodes = {"conv \"1\"", "relu\n2"};
  p.core_sets = {{0, 1}, {1}};
  p.settings_json = "{\"seed\": 1}";
  p.global_memory_used = 4096;
  p.inputs = {{"x", ElementType::f32, {1, 3, 4}, {0, 2, 1}, ElementType::u8, 0.1, 3, 0}};
  p.outputs = {{"y", ElementType::f32, {8}, {0}, ElementType::i8, 0.25, -1, 64}};
  Tile tile{4, 8, 1, 1, ElementType::i8, {}, {}};
  std::vector<std::uint8_t> weights;
  std::vector<float> real;
  for (int k = 0; k < 32; ++k) {
    weights.push_back(static_cast<std::uint8_t>(k * 7));
    real.push_back(static_cast<float>(k) / 3.0F);
  }
  tile.weights = Blob<std::uint8_t>::own(weights);
  tile.real = Blob<float>::own(real);
  p.tiles = {tile, tile};
  p.global_constants = {
      {128, ElementType::i32, Blob<std::uint8_t>::own({1, 2, 3, 4, 5, 6, 7, 8}), Blob<float>::own({0.1F, -0.0F})}};
  p.cores.resize(2);
  p.cores[0].instructions = code({
      "addr A1, base 1024, strides 16 0 0 0, ring 1024 64",
      "addr A2, base 4096, strides 32 0 0 0",
      "load [1024], [0], len 12",
      "loop 6, body 4",
      "mvm [A2]:i32, [A1]:u8, len 4, group 0",
      "vcvt [8192]:i8, [A2]:i32, len 8, scale 0.1, real 1.5, zero -3, relu",
      "send [8192], len 8, core 1, tag 7",
      "nop",
      "halt",
  });
  p.cores[0].groups = {{0, 1, 1}, {no_tile, 2, 1}};
  p.cores[0].constants = {{512, ElementType::i8, Blob<std::uint8_t>::own({9, 8, 7}), {}}};
  p.cores[0].nodes = {{2, 5, 0}, {5, 6, 1}};
  p.cores[0].local_memory_used = 8200;
  p.cores[1].instructions = code({
      "addr A0, base 256, strides 8 0 0 0",
      "loop 6, body 1",
      "recv [A0], len 8, core 0, tag 7",
      "store [64], [256], len 8",
  });
  p.cores[1].local_memory_used = 304;
  return p;
}

}  // namespace pimento::isa
