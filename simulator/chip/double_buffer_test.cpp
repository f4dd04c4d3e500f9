// Do transfers run beside the computation? A stream of tiles is loaded, or received, into buffers and computed upon, or
// computed into buffers and stored. With two buffers in turn the slower of the two sets the pace; with one, each waits
// for what the other still does there.
#include <doctest/doctest.h>

#include "simulator/chip/bench.hpp"

using namespace pimento;
using namespace pimento::sim;
using namespace pimento::sim::bench;

namespace {

/// Tiles of 64 bytes. A load takes 2 + 8 + 9 + 4 = 23, a store 4 + 9 + 8 = 21; a relu reads for 4, computes for 8
/// passes, and writes for 4.
isa::Chip chip_with(Cycles vector_latency, int window = 8) {
  isa::Chip c = plain_chip();
  c.core.window = window;
  c.core.local_memory.ports = 2;
  c.core.vector.latency_cycles = vector_latency;
  return c;
}
constexpr Cycles loading = 23, storing = 21, reading = 4;
constexpr Cycles relu(Cycles vector_latency) { return 4 + 8 * vector_latency + 4; }

const Lines two_loaded{
    "load [0], [0], len 64",           "load [64], [64], len 64",          "vrelu [1024]:i8, [0]:i8, len 64",
    "load [0], [128], len 64",         "vrelu [1088]:i8, [64]:i8, len 64", "load [64], [192], len 64",
    "vrelu [1152]:i8, [0]:i8, len 64", "vrelu [1216]:i8, [64]:i8, len 64"};
const Lines one_loaded{"load [0], [0], len 64",   "vrelu [1024]:i8, [0]:i8, len 64",
                       "load [0], [64], len 64",  "vrelu [1088]:i8, [0]:i8, len 64",
                       "load [0], [128], len 64", "vrelu [1152]:i8, [0]:i8, len 64",
                       "load [0], [192], len 64", "vrelu [1216]:i8, [0]:i8, len 64"};

}  // namespace

TEST_CASE("double buffers: do loads follow each other without a gap while the tile before is computed upon?") {
  CHECK(ends_exactly_at(program({two_loaded}), chip_with(1), 4 * loading + relu(1)));
  // with one buffer each load waits until the tile before has been read
  CHECK(ends_exactly_at(program({one_loaded}), chip_with(1), 4 * loading + 3 * reading + relu(1)));
  // in place it waits for the result, too
  Lines in_place;
  for (int k = 0; k < 4; ++k)
    in_place.insert(in_place.end(), {"load [0], [0], len 64", "vrelu [0]:i8, [0]:i8, len 64"});
  CHECK(ends_exactly_at(program({in_place}), chip_with(1), 4 * (loading + relu(1))));
  // and a window of 1 overlaps nothing whatever the buffers
  CHECK(ends_exactly_at(program({two_loaded}), chip_with(1, 1), 4 * (loading + relu(1))));
}

TEST_CASE("double buffers: does a computation that takes longer hide the loads?") {
  // the first relu issues a cycle behind the second load, which issues when the first has ended
  CHECK(ends_exactly_at(program({two_loaded}), chip_with(4), loading + 1 + 4 * relu(4)));
}

TEST_CASE("double buffers: are tiles stored while the next are computed?") {
  const Lines two{"vrelu [0]:i8, [1024]:i8, len 64", "vrelu [64]:i8, [1088]:i8, len 64",
                  "store [0], [0], len 64",          "vrelu [0]:i8, [1152]:i8, len 64",
                  "store [64], [64], len 64",        "vrelu [64]:i8, [1216]:i8, len 64",
                  "store [128], [0], len 64",        "store [192], [64], len 64"};
  const Lines one{"vrelu [0]:i8, [1024]:i8, len 64", "store [0], [0], len 64",
                  "vrelu [0]:i8, [1088]:i8, len 64", "store [64], [0], len 64",
                  "vrelu [0]:i8, [1152]:i8, len 64", "store [128], [0], len 64",
                  "vrelu [0]:i8, [1216]:i8, len 64", "store [192], [0], len 64"};
  CHECK(ends_exactly_at(program({two}), chip_with(4), 4 * relu(4) + storing));
  // one buffer: each relu waits until the tile before has been read
  CHECK(ends_exactly_at(program({one}), chip_with(4), 4 * relu(4) + 3 * reading + storing));
  // where the stores take longer they follow each other, a cycle behind the second relu's issue
  CHECK(ends_exactly_at(program({two}), chip_with(1), relu(1) + 1 + 4 * storing));
}

TEST_CASE("double buffers: is the next message received while the last one is computed upon?") {
  isa::Chip chip = chip_with(1);
  chip.network.receive_buffer_messages = 0;
  const char* const sends = "send [0], len 64, core 1, tag 1";
  const Lines sender(4, sends);
  const char *const to_a = "recv [0], len 64, core 0, tag 1", *const to_b = "recv [64], len 64, core 0, tag 1";
  const char *const of_a = "vrelu [1024]:i8, [0]:i8, len 64", *const of_b = "vrelu [2048]:i8, [64]:i8, len 64";
  // The first message is read until 4, under way until 15 and written until 19. The others take 11 + 4 from the issue
  // of their receives, less than a relu: the first relu issues a cycle behind the second receive.
  CHECK(
      ends_exactly_at(program({sender, {to_a, to_b, of_a, to_a, of_b, to_b, of_a, of_b}}), chip, 19 + 1 + 4 * relu(1)));
  // one buffer: each receive waits until the tile before has been read, and only then may the message leave
  CHECK(ends_exactly_at(program({sender, {to_a, of_a, to_a, of_a, to_a, of_a, to_a, of_a}}), chip,
                        19 + 3 * (reading + 11 + 4) + relu(1)));
}

TEST_CASE("double buffers: is a tile sent while the next is computed?") {
  // 64 bytes: read for 4, gone 8 flits later; the receiver takes each at once
  const Lines receiver(3, "recv [0], len 64, core 0, tag 1");
  const Lines two{"vrelu [0]:i8, [1024]:i8, len 64",  "vrelu [64]:i8, [1088]:i8, len 64",
                  "send [0], len 64, core 1, tag 1",  "vrelu [0]:i8, [1152]:i8, len 64",
                  "send [64], len 64, core 1, tag 1", "send [0], len 64, core 1, tag 1"};
  // three relus; the last send reads for 4, travels 2 + 1 + 8 and is written in 4
  CHECK(ends_exactly_at(program({two, receiver}), chip_with(4), 3 * relu(4) + 4 + 11 + 4));
}
