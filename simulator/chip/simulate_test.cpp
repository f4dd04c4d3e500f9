#include "simulator/chip/simulate.hpp"

#include <doctest/doctest.h>

#include "isa/support/error.hpp"
#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

TEST_CASE("simulate: is a network's road from input to output walked with values?") {
  // core 0 loads four bytes, multiplies, sends; core 1 converts and stores
  isa::Program p =
      program({{"load [0], [0], len 4", "mvm [64]:i32, [0]:u8, len 4, group 0", "send [64], len 16, core 1, tag 9"},
               {"recv [0], len 16, core 0, tag 9", "vcvt [64]:i8, [0]:i32, len 4, scale 0.1", "move [128], [64], len 4",
                "store [16], [128], len 4"}});
  isa::Port in;
  in.name = "x";
  in.shape = {4};
  in.layout = {0};
  in.type = ElementType::u8;
  p.inputs = {in};
  isa::Port out = in;
  out.name = "y";
  out.type = ElementType::i8;
  out.address = 16;
  p.outputs = {out};
  Options options;
  options.inputs = {{{1, 2, 3, 4}, {}}};
  options.track_writers = true;
  const Result r = simulate(p, plain_chip(), options);
  CHECK(r.stop == StopReason::finished);
  // 1 + 10 + 27 + 52 = 90, 100, 110, 120
  CHECK(r.outputs[0].bytes == std::vector<std::uint8_t>{9, 10, 11, 12});
  for (const Writer& w : r.outputs[0].writers) CHECK(w == Writer{1, 1});  // the vcvt, although a move came after it
  CHECK(r.mvms == 1);
  CHECK(r.channels[0].read == 4);
  CHECK(r.channels[0].written == 4);
}

TEST_CASE("simulate: does every unit's time add up to the run's?") {
  const isa::Program p = program({{"mvm [64]:i32, [0]:u8, len 4, group 0", "vrelu [128]:i8, [192]:i8, len 64",
                                   "send [64], len 16, core 1, tag 9", "addr A1, base 0, strides 0 0 0 0"},
                                  {"recv [0], len 16, core 0, tag 9"}});
  const Result r = simulate(p, plain_chip());
  for (const CoreResult& c : r.cores)
    for (const UnitCycles& u : {c.control, c.scalar, c.vector, c.matrix, c.transfer}) {
      CHECK(u.busy + u.stalled + u.idle == r.cycles);
      CHECK(u.idle >= 0);
    }
}

TEST_CASE("simulate: who waits for whom when two cores receive from each other?") {
  const Result r =
      simulate(program({{"nop", "recv [0], len 8, core 1, tag 4"}, {"recv [0], len 8, core 0, tag 7"}}), plain_chip());
  CHECK(r.stop == StopReason::deadlock);
  CHECK(r.explanation ==
        "chip: stopped at cycle 2, 2 cores unfinished, nothing can move\n"
        "  chip: core 0, instruction 1 'recv [0], len 8, core 1, tag 4' waits since 1 for a message from chip.core1\n"
        "  chip: core 1, instruction 0 'recv [0], len 8, core 0, tag 7' waits since 0 for a message from chip.core0\n"
        "  circle: chip.core0 -> chip.core1 -> chip.core0");
}

TEST_CASE("simulate: is a message that nobody receives told with its sender, in both ways of running?") {
  const isa::Program p = program(
      {{"send [0], len 16, core 1, tag 4", "send [0], len 16, core 1, tag 5"}, {"recv [0], len 16, core 0, tag 4"}});
  isa::Chip chip = plain_chip();
  chip.network.receive_buffer_messages = 2;
  Options options;
  for (const bool lockstep : {false, true}) {
    options.lockstep = lockstep;
    const Result r = simulate(p, chip, options);
    CHECK(r.stop == StopReason::unreceived);
    CHECK(
        r.explanation.starts_with("chip: every core has ended, 1 message was never received\n  chip: core 0, "
                                  "instruction 1 'send [0], len 16, core 1, tag 5', 16 bytes, is in the buffer of "
                                  "chip.core1 since "));
  }
  chip.network.receive_buffer_messages = 0;  // without a buffer it is the sender that never ends
  for (const bool lockstep : {false, true}) {
    options.lockstep = lockstep;
    const Result r = simulate(p, chip, options);
    CHECK(r.stop == StopReason::deadlock);
    CHECK(r.explanation.ends_with("for a receive of chip.core1, but chip.core1 has ended"));
  }
}

