#include <doctest/doctest.h>

#include "simulator/chip/bench.hpp"
#include "simulator/observe/observer.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

Cycles cycles(const Lines& lines, int window, int ports = 1) {
  isa::Chip chip = plain_chip();
  chip.core.window = window;
  chip.core.local_memory.ports = ports;
  Options options;
  options.timing_only = true;
  return simulate(program({lines}), chip, options).cycles;
}

}  // namespace

TEST_CASE("timing: what do single instructions take?") {
  CHECK(cycles({"nop"}, 1) == 1);
  CHECK(cycles({"addr A1, base 0, strides 0 0 0 0"}, 1) == 1);
  // 16 bytes: one read, two passes of 8 lanes, one write
  CHECK(cycles({"vrelu [0]:i8, [64]:i8, len 16"}, 1) == 1 + 2 + 1);
  CHECK(cycles({"vadd [0]:i8, [64]:i8, [128]:i8, len 16"}, 1) == 2 + 2 + 1);
  // 4 inputs are one read; front 5, back 5; 4 sums of i32 are one write
  CHECK(cycles({"mvm [0]:i32, [64]:u8, len 4, group 0"}, 1) == 1 + 10 + 1);
  CHECK(cycles({"move [0], [64], len 40"}, 1) == 3 + 3);
}

TEST_CASE("timing: does a window of 1 overlap nothing, and a wider one what is independent?") {
  const Lines lines = {"mvm [0]:i32, [64]:u8, len 4, group 0", "vrelu [128]:i8, [192]:i8, len 16"};
  CHECK(cycles(lines, 1) == 12 + 4);
  // issue at 1, the port reads in cycle 0 and 1; done at 5, long before the MVM
  CHECK(cycles(lines, 2) == 12);
}

TEST_CASE("timing: does a dependent instruction wait for the result, and for no more?") {
  // relu 0 .. 4, then the reader of byte 15 at 4: 4 + 4
  CHECK(cycles({"vrelu [0]:i8, [64]:i8, len 16", "mvm [256]:i32, [12]:u8, len 4, group 0"}, 4) == 4 + 12);
  // the neighbour's bytes 16 .. 19: issues at 1, reads once the port is free
  CHECK(cycles({"vrelu [0]:i8, [64]:i8, len 16", "mvm [256]:i32, [16]:u8, len 4, group 0"}, 4) == 1 + 12);
}

TEST_CASE("timing: does a writer wait only until the earlier instruction has read?") {
  // the mvm has read [64] at 1; the relu writes [64]: issue at 1, done at 5
  CHECK(cycles({"mvm [256]:i32, [64]:u8, len 4, group 0", "vrelu [64]:i8, [192]:i8, len 16"}, 4) == 12);
  // write after write waits for the end: 12 + 4
  CHECK(cycles({"mvm [256]:i32, [64]:u8, len 4, group 0", "vrelu [256]:i8, [192]:i8, len 16"}, 4) == 12 + 4);
}

TEST_CASE("timing: do MVMs on different groups overlap, and on one group follow each other?") {
  // reads share the one port: 0, 1, 2, 3; the last MVM reads in cycle 3 and writes in cycle 14
  CHECK(cycles({"mvm [0]:i32, [512]:u8, len 4, group 0", "mvm [64]:i32, [512]:u8, len 4, group 1",
                "mvm [128]:i32, [512]:u8, len 4, group 2", "mvm [192]:i32, [512]:u8, len 4, group 3"},
               4) == 3 + 12);
  CHECK(cycles({"mvm [0]:i32, [512]:u8, len 4, group 0", "mvm [64]:i32, [512]:u8, len 4, group 0"}, 4) == 24);
}

TEST_CASE("timing: do two phases that want one port take turns?") {
  // the relu reads 64 bytes in 0 .. 3; the second, on another unit, issues at 1 and reads from 4 on
  const Lines lines = {"vrelu [0]:i8, [1024]:i8, len 64", "move [2048], [3072], len 64"};
  // relu: read 0..4, compute 4..12, write: 12..16; move: read 4..8, write 8..12
  CHECK(cycles(lines, 4, 1) == 16);
  CHECK(cycles({"move [2048], [3072], len 64", "vrelu [0]:i8, [1024]:i8, len 64"}, 4, 1) == 8 + 4 + 8 + 4);
  // with two ports the relu reads 1 .. 5, computes to 13, writes to 17
  CHECK(cycles({"move [2048], [3072], len 64", "vrelu [0]:i8, [1024]:i8, len 64"}, 4, 2) == 17);
}

TEST_CASE("timing: does a loop cost its entry and nothing per turn?") {
  CHECK(cycles({"loop 10, body 1", "vrelu [0]:i8, [64]:i8, len 16"}, 1) == 1 + 10 * 4);
  CHECK(cycles({"loop 3, body 3", "loop 2, body 1", "nop", "vrelu [0]:i8, [64]:i8, len 16"}, 1) == 1 + 3 * (1 + 2 + 4));
  CHECK(cycles({"loop 0, body 1", "vrelu [0]:i8, [64]:i8, len 16", "nop"}, 1) == 2);
}

TEST_CASE("timing: when does a message over an idle mesh arrive?") {
  // send: read 1 cycle, two flits over one hop 2 + 1 + 2; receive, waiting since 0: write 1
  const isa::Chip chip = plain_chip();
  Options options;
  options.timing_only = true;
  options.record_contacts = true;
  const Result r =
      simulate(program({{"send [0], len 16, core 1, tag 1"}, {"recv [0], len 16, core 0, tag 1"}}), chip, options);
  CHECK(r.cycles == 1 + 5 + 1);
  CHECK(r.contacts[0][0] == Contact{0, 0, 3});  // two flits have left at 3
  CHECK(r.contacts[1][0] == Contact{0, 0, 7});
  CHECK(r.cores[1].transfer == UnitCycles{1, 6, 0});
  CHECK(r.injected == 16);
  CHECK(r.links.size() == 1);
  CHECK(r.links[0].name == "mesh 0->1");
}

