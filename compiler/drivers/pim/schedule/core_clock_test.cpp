// When do instructions of one core issue? Every time derived by hand from the rules of simulator/README.
#include "compiler/drivers/pim/schedule/core_clock.hpp"

#include <doctest/doctest.h>

using namespace pimento;
using namespace pimento::pim;

namespace {

isa::Chip window_of(int window, int ports = 2) {
  isa::Chip chip = isa::load_chip("tiny-4");
  chip.core.window = window;
  chip.core.local_memory.ports = ports;
  return chip;
}
/// Computes only.
Timed works(std::uint32_t unit, Cycles cycles) {
  Timed t;
  t.unit = unit;
  t.duration.compute = cycles;
  return t;
}
Timed reading(Timed t, std::int64_t low, std::int64_t high) {
  t.bytes.read[static_cast<std::size_t>(t.bytes.reads++)] = {low, high, 0, high - low};
  return t;
}
Timed writing(Timed t, std::int64_t low, std::int64_t high) {
  t.bytes.writes = true;
  t.bytes.write = {low, high, 0, high - low};
  return t;
}
constexpr std::uint32_t vector = CoreClock::vector_unit, group = CoreClock::group_unit;

}  // namespace

TEST_CASE("core clock: do units work beside each other, and each for itself one after the other?") {
  const isa::Chip chip = window_of(4);
  CoreClock clock(chip);
  CHECK(clock.issue(works(vector, 10)) == 0);
  CHECK(clock.issue(works(group, 20)) == 1);
  CHECK(clock.issue(works(group + 1, 20)) == 2);
  CHECK(clock.issue(works(vector, 10)) == 10);
  CHECK(clock.end() == 22);
}

TEST_CASE("core clock: does an instruction wait until the one a window before it has retired?") {
  const isa::Chip chip = window_of(2);
  CoreClock clock(chip);
  CHECK(clock.issue(works(group, 50)) == 0);
  CHECK(clock.issue(works(group + 1, 20)) == 1);  // ends at 21, but retires after the one before it, at 50
  CHECK(clock.issue(works(group + 2, 20)) == 50);
  CHECK(clock.issue(works(group + 3, 20)) == 51);  // the second has retired at 50
  const isa::Chip one = window_of(1);
  CoreClock alone(one);
  alone.issue(works(group, 50));
  CHECK(alone.issue(works(group + 1, 20)) == 50);
}

TEST_CASE("core clock: whom does an instruction wait for that shares bytes with others?") {
  const isa::Chip chip = window_of(8);
  CoreClock clock(chip);
  Timed reads_long = reading(works(vector, 0), 0, 64);
  reads_long.duration.read = 30;
  CHECK(clock.issue(writing(works(group, 100), 64, 128)) == 0);
  CHECK(clock.issue(reads_long) == 1);
  CHECK(clock.issue(reading(works(group + 1, 5), 128, 200)) == 2);    // nobody writes that
  CHECK(clock.issue(writing(works(group + 2, 5), 0, 8)) == 31);       // when it has been read
  CHECK(clock.issue(reading(works(group + 3, 5), 100, 101)) == 100);  // when it stands
}

TEST_CASE("core clock: do two phases on one port follow each other?") {
  const auto second_end = [](int ports) {
    const isa::Chip chip = window_of(4, ports);
    CoreClock clock(chip);
    Timed reads = works(group, 1);
    reads.duration.read = 10;
    clock.issue(reads);
    reads.unit = group + 1;
    clock.issue(reads);
    return clock.end();
  };
  CHECK(second_end(2) == 1 + 10 + 1);
  CHECK(second_end(1) == 10 + 10 + 1);
}

TEST_CASE("core clock: what goes on beside a receive whose message has not come?") {
  const isa::Chip chip = window_of(3);
  CoreClock clock(chip);
  Timed receive = writing(works(CoreClock::transfer_unit, 0), 0, 64);
  receive.duration.write = 4;
  CHECK(clock.begin(receive, true).start == 0);
  clock.known(100);
  CHECK(clock.issue(works(group, 10)) == 1);
  CHECK(clock.issue(works(group + 1, 10)) == 2);
  CHECK(clock.issue(works(group + 2, 10)) == 104);  // a window behind it
  CHECK(clock.close() == 104);
  CoreClock other(chip);
  other.begin(receive, true);
  other.known(100);
  CHECK(other.issue(reading(works(group, 10), 60, 61)) == 104);  // what it brings
  CHECK(other.begin(receive, true).start == 105);
}

TEST_CASE("core clock: is moving on the same as issuing alike instructions, one by one?") {
  const isa::Chip chip = window_of(4, 1);
  Timed product = works(group, 20);
  product.duration.read = 3, product.duration.write = 2;
  CoreClock each(chip), moved(chip);
  for (int n = 0; n < 30; ++n) each.issue(product);
  for (int n = 0; n < 10; ++n) moved.issue(product);
  moved.move_on(15 * Cycles{25});
  for (int n = 0; n < 5; ++n) moved.issue(product);
  CHECK(moved.issue(works(vector, 7)) == each.issue(works(vector, 7)));
  CHECK(moved.end() == each.end());
}
