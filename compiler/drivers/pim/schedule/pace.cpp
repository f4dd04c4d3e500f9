#include "compiler/drivers/pim/schedule/pace.hpp"

#include <algorithm>
#include <numeric>

#include "isa/support/error.hpp"

namespace pimento::pim {

Cycles pace(const std::vector<Action>& turn, int cores) {
  constexpr std::size_t settled = 6;
  constexpr std::size_t turns = 16;
  std::vector<std::size_t> order(turn.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return turn[a].start < turn[b].start; });
  // actions of all cores in one order: played in it, each begins when its cores have ended what comes before
  std::vector<Cycles> time(static_cast<std::size_t>(cores), 0);
  std::vector<Cycles> before = time;
  for (std::size_t t = 0; t < turns; ++t) {
    if (t == settled) before = time;
    for (const std::size_t i : order) {
      const Action& a = turn[i];
      time[a.core] = time[a.other] = std::max(time[a.core], time[a.other]) + a.cycles;
    }
  }
  Cycles slowest = 0;
  for (std::size_t k = 0; k < time.size(); ++k) slowest = std::max(slowest, time[k] - before[k]);
  return slowest / static_cast<Cycles>(turns - settled);
}

}  // namespace pimento::pim