TEST_CASE("simulate: is a link's traffic its flits times their width, requests included?") {
  const isa::Program p = program({{}, {"load [0], [0], len 20", "send [0], len 12, core 0, tag 1"}});
  isa::Program q = p;
  q.cores[0] = program({{"recv [64], len 12, core 1, tag 1"}}).cores[0];
  const Result r = simulate(q, plain_chip());
  REQUIRE(r.links.size() == 2);
  CHECK(r.links[0].name == "mesh 0->1");
  CHECK(r.links[0].bytes == 24);  // 20 bytes of data: 3 flits of 8
  CHECK(r.links[1].name == "mesh 1->0");
  CHECK(r.links[1].bytes == 8 + 16);  // the load's request, one flit, and a message of 12 bytes, two flits
  for (const LinkResult& link : r.links) CHECK(link.bytes == link.busy * 8);
}

TEST_CASE("simulate: does a message with another tag stop the run, naming both instructions?") {
  CHECK_THROWS_WITH_AS(
      simulate(program({{"send [0], len 8, core 1, tag 1"}, {"recv [0], len 8, core 0, tag 2"}}), plain_chip()),
      "core 1, instruction 0 'recv [0], len 8, core 0, tag 2': expected tag 2 and 8 bytes, got tag 1 and 8 bytes from "
      "core 0, instruction 0 'send [0], len 8, core 1, tag 1'",
      UserError);
}

TEST_CASE("simulate: does a fault leave the next run untouched?") {
  const isa::Program good = program({{"send [0], len 8, core 1, tag 1"}, {"recv [0], len 8, core 0, tag 1"}});
  const Cycles before = simulate(good, plain_chip()).cycles;
  CHECK_THROWS_AS(
      simulate(program({{"send [0], len 8, core 1, tag 1"}, {"recv [0], len 8, core 0, tag 2"}}), plain_chip()),
      UserError);
  for (int n = 0; n < 50; ++n) CHECK(simulate(good, plain_chip()).cycles == before);
}

TEST_CASE("simulate: does an instruction that ends beyond the limit end the run, in every mode?") {
  const isa::Program p = program({{"vrelu [0]:i8, [64]:i8, len 16"}, {"vrelu [0]:i8, [64]:i8, len 4096"}});
  Options options;
  options.max_cycles = 100;  // 4096 elements take more
  for (const auto& [timing_only, lockstep] : {std::pair{true, false}, {false, false}, {true, true}, {false, true}}) {
    options.timing_only = timing_only;
    options.lockstep = lockstep;
    CHECK(simulate(p, plain_chip(), options).stop == StopReason::max_cycles);
  }
  options.max_cycles = 100'000;
  CHECK(simulate(p, plain_chip(), options).stop == StopReason::finished);
}

TEST_CASE("simulate: do limit and interruption end the run and say so?") {
  const isa::Program p = program({{"loop 1000000, body 1", "vrelu [0]:i8, [64]:i8, len 16"}});
  Options options;
  options.max_cycles = 1000;
  for (const bool timing_only : {false, true}) {
    options.timing_only = timing_only;
    const Result r = simulate(p, plain_chip(), options);
    CHECK(r.stop == StopReason::max_cycles);
    CHECK(r.explanation == "stopped at the limit of 1000 core cycles");
    CHECK(r.cycles < 1100);
  }
  std::atomic<bool> stop{true};
  options.max_cycles = 0;
  options.stop = &stop;
  const Result r = simulate(p, plain_chip(), options);
  CHECK(r.stop == StopReason::interrupted);
  CHECK(r.instructions < 200000);
}

TEST_CASE("simulate: is an input of the wrong size told with both sizes?") {
  isa::Program p = program({{"nop"}});
  isa::Port in;
  in.name = "x";
  in.shape = {4};
  in.layout = {0};
  in.type = ElementType::u8;
  p.inputs = {in};
  Options options;
  options.inputs = {{{1, 2, 3}, {}}};
  CHECK_THROWS_WITH_AS(simulate(p, plain_chip(), options), "input 'x': expected 4 bytes, got 3", UserError);
}

TEST_CASE("simulate: does energy name what is unknown?") {
  isa::Chip chip = plain_chip();
  chip.core.vector.energy_pj = 0.5;
  chip.sources["core.vector.energy"] = "a paper";
  const Result r = simulate(program({{"vrelu [0]:i8, [64]:i8, len 16"}}), chip);
  bool seen = false;
  for (const EnergyEntry& e : r.energy) {
    if (e.component == "vector unit") {
      seen = true;
      CHECK(e.count == 16);
      CHECK(e.per_event == 0.5);
      CHECK(e.source == "a paper");
    } else {
      CHECK_FALSE(e.per_event.has_value());
    }
  }
  CHECK(seen);
}
