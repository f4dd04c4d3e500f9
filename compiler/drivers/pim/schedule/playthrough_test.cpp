// When do drawn steps end? Messages over a row of cores and loads, every end derived by hand.
#include "compiler/drivers/pim/schedule/playthrough.hpp"

#include <doctest/doctest.h>

#include "compiler/drivers/pim/spatial/drawing.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

/// A row of cores, one step at a time. All transfers are of 64 bytes: local memory reads or writes them in 4, they are
/// 8 flits, and global memory reads them in 8. A head that leaves at t is at its first link or port at t + 1, and at
/// the next one 2 later: over h hops, each link and port free, a message arrives at t + 2h + 1 + 8.
struct Row {
  Drawing d;
  isa::Chip chip;
  Steps steps;
  explicit Row(int cores, int buffers = 1) : chip(row_of(cores)) {
    chip.core.window = 1;
    chip.network.handshake_cycles = 0;
    chip.network.receive_buffer_messages = buffers;
    steps.cores.resize(static_cast<std::size_t>(cores));
  }
  SpatialValueId value(ValueRole role = ValueRole::intermediate) {
    const SpatialValueId v = d.value("v", role);
    d.s.values[index_of(v)].layout.channels = 64;
    return v;
  }
  /// The core's next step.
  void does(CoreId core, Step::Kind kind, std::int32_t index) { steps.cores[core].push_back({kind, index}); }
  void computes(CoreId core, Cycles cycles) {
    does(core, Step::Kind::compute, static_cast<std::int32_t>(d.compute(value(), {}, cycles)));
  }
  std::int32_t transfer(Transfer::Kind kind, CoreId source, const std::vector<CoreId>& destinations) {
    Transfer t;
    t.kind = kind;
    t.what = d.whole(value());
    t.source = source;
    t.destinations = destinations;
    steps.transfers.push_back(t);
    return static_cast<std::int32_t>(steps.transfers.size() - 1);
  }
  /// The next step of both.
  void message(CoreId from, CoreId to) {
    const std::int32_t m = transfer(Transfer::Kind::message, from, {to});
    does(from, Step::Kind::send, m);
    does(to, Step::Kind::receive, m);
  }
  void load(CoreId core) { does(core, Step::Kind::load, transfer(Transfer::Kind::load, 0, {core})); }
  Cycles end() const { return play_through(steps, d.s, chip); }
};

}  // namespace

TEST_CASE("played through: do two messages over one link end later than over two?") {
  Row apart(6);
  apart.message(0, 2);
  apart.message(3, 5);
  // both: read until 4, two hops: 4 + 2 * 2 + 1 + 8 = 17, written in 4
  CHECK(apart.end() == 17 + 4);
  Row shared(4);
  shared.message(0, 2);
  shared.message(1, 3);
  // Core 1's holds the link from 1 to 2 in 5 .. 13. Core 0's is there at 7 and waits until 13: at its port at 15,
  // arrived at 23, written in 4.
  CHECK(shared.end() == 23 + 4);
}

TEST_CASE("played through: does a message wait until its place in the receive buffer is free, and its credit back?") {
  const auto end = [](int buffers) {
    Row row(2, buffers);
    row.computes(1, 100);
    row.message(0, 1);
    row.message(0, 1);
    return row.end();
  };
  // One place: the first receive takes 100 .. 104; its credit, a flit over a hop, is back at 104 + 2 + 1 + 1 = 108; the
  // second message arrives at 108 + 2 + 1 + 8 = 119.
  CHECK(end(1) == 119 + 4);
  // Two: both are there before 100.
  CHECK(end(2) == 100 + 4 + 4);
}

TEST_CASE("played through: do two loads on one channel follow each other?") {
  const auto end = [](const std::vector<CoreId>& cores) {
    Row row(2);
    for (const CoreId core : cores) row.load(core);
    return row.end();
  };
  // Core 0 beside the channel: the request is there at 1 + 1 = 2, served until 10, the data at 10 + 1 + 8 = 19.
  CHECK(end({0}) == 19 + 4);
  // Core 1, a hop away: 2 + 1 + 1 = 4, served until 12, the data at 12 + 2 + 1 + 8 = 23.
  CHECK(end({1}) == 23 + 4);
  // Its request waits for core 0's until 10, is served until 18: the data at 18 + 11 = 29.
  CHECK(end({0, 1}) == 29 + 4);
}

TEST_CASE("played through: do parts of one row that lie pages apart go to the channels of their pages?") {
  const auto end = [](std::int32_t position) {
    Row row(2);
    row.chip.global_memory.channels = 2;
    row.chip.global_memory.attached_to = {0, 0};
    row.load(0), row.load(1);
    Transfer& second = row.steps.transfers[1];
    row.d.s.values[index_of(second.what.value)].layout.positions = position + 1;
    second.what.box.p0 = position, second.what.box.p1 = position + 1;
    return row.end();
  };
  const auto page = static_cast<std::int32_t>(isa::cost::channel_page / 64);  // positions of 64 bytes
  CHECK(end(0) == 29 + 4);                                                    // as above: one channel
  CHECK(end(page - 1) == 29 + 4);
  CHECK(end(page) < 29 + 4);       // the other is free
  CHECK(end(2 * page) == 29 + 4);  // the first again
}

TEST_CASE("played through: does a rendezvous hold the sender until the message arrives, and what does a window hide?") {
  const auto end = [](int buffers, int window) {
    Row row(2, buffers);
    row.chip.core.window = window;
    row.computes(1, 100);
    row.message(0, 1);
    row.computes(0, 50);
    return row.end();
  };
  // It leaves when its receive begins, at 100, and arrives at 100 + 2 + 1 + 8 = 111; only then core 0 goes on.
  CHECK(end(0, 1) == 111 + 50);
  // With a place to go to it has left at 4 + 8 = 12; core 0 ends at 62, and core 1 takes it at 100.
  CHECK(end(1, 1) == 100 + 4);
  // A window of 4: both cores compute beside the message, core 1 for longest.
  CHECK(end(0, 4) == 100);
}

TEST_CASE("played through: does a core without a transfer end with its computes, one after the other?") {
  Row row(2);
  for (const Cycles cycles : {10, 20, 30}) row.computes(0, cycles);
  row.computes(1, 50);
  CHECK(row.end() == 60);
}
