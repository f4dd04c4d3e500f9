// How much faster is the crossbar kernel with real converters than the plain loop nest? Both are timed in one run, and
// must agree bit for bit. A 128 x 128 product of 8-bit weights in 2-bit cells, 8-bit inputs one bit at a time.
#include <fmt/format.h>

#include <algorithm>

#include "isa/instruction/samples.hpp"
#include "simulator/crossbar/analog.hpp"
#include "validation/bench/arguments.hpp"
#include "validation/bench/measure.hpp"
#include "validation/reference/crossbar.hpp"

using namespace pimento;

namespace {

/// Least CPU seconds of one call, over several rounds.
template <class Work>
double least_seconds(int rounds, int calls, Work&& work) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const double start = bench::cpu_seconds();
    for (int call = 0; call < calls; ++call) work();
    least = std::min(least, (bench::cpu_seconds() - start) / calls);
  }
  return least;
}

void measure() {
  constexpr int n = 128;
  isa::Chip chip;
  isa::Crossbar& x = chip.core.crossbar;
  x.rows = x.cols = x.rows_active = n;
  x.cell_bits = 2;
  x.adc.bits = 8;
  x.adc.ideal = false;
  isa::Random random(1);
  reference::ArrayGroup group{n, n, {}};
  isa::Tile tile;
  tile.rows = tile.cols = n;
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> inputs;
  for (int k = 0; k < n * n; ++k) {
    group.weights.push_back(static_cast<std::int32_t>(random.between(-127, 127)));
    bytes.push_back(static_cast<std::uint8_t>(group.weights.back() & 0xff));
  }
  for (int k = 0; k < n; ++k) inputs.push_back(static_cast<std::int32_t>(random.between(0, 255)));
  tile.weights = isa::Blob<std::uint8_t>::own(std::move(bytes));
  sim::AnalogTile analog(tile, chip);

  std::vector<std::int32_t> fast(n), plain;
  const double fast_s = least_seconds(5, 200, [&] { analog.multiply(inputs, ElementType::u8, fast); });
  const double plain_s = least_seconds(3, 2, [&] {
    plain = reference::crossbar_product(group, chip, inputs, ElementType::u8, reference::full_scale(chip));
  });
  fmt::print("plain loop nest {:.1f} us, kernel {:.1f} us: {:.1f} times faster; {}\n", 1e6 * plain_s, 1e6 * fast_s,
             plain_s / fast_s, fast == plain ? "the same sums" : "SUMS DIFFER");
  if (fast != plain) throw Negative("crossbar_bench: the sums differ");
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Usage usage{"crossbar_bench", ""};
  return bench::run_bench(usage, argc, argv, [&](const std::vector<std::string>& words) {
    if (!words.empty()) throw usage.refuses(words[0]);
    measure();
  });
}
