#pragma once
// Adaptive rounding: which integer each weight of a matrix becomes, so that the products with inputs that were seen
// stay what they are with real weights and real inputs. Weights are decided one after another; each takes up the error
// that those before it, and the quantised inputs, have left (greedy path following), then a sweep of coordinate
// descent improves on it. Each weight goes to one of its two integer neighbours, so no weight is further from its real
// value than one code. Sums have one written order: the same codes on every machine.
#include <cstdint>
#include <vector>

namespace pimento::pim {

struct RoundingProblem {
  std::int32_t reduction = 0, columns = 0, samples = 0;
  std::vector<float> real_inputs, stored_inputs;  ///< [reduction][sample], in real units, stored = after quantisation
  std::vector<float> weights;                     ///< [reduction][column], in codes: weight / scale of its column
  float largest_code = 127;
  bool free_offset = false;  ///< a constant per column (a bias) may absorb the mean error
};
struct Rounded {
  std::vector<float> codes;  ///< [reduction][column]
  std::vector<double>
      offset;  ///< by column, in codes times real inputs: what the bias must gain; 0 without free_offset
};
/// `damping`: how far a weight is drawn to its own value, as a share of the mean energy of an input: inputs that were
/// not seen.
Rounded round_adaptively(RoundingProblem problem, double damping = 0.01, int sweeps = 1);

}  // namespace pimento::pim
