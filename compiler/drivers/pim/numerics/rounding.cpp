#include "compiler/drivers/pim/numerics/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pimento::pim {
namespace {

constexpr int lanes = 16;  ///< columns decided side by side
using Lanes = std::array<float, lanes>;

/// The residual of 16 columns: what the real product is ahead of the rounded one, by sample.
class Residual {
 public:
  explicit Residual(std::size_t samples) : at_(samples * lanes, 0.0F) {}

  void add(const float* input, const Lanes by) {
    const std::size_t samples = at_.size() / lanes;
    for (std::size_t n = 0; n < samples; ++n) {
      float* row = at_.data() + n * lanes;
      const float x = input[n];
      for (std::size_t l = 0; l < lanes; ++l) row[l] = row[l] + x * by[l];
    }
  }
  Lanes along(const float* input) const {
    Lanes sums{};
    const std::size_t samples = at_.size() / lanes;
    for (std::size_t n = 0; n < samples; ++n) {
      const float* row = at_.data() + n * lanes;
      const float x = input[n];
      for (std::size_t l = 0; l < lanes; ++l) sums[l] = sums[l] + x * row[l];
    }
    return sums;
  }

 private:
  std::vector<float> at_;
};

float nearest_neighbour(float target, float weight, float largest) {
  const float below = std::floor(weight);
  const float above = std::ceil(weight);
  const float code = target - below < above - target ? below : above;
  return std::clamp(code, -largest, largest);
}

std::vector<float> means(const std::vector<float>& inputs, std::size_t samples) {
  std::vector<float> result;
  for (std::size_t from = 0; from < inputs.size(); from += samples) {
    double sum = 0;
    for (std::size_t n = 0; n < samples; ++n) sum += static_cast<double>(inputs[from + n]);
    result.push_back(static_cast<float>(sum / static_cast<double>(samples)));
  }
  return result;
}
void subtract(std::vector<float>& inputs, std::size_t samples, const std::vector<float>& mean) {
  for (std::size_t t = 0; t < mean.size(); ++t)
    for (std::size_t n = 0; n < samples; ++n) inputs[t * samples + n] -= mean[t];
}

}  // namespace

Rounded round_adaptively(RoundingProblem p, double damping, int sweeps) {
  const auto k = static_cast<std::size_t>(p.reduction), columns = static_cast<std::size_t>(p.columns);
  const auto samples = static_cast<std::size_t>(p.samples);
  Rounded result{std::vector<float>(k * columns), std::vector<double>(columns, 0.0)};
  std::vector<float> real_mean(k, 0.0F), stored_mean(k, 0.0F);
  if (p.free_offset) {
    real_mean = means(p.real_inputs, samples);
    stored_mean = means(p.stored_inputs, samples);
    subtract(p.real_inputs, samples, real_mean);
    subtract(p.stored_inputs, samples, stored_mean);
  }
  std::vector<float> energy(k, 0.0F);
  double total = 0;
  for (std::size_t t = 0; t < k; ++t) {
    double sum = 0;
    for (std::size_t n = 0; n < samples; ++n) {
      const auto x = static_cast<double>(p.stored_inputs[t * samples + n]);
      sum += x * x;
    }
    energy[t] = static_cast<float>(sum);
    total += sum;
  }
  const auto damp = static_cast<float>(std::max(damping * total / static_cast<double>(k), 1e-30));

  for (std::size_t first = 0; first < columns; first += lanes) {
    const std::size_t width = std::min<std::size_t>(lanes, columns - first);
    Residual residual(samples);
    const auto weights_of = [&](std::size_t t) {
      Lanes w{};
      for (std::size_t l = 0; l < width; ++l) w[l] = p.weights[t * columns + first + l];
      return w;
    };
    for (int sweep = 0; sweep <= sweeps; ++sweep) {
      for (std::size_t t = 0; t < k; ++t) {
        const float* stored = p.stored_inputs.data() + t * samples;
        float* codes = result.codes.data() + t * columns + first;
        const Lanes w = weights_of(t);
        if (sweep == 0) residual.add(p.real_inputs.data() + t * samples, w);
        const Lanes ahead = residual.along(stored);
        Lanes change{};
        bool changes = false;
        for (std::size_t l = 0; l < width; ++l) {
          const float drawn = ahead[l] + energy[t] * codes[l] + damp * w[l];
          const float code = nearest_neighbour(drawn / (energy[t] + damp), w[l], p.largest_code);
          change[l] = codes[l] - code;
          changes = changes || change[l] != 0;
          codes[l] = code;
        }
        if (changes) residual.add(stored, change);
      }
    }
  }
  for (std::size_t c = 0; c < columns && p.free_offset; ++c)
    for (std::size_t t = 0; t < k; ++t)
      result.offset[c] += static_cast<double>(p.weights[t * columns + c]) * static_cast<double>(real_mean[t]) -
                          static_cast<double>(result.codes[t * columns + c]) * static_cast<double>(stored_mean[t]);
  return result;
}

}  // namespace pimento::pim
