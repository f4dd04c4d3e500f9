#include "simulator/chip/bench.hpp"

#include <fmt/format.h>

#include "isa/instruction/samples.hpp"

namespace pimento::sim::bench {
namespace {

std::string text(const UnitCycles& u) { return fmt::format("{}/{}/{}", u.busy, u.stalled, u.idle); }

void units(std::string& out, std::size_t core, const CoreResult& a, const CoreResult& b) {
  const std::pair<const char*, UnitCycles CoreResult::*> all[] = {{"control", &CoreResult::control},
                                                                  {"scalar", &CoreResult::scalar},
                                                                  {"vector", &CoreResult::vector},
                                                                  {"matrix", &CoreResult::matrix},
                                                                  {"transfer", &CoreResult::transfer}};
  for (const auto& [name, unit] : all)
    if (!(a.*unit == b.*unit)) out += fmt::format("core {} {}: {} and {}\n", core, name, text(a.*unit), text(b.*unit));
}

}  // namespace

std::vector<PortData> inputs_for(const isa::Program& program, std::uint64_t seed) {
  isa::Random random(seed);
  std::vector<PortData> all;
  for (const isa::Port& port : program.inputs) {
    PortData& data = all.emplace_back();
    for (Bytes k = 0; k < port.bytes(); ++k) data.bytes.push_back(static_cast<std::uint8_t>(random.between(0, 255)));
  }
  return all;
}

std::string difference(const Result& a, const Result& b) {
  std::string out;
  const auto figure = [&](const char* name, std::int64_t x, std::int64_t y) {
    if (x != y) out += fmt::format("{}: {} and {}\n", name, x, y);
  };
  figure("stop", static_cast<int>(a.stop), static_cast<int>(b.stop));
  figure("cycles", a.cycles, b.cycles);
  if (a.explanation != b.explanation) out += fmt::format("said: {}\nand: {}\n", a.explanation, b.explanation);
  figure("instructions", a.instructions, b.instructions);
  figure("mvms", a.mvms, b.mvms);
  figure("vector instructions", a.vector_instructions, b.vector_instructions);
  figure("messages", a.messages, b.messages);
  figure("injected", a.injected, b.injected);
  figure("delivered", a.delivered, b.delivered);
  for (std::size_t c = 0; c < a.cores.size() && c < b.cores.size(); ++c) {
    figure(fmt::format("core {} end", c).c_str(), a.cores[c].end, b.cores[c].end);
    units(out, c, a.cores[c], b.cores[c]);
  }
  for (std::size_t c = 0; c < a.contacts.size() && c < b.contacts.size(); ++c) {
    figure(fmt::format("core {} contacts", c).c_str(), static_cast<std::int64_t>(a.contacts[c].size()),
           static_cast<std::int64_t>(b.contacts[c].size()));
    for (std::size_t k = 0; k < a.contacts[c].size() && k < b.contacts[c].size(); ++k) {
      const Contact &x = a.contacts[c][k], &y = b.contacts[c][k];
      if (x == y) continue;
      out += fmt::format("core {} contact {}: instruction {} {}..{} and {} {}..{}\n", c, k, x.instruction, x.issue,
                         x.end, y.instruction, y.issue, y.end);
      break;
    }
  }
  for (std::size_t n = 0; n < a.nodes.size() && n < b.nodes.size(); ++n) {
    figure("node first", a.nodes[n].first, b.nodes[n].first);
    figure("node last", a.nodes[n].last, b.nodes[n].last);
    figure("node busy", a.nodes[n].busy, b.nodes[n].busy);
  }
  figure("links", static_cast<std::int64_t>(a.links.size()), static_cast<std::int64_t>(b.links.size()));
  for (std::size_t n = 0; n < a.links.size() && n < b.links.size(); ++n) {
    figure(a.links[n].name.c_str(), a.links[n].bytes, b.links[n].bytes);
    figure(b.links[n].name.c_str(), a.links[n].busy, b.links[n].busy);
  }
  for (std::size_t n = 0; n < a.channels.size() && n < b.channels.size(); ++n) {
    figure("channel requests", a.channels[n].requests, b.channels[n].requests);
    figure("channel busy", a.channels[n].busy, b.channels[n].busy);
    figure("row hits", a.channels[n].rows.hits, b.channels[n].rows.hits);
    figure("row misses", a.channels[n].rows.misses, b.channels[n].rows.misses);
    figure("row conflicts", a.channels[n].rows.conflicts, b.channels[n].rows.conflicts);
  }
  for (std::size_t n = 0; n < a.energy.size() && n < b.energy.size(); ++n)
    figure(a.energy[n].event.c_str(), a.energy[n].count, b.energy[n].count);
  if (a.outputs.empty() != b.outputs.empty()) return out;  // one of them without values
  for (std::size_t n = 0; n < a.outputs.size(); ++n) {
    if (a.outputs[n].bytes != b.outputs[n].bytes) out += fmt::format("output {} differs\n", n);
    if (a.outputs[n].writers != b.outputs[n].writers) out += fmt::format("writers of output {} differ\n", n);
    for (std::size_t k = 0; k < a.outputs[n].real.size(); ++k)
      if (a.outputs[n].real[k] != b.outputs[n].real[k] && a.outputs[n].real[k] == a.outputs[n].real[k])
        figure("real value", static_cast<std::int64_t>(k), -1);
  }
  return out;
}

std::string disagreement(const isa::Program& program, const isa::Chip& chip, std::uint64_t seed) {
  Options options;
  options.record_contacts = true;
  options.track_writers = true;
  options.inputs = inputs_for(program, seed);
  const Result ahead = simulate(program, chip, options);
  options.lockstep = true;
  const Result stepped = simulate(program, chip, options);
  options.timing_only = true;
  options.inputs.clear();
  const Result stepped_timing = seed % 4 == 0 ? simulate(program, chip, options) : stepped;
  options.lockstep = false;
  const Result ahead_timing = simulate(program, chip, options);
  std::string text;
  if (const std::string d = difference(ahead, stepped); !d.empty()) text += "run-ahead and lock-step\n" + d;
  if (const std::string d = difference(ahead, ahead_timing); !d.empty()) text += "with values and without\n" + d;
  if (const std::string d = difference(stepped, stepped_timing); !d.empty())
    text += "lock-step with values and without\n" + d;
  return text;
}

bool ends_exactly_at(const isa::Program& program, const isa::Chip& chip, Cycles t) {
  bool all = true;
  for (const bool lockstep : {false, true})
    for (const bool timing_only : {false, true}) {
      Options options;
      options.lockstep = lockstep;
      options.timing_only = timing_only;
      const Result whole = simulate(program, chip, options);
      options.max_cycles = t;
      const Result in_time = simulate(program, chip, options);
      options.max_cycles = t - 1;
      const Result too_early = simulate(program, chip, options);
      all = all && whole.stop == StopReason::finished && whole.cycles == t && in_time.stop == StopReason::finished &&
            (t == 1 || too_early.stop == StopReason::max_cycles);
    }
  return all;
}

namespace {

/// One of a few networks for four cores.
void set_network(isa::Chip& chip, std::uint64_t n) {
  isa::Network& network = chip.network;
  const auto shape = [&](const char* topology, int width = 0, int height = 0) {
    network.topology = topology;
    network.width = width;
    network.height = height;
  };
  const auto flits = [&](int channels, int buffer) {
    network.level = isa::NetworkLevel::flit;
    network.virtual_channels = channels;
    network.virtual_channel_buffer = buffer;
  };
  switch (n % 12) {
    case 0:
      return;  // a mesh of 2 x 2
    case 1: {
      shape("table");
      std::vector<std::vector<Cycles>> table(5, std::vector<Cycles>(5));
      for (std::size_t s = 0; s < 5; ++s)
        for (std::size_t d = 0; d < 5; ++d) table[s][d] = static_cast<Cycles>(1 + (s * 3 + d * 5) % 7);
      network.table = std::make_shared<std::vector<std::vector<Cycles>>>(table);
      chip.global_memory.attached_to.clear();
      return;
    }
    case 2:
      return shape("torus", 4, 1);
    case 3:
      return shape("ring");
    case 4:
      return shape("crossbar");
    case 5:
      network.tree_arity = 2;
      return shape("tree");
    case 6:
      network.cores_per_router = 2;
      return shape("mesh", 1, 2);
    case 7:
      network.routing = isa::Routing::odd_even;
      return flits(1, 4);
    case 8:
      shape("torus", 2, 2);
      return flits(2, 1);
    case 9:
      shape("ring");
      return flits(3, 8);
    case 10:
      shape("crossbar");
      return flits(2, 2);
    default:
      network.tree_arity = 3;
      shape("tree");
      return flits(1, 1);
  }
}

}  // namespace

isa::Chip family_chip(std::uint64_t n) {
  isa::Chip chip = isa::load_chip("tiny-4");
  const int windows[] = {1, 4, 64}, buffers[] = {0, 1, 8};
  chip.core.window = windows[n % 3];
  chip.core.local_memory.ports = static_cast<int>(1 + n / 3 % 2);
  chip.network.receive_buffer_messages = buffers[n / 6 % 3];
  set_network(chip, n / 18);
  if (n % 7 < 3) {
    chip.network.clock.period_fs = 1'500'000;
    chip.global_memory.clock.period_fs = 700'000;
    chip.network.handshake_cycles = 0;
  }
  if (n % 5 == 0) chip.global_memory.channels = 2;
  return chip;
}

void bend_at_random(isa::Chip& chip, std::uint64_t seed) {
  isa::Random random(seed);
  isa::Rules& rules = chip.rules;
  const auto some = [&] { return random.one_in(2) ? random.between(1, 4) : 0; };
  rules.mvm_input_reads = static_cast<int>(1 + some());
  for (bool isa::Rules::*rule : {&isa::Rules::rounded_down, &isa::Rules::load_data_free,
                                 &isa::Rules::write_after_write_unchecked, &isa::Rules::write_after_read_waits_for_end,
                                 &isa::Rules::touching_ranges_conflict, &isa::Rules::load_hazards_at_zero})
    rules.*rule = random.one_in(2);
  for (Cycles isa::Rules::*rule : {&isa::Rules::first_issue, &isa::Rules::start_cycles, &isa::Rules::retire_cycles,
                                   &isa::Rules::mvm_retire_cycles, &isa::Rules::network_retire_cycles})
    rules.*rule = some();
  if (chip.network.topology != "table") return;
  chip.network.receive_buffer_messages = 0;
  chip.network.multicast = false;
  for (bool isa::Rules::*rule :
       {&isa::Rules::request_and_grant, &isa::Rules::sends_end_early, &isa::Rules::messages_in_turn})
    rules.*rule = random.one_in(2);
}

void set_banks_at_random(isa::Chip& chip, std::uint64_t seed) {
  isa::Random random(seed + 78);
  isa::LocalMemory& memory = chip.core.local_memory;
  memory.banks = static_cast<int>(random.between(2, 5));
  memory.bank_interleave = random.one_in(3) ? random.between(1, 5000) : Bytes{16} << random.between(0, 8);
}

void set_rows_at_random(isa::Chip& chip, std::uint64_t seed) {
  isa::Random random(seed + 77);
  isa::GlobalMemory& memory = chip.global_memory;
  memory.row_size = random.one_in(3) ? random.between(3, 3000) : Bytes{32} << random.between(0, 8);
  memory.banks = static_cast<int>(random.between(1, 4));
  memory.activate_cycles = random.between(0, 6);
  memory.precharge_cycles = random.between(0, 6);
}

}  // namespace pimento::sim::bench