TEST_CASE("timing: does a full buffer hold the next send until its credit is back?") {
  // The receiver works 40 cycles first (nops), so the second message finds the buffer of one full.
  const isa::Chip chip = plain_chip();
  Options options;
  options.timing_only = true;
  options.record_contacts = true;
  Lines receiver{"loop 40, body 1", "nop", "recv [0], len 8, core 0, tag 1", "recv [0], len 8, core 0, tag 2"};
  const Result r = simulate(program({{"send [0], len 8, core 1, tag 1", "send [0], len 8, core 1, tag 2"}, receiver}),
                            chip, options);
  // recv issues at 41, ends at 42; the credit takes 2 + 1 + 1 and is there at 46; one flit leaves until 47
  CHECK(r.contacts[1][0] == Contact{2, 41, 42});
  CHECK(r.contacts[0][1].end == 47);
  // the message takes 2 + 1 + 1 from 46: 50; written at 51
  CHECK(r.contacts[1][1].end == 51);
}

TEST_CASE("timing: does a rendezvous send end when its receive has it?") {
  isa::Chip chip = plain_chip();
  chip.network.receive_buffer_messages = 0;
  Options options;
  options.timing_only = true;
  options.record_contacts = true;
  const Result r = simulate(
      program({{"send [0], len 8, core 1, tag 1"}, {"loop 9, body 1", "nop", "recv [0], len 8, core 0, tag 1"}}), chip,
      options);
  CHECK(r.contacts[0][0] == Contact{0, 0, 14});  // met at 10, 2 + 1 + 1 on the way
  CHECK(r.contacts[1][0] == Contact{2, 10, 15});
}

TEST_CASE("timing: do two messages share a link in the order of arrival, then of sources?") {
  // cores 2 and 3 send to core 1 at once. 2 -> 0 -> ... is XY: 2 goes along x to 3, then up to 1: its head reaches the
  // router of 3 at 1 + 1 + 1 + 1 = 4 and claims 3 -> 1 at 5; core 3 claims 3 -> 1 at 1 + 1 = 2.
  const isa::Chip chip = plain_chip();
  Options options;
  options.timing_only = true;
  options.record_contacts = true;
  const Result r = simulate(program({{},
                                     {"recv [0], len 80, core 3, tag 3", "recv [0], len 80, core 2, tag 2"},
                                     {"send [0], len 80, core 1, tag 2"},
                                     {"send [0], len 80, core 1, tag 3"}}),
                            chip, options);
  // reading 80 bytes takes 5. Core 3: ready 5, link at 6 for 10 cycles; at router 1 at 7, ejects 8 .. 18; written 18 ..
  // 23
  CHECK(r.contacts[1][0].end == 23);
  // Core 2: link 2 -> 3 at 6, router 3 at 7, wants 3 -> 1 at 8, gets it at 16; ejects 18 .. 28; written 28 .. 33
  CHECK(r.contacts[1][1].end == 33);
}

TEST_CASE("timing: what do load and store take?") {
  Options options;
  options.timing_only = true;
  options.record_contacts = true;
  // core 0 sits at the channel: request 1 + 1, two accesses of 2, data 1 + 4 flits, write 2
  const Result r = simulate(program({{"load [0], [0], len 32"}}), plain_chip(), options);
  CHECK(r.cycles == 2 + 4 + 5 + 2);
  // read 2, data 1 + 4, two accesses of 2
  CHECK(simulate(program({{"store [0], [0], len 32"}}), plain_chip(), options).cycles == 2 + 5 + 4);
}

TEST_CASE("timing: does wait end when enough has been added?") {
  Options options;
  options.timing_only = true;
  options.record_contacts = true;
  // syncs from cores 1 (one hop) and 3 (two): ready at 0, 2 * hops + 1 + 1: 4 and 6
  const Result r = simulate(program({{"wait core 0, event 5, value 3"},
                                     {"sync core 0, event 5, value 2"},
                                     {},
                                     {"sync core 0, event 5, value 1"}}),
                            plain_chip(), options);
  CHECK(r.contacts[0][0] == Contact{0, 0, 6});
}

namespace {
/// When each product's slices kept its array group.
struct Slices final : Observer {
  std::vector<std::pair<Cycles, Cycles>> all;
  void executed(const Executed& e) override {
    if (e.group >= 0) all.emplace_back(e.issue, e.end);
  }
  void transferred(const Transferred&) override {}
  void served(const MemoryService&) override {}
};
}  // namespace

TEST_CASE(
    "timing: where products overlap, do the next one's slices begin with the end of the last's, however each is "
    "read?") {
  isa::Chip chip = plain_chip();
  chip.core.crossbar.overlap = true;
  chip.core.local_memory.ports = 2;  // no write keeps the next input from being read
  chip.core.crossbar.dac_bits = 1;   // eight slices: the group is kept longer than any input is read
  const char* const slow = "mvm [256]:i32, [64]:u8 stride 32, x4 len 1, group 0";
  const char* const quick = "mvm [512]:i32, [1024]:u8, len 4, group 0";
  const char* const again = "mvm [768]:i32, [1024]:u8, len 4, group 0";
  for (const auto& [first, second] : {std::pair{slow, quick}, {quick, slow}, {quick, again}}) {
    Slices slices;
    Options options;
    options.observer = &slices;
    simulate(program({{first, second}}), chip, options);
    REQUIRE(slices.all.size() == 2);
    CHECK(slices.all[1].first == slices.all[0].second);
  }
}
